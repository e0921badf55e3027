import {
  type ChangeConsent,
  CONSENT_IMPORT_MAX_LINES,
  type ConsentImport,
  type List,
  type OptOut,
  type PageQuery,
} from '@foreword/contract';
import type { Transaction } from 'kysely';
import { once } from '../../idempotency/index.ts';
import { readCsv } from '../../platform/csv.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import { invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Answer } from '../../platform/operations.ts';
import { readPage } from '../../platform/paging.ts';
import { readPhone } from '../../platform/phone/index.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import { hasOptOut, listOptOuts, type OptOutRow, readOptOut } from '../store/consents.ts';
import type { Consents, ErasedOptOuts } from './opt-outs.ts';

/** Who records a decision that was received elsewhere. */
export interface Recorder extends Tenant {
  readonly source: Extract<ConsentSource, 'api' | 'operator'>;
  readonly by?: string;
}

const presentOptOut = ({ id, phone, source, said, opted_out_at: at }: OptOutRow): OptOut => ({
  id,
  object: 'opt_out',
  phone,
  source,
  reason: said,
  opted_out_at: at.toISOString(),
  environment: 'test',
});

/** A page of opt-outs, newest first. */
export const listRecipientOptOuts = (
  db: Queryable<Tables>,
  tenant: Tenant,
  { phone, ...page }: PageQuery & { phone?: string },
): Promise<List<OptOut>> =>
  readPage(page, {
    exists: (id) => hasOptOut(db, tenant, id),
    rows: async ({ limit, startingAfter }) => [...(await listOptOuts(db, tenant, { phone, limit, startingAfter }))],
    present: presentOptOut,
  });

export interface RecipientConsents {
  /** Once per idempotency key, as is `optIn`. */
  optOut(recorder: Recorder, key: string, body: ChangeConsent): Promise<Answer>;
  optIn(recorder: Recorder, key: string, body: ChangeConsent): Promise<Answer>;
}

/** The changes that the API and the command make. */
export function createRecipientConsents(deps: {
  readonly db: Database<Tables>;
  readonly testClocks: TestClocks;
  readonly consents: Consents;
  readonly erasedOptOuts: Pick<ErasedOptOuts, 'hashOf'>;
}): RecipientConsents {
  const { db, testClocks, consents, erasedOptOuts } = deps;

  /** Neither the fingerprint nor the stored response has the number, because an erasure does not find them. */
  async function change(
    recorder: Recorder,
    key: string,
    { phone, reason }: ChangeConsent,
    action: 'opt_out' | 'opt_in',
    work: (tx: Transaction<Tables>, now: Date) => Promise<{ readonly objectId: string; readonly answer: object }>,
  ): Promise<Answer> {
    const hash = erasedOptOuts.hashOf(recorder, phone).toString('hex');
    const path = `/v1/recipients/${action}`;
    const request = {
      tenant: recorder,
      key,
      method: 'POST',
      path,
      body: { phone: hash, reason: reason ?? null },
    } as const;
    let answer: object | undefined;
    const { body, replayed } = await once(db, request, async (tx) => {
      const done = await work(tx, await testClocks.nowWithin(tx, recorder));
      answer = done.answer;
      return {
        objectId: done.objectId,
        body: JSON.stringify({ ...answer, phone: '', ...('reason' in answer && { reason: null }) }),
      };
    });
    const stored = JSON.parse(body) as object;
    return { body: answer ?? { ...stored, phone, ...('reason' in stored && { reason: reason ?? null }) }, replayed };
  }

  return {
    optOut: (recorder, key, body) =>
      change(recorder, key, body, 'opt_out', async (tx, now) => {
        const { source, by } = recorder;
        await consents.optOut(tx, recorder, { ...body, source, said: body.reason, ...(by && { by }) }, now);
        const answer = presentOptOut(await readOptOut(tx, recorder, body.phone));
        return { objectId: answer.id, answer };
      }),
    optIn: (recorder, key, body) =>
      change(recorder, key, body, 'opt_in', async (tx, now) => {
        const { source, by, environment } = recorder;
        const consent = { ...body, source, said: body.reason, ...(by && { by }) };
        const isChanged = await consents.optIn(tx, recorder, consent, now);
        const opted_in_at = isChanged ? now.toISOString() : null;
        return {
          objectId: newId('con', now),
          answer: { object: 'recipient', phone: body.phone, opted_in_at, environment },
        };
      }),
  };
}

const HEADINGS = {
  phone: /^(?:mobile|cell)?[ _-]?(?:phone|number|telephone|tel|mobile|cell)/i,
  reason: /^(?:reason|note)/i,
};

/** Reads a file with a column of numbers, and perhaps one of reasons. Without headings, these are the first two columns. */
function readFile(text: string, country: string | null) {
  const lines = readCsv(text);
  const [first = []] = lines;
  const hasHeadings = first.every((cell) => readPhone(cell, country) === null);
  const find = (name: keyof typeof HEADINGS, otherwise: number): number =>
    hasHeadings ? first.findIndex((cell) => HEADINGS[name].test(cell)) : otherwise;
  const [phoneAt, reasonAt] = [find('phone', 0), find('reason', 1)];
  if (phoneAt === -1) throw invalid('text', 'has no column with the heading "phone"');
  return lines.slice(hasHeadings ? 1 : 0).map((cells, index) => ({
    line: index + (hasHeadings ? 2 : 1),
    given: cells[phoneAt] ?? '',
    phone: readPhone(cells[phoneAt] ?? '', country),
    reason: cells[reasonAt]?.replaceAll(/\p{Cc}+/gu, ' ').trim() || null,
  }));
}

/** Opts out every number of a file, all or none. Lines without a number are returned. */
export async function importOptOuts(
  { consents }: { readonly consents: Consents },
  tx: Transaction<Tables>,
  { tenant, by, country, text }: { tenant: Tenant; by?: string; country: string | null; text: string },
  now: Date,
): Promise<ConsentImport> {
  const lines = readFile(text, country);
  if (lines.length > CONSENT_IMPORT_MAX_LINES)
    throw invalid('text', `must have at most ${CONSENT_IMPORT_MAX_LINES} lines`);
  // In one order, so that two imports that share numbers cannot deadlock.
  const numbers = new Map(lines.flatMap(({ phone, reason }) => (phone === null ? [] : [[phone, reason] as const])));
  let added = 0;
  for (const [phone, said] of [...numbers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (await consents.optOut(tx, tenant, { phone, source: 'import', said, ...(by && { by }) }, now)) added += 1;
  }
  const problems = lines.filter(({ phone }) => phone === null).map(({ line, given }) => ({ line, given }));
  return { added, already: numbers.size - added, problems };
}
