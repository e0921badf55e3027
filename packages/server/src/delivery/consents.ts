import { CONSENT_IMPORT_MAX_LINES, type ConsentImport, type ConsentSource } from '@foreword/contract';
import { queryableOf } from '../db/pools.ts';
import type { Row, Tables, Tenant, Tx } from '../db/tenancy.ts';
import type { ErasedNumbers, NumberOfTenant } from '../intros/index.ts';
import { readCsv } from '../platform/csv.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { normalizePhone, readPhone } from '../platform/phone.ts';
import { hmac } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { UNDO_MS } from './queue/rules.ts';
import {
  appendConsent,
  changeOptOutSource,
  consentIdOf,
  deleteErasedOptOut,
  deleteOptOut,
  findOptedOut,
  findOptOut,
  holdOptOuts,
  insertOptOut,
  isOptedOutOtherwise,
  restoreOptOuts,
} from './store/consents.ts';
import { makeDeliveriesDue } from './store/queue.ts';

/** A recipient's decision about text messages, and how it was received. */
export interface Consent {
  readonly phone: string;
  readonly source: ConsentSource;
  /** The recipient's own words, or who reported the decision, and how. */
  readonly said?: string | null | undefined;
  /** The member or API key that recorded it. */
  readonly by?: string;
}

export interface ConsentEvent {
  readonly type: 'recipient.opted_out' | 'recipient.opted_in';
  readonly tenant: Tenant;
  readonly phone: string;
  readonly source: ConsentSource;
  readonly at: Date;
}

interface Deps {
  publish(tx: Tx, events: readonly ConsentEvent[], now: Date): Promise<void>;
  readonly erasedOptOuts: Pick<ErasedOptOuts, 'forget' | 'isOptedOutOtherwise'>;
}

/** Carriers block a number after STOP until it replies START. Texts to it would fail, whatever our ledger says. */
const UNDONE_BY_OTHERS: readonly ConsentSource[] = ['page', 'api', 'team', 'operator', 'import'];

const ALL: readonly ConsentSource[] = [...UNDONE_BY_OTHERS, 'text', 'carrier'];

export const canBeUndone = (source: ConsentSource): boolean => UNDONE_BY_OTHERS.includes(source);

const SAID_MAX_LENGTH = 1_000;

/** Appends to the log of consents. The audit log refers to the entry, which has the number and the words. */
export async function recordConsent(
  tx: Tx,
  tenant: Tenant,
  { phone, source, said, by }: Consent,
  kind: Row<'consents'>['kind'],
  now: Date,
  id = newId('con', now),
): Promise<void> {
  const by_member = by?.startsWith('mem_') === true ? by : null;
  const words = said?.slice(0, SAID_MAX_LENGTH) ?? null;
  await appendConsent(tx, tenant, { id, phone, kind, source, said: words, created_at: now, by_member });
  if (kind !== 'opt_out' && kind !== 'opt_in') return;
  const action = kind === 'opt_out' ? 'consent.withdrawn' : 'consent.restored';
  await recordChange(tx, tenant, { action, object: id, reason: source, ...(by !== undefined && { by }) });
}

/** A person can take back their own tap on the page, and nothing else: not a STOP, nor what was recorded before. */
export const canUndo = ({ source, at }: { readonly source: ConsentSource; readonly at: Date }, now: Date): boolean =>
  source === 'page' && now.getTime() - at.getTime() < UNDO_MS;

export type Consents = ReturnType<typeof createConsents>;

export function createConsents({ publish, erasedOptOuts }: Deps) {
  /** In the caller's transaction. False, and nothing is published, if the number had already opted out. */
  async function optOut(tx: Tx, tenant: Tenant, given: Consent, now: Date): Promise<boolean> {
    const { source } = given;
    const phone = normalizePhone(given.phone);
    const consent = { ...given, phone };
    const id = newId('opt', now);
    if (!(await insertOptOut(tx, tenant, { id, phone, source, opted_out_at: now }))) {
      if (canBeUndone(source)) return false;
      // A STOP after the button on the page: from now on, only START undoes it.
      if (await changeOptOutSource(tx, tenant, phone, { from: UNDONE_BY_OTHERS, to: source })) {
        await recordConsent(tx, tenant, consent, 'opt_out', now);
        return false;
      }
      // The row that prevented the insert is gone: the team undid it at this moment, before the STOP.
      const isGone = (await findOptOut(tx, tenant, phone)) === undefined;
      return isGone && optOut(tx, tenant, consent, now);
    }
    await recordConsent(tx, tenant, consent, 'opt_out', now, consentIdOf(id));
    await makeDeliveriesDue(tx, tenant, phone, source === 'page' ? new Date(now.getTime() + UNDO_MS) : now);
    await publish(tx, [{ type: 'recipient.opted_out', tenant, phone, source, at: now }], now);
    return true;
  }

  /**
   * In the caller's transaction. False if the number had not opted out. Throws if the person opted out by text, and someone
   * else allows texts again.
   */
  async function optIn(tx: Tx, tenant: Tenant, given: Consent, now: Date): Promise<boolean> {
    const { source } = given;
    const phone = normalizePhone(given.phone);
    const sources = source === 'text' ? ALL : UNDONE_BY_OTHERS;
    const isDeleted = await deleteOptOut(tx, tenant, phone, sources);
    const isForgotten = await erasedOptOuts.forget(tx, tenant, phone, sources);
    // A new intro may have brought it back between the two.
    const isChanged = isDeleted || isForgotten || (await deleteOptOut(tx, tenant, phone, sources));
    if (await erasedOptOuts.isOptedOutOtherwise(tx, tenant, phone, sources)) {
      throw new ApiError(
        'recipient_opted_out',
        'The recipient opted out by text. Only they can allow texts again, by replying START.',
      );
    }
    if (!isChanged) return false;
    await allow(tx, tenant, { ...given, phone }, now);
    return true;
  }

  async function allow(tx: Tx, tenant: Tenant, consent: Consent, now: Date): Promise<void> {
    const { phone, source } = consent;
    await recordConsent(tx, tenant, consent, 'opt_in', now);
    await publish(tx, [{ type: 'recipient.opted_in', tenant, phone, source, at: now }], now);
  }

  /** In the caller's transaction. False if there is no opt-out that `canUndo`. */
  async function undoOptOut(tx: Tx, tenant: Tenant, given: string, now: Date): Promise<boolean> {
    const phone = normalizePhone(given);
    const since = new Date(now.getTime() - UNDO_MS);
    if (!(await deleteOptOut(tx, tenant, phone, ['page'], since))) return false;
    await allow(tx, tenant, { phone, source: 'page' }, now);
    return true;
  }

  return { optOut, optIn, undoOptOut };
}

/**
 * Opt-outs of people whose data was erased. The database has a keyed hash of the number, so it cannot be guessed from a copy
 * of the database. When the number appears in a new event or intro, or in a correction, the opt-out applies again.
 */
export function createErasedOptOuts(serverKey: ServerKey) {
  const key = serverKey.derive('opt-out of an erased number');
  /** Differs between organizations, so that their hashes cannot be compared. */
  const hashOf = ({ organizationId, environment }: Tenant, phone: string): Buffer =>
    hmac(key, `${organizationId} ${environment} ${phone}`);
  const withHashes = (numbers: readonly NumberOfTenant[]) =>
    numbers.map((number) => ({ ...number, hash: hashOf(number.tenant, number.phone) }));
  const numbers: ErasedNumbers = {
    findOptedOut: (client, given) => findOptedOut(client, withHashes(given)),
    async restoreForNew(within, given) {
      const tx = queryableOf<Tables>(within);
      await holdOptOuts(tx, given);
      // A new statement, which sees what an erasure committed while this transaction waited for it.
      await restoreOptOuts(tx, withHashes(given));
    },
  };
  return {
    ...numbers,
    hashOf,
    /** Whether the number has opted out in a way other than these, before or after an erasure. */
    isOptedOutOtherwise: (tx: Tx, tenant: Tenant, phone: string, sources: readonly ConsentSource[]) =>
      isOptedOutOtherwise(tx, { tenant, phone, hash: hashOf(tenant, phone) }, sources),
    /** The person allows texts again. False if the number had not opted out in one of these ways. */
    forget: (tx: Tx, tenant: Tenant, phone: string, sources: readonly ConsentSource[]) =>
      deleteErasedOptOut(tx, tenant, hashOf(tenant, phone), sources),
  };
}

export type ErasedOptOuts = ReturnType<typeof createErasedOptOuts>;

const HEADINGS = {
  phone: /^(?:mobile|cell)?[ _-]?(?:phone|number|telephone|tel|mobile|cell)/i,
  reason: /^(?:reason|note)/i,
};

/** Reads a file with a column of numbers, and perhaps one of reasons. Without headings, these are the first two columns. */
async function readFile(text: string, country: string | null) {
  // The first comma, semicolon or tab outside quotation marks.
  const [, delimiter = ','] = /^(?:"[^"]*"|[^",;\t])*([,;\t])/.exec(text) ?? [];
  const lines = await readCsv(text, { delimiter, maxLines: CONSENT_IMPORT_MAX_LINES + 2 });
  const first = lines[0]?.record ?? [];
  const hasHeadings = first.every((cell) => readPhone(cell, country) === null);
  const find = (name: keyof typeof HEADINGS, otherwise: number): number =>
    hasHeadings ? first.findIndex((cell) => HEADINGS[name].test(cell)) : otherwise;
  const [phoneAt, reasonAt] = [find('phone', 0), find('reason', 1)];
  if (phoneAt === -1) throw invalid('text', 'has no column with the heading "phone"');
  return lines.slice(hasHeadings ? 1 : 0).map(({ record: cells, info }) => ({
    line: info.lines,
    given: cells[phoneAt] ?? '',
    phone: readPhone(cells[phoneAt] ?? '', country),
    reason: cells[reasonAt]?.replaceAll(/\p{Cc}+/gu, ' ').trim() || null,
  }));
}

/** Opts out every number of a file, all or none. Lines without a number are returned. */
export async function importOptOuts(
  { consents }: { readonly consents: Consents },
  tx: Tx,
  { tenant, by, country, text }: { tenant: Tenant; by?: string; country: string | null; text: string },
  now: Date,
): Promise<ConsentImport> {
  const lines = await readFile(text, country);
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
