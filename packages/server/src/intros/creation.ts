import type { CreateIntro } from '@foreword/contract';
import type pg from 'pg';
import { conflict, createKeyedBatch, FIND_BOUND_KEY, type Keyed, type KeyedBatch } from '../idempotency/index.ts';
import { explainMismatch, RESOLVE_MEMBER, toSelector } from '../members/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction } from '../platform/db.ts';
import type { ApiError } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Answer } from '../platform/operations.ts';
import type { Tables } from '../tables.ts';
import { draftFromRequest, toRow } from './drafts.ts';
import { presentIntro } from './present.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { insertKeyedIntros, type KeyedIntro, type MemberNames } from './store.ts';

type Creation = Keyed<CreateIntro>;

interface Findings {
  readonly bound_fingerprint: Buffer | null;
  readonly bound_response: string | null;
  readonly member_ids: string[] | null;
  readonly member_external_id: string | null;
  readonly member_first_name: string | null;
  readonly member_last_name: string | null;
  readonly recipient_opted_out: boolean;
  readonly is_told: boolean;
}

const LOOK_UP = {
  name: 'look up for intros',
  text: `
select k.fingerprint as bound_fingerprint, k.response as bound_response, m.ids as member_ids,
  who.external_id as member_external_id, who.first_name as member_first_name, who.last_name as member_last_name,
  exists (
    select from opt_outs
    where organization_id = i.organization_id and environment = i.environment and phone = i.phone offset 0
  ) as recipient_opted_out,
  exists (select from webhook_endpoints where organization_id = i.organization_id and active offset 0) as is_told
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
  as i(organization_id, environment, key, member_id, member_external_id, member_email, phone, n)
${FIND_BOUND_KEY}
${RESOLVE_MEMBER}
left join lateral (
  select external_id, first_name, last_name from members
  where organization_id = i.organization_id and id = m.ids[1] offset 0
) who on true
order by i.n`,
};

async function lookUp(pool: pg.Pool, items: Creation[]): Promise<Findings[]> {
  const selectors = items.map(({ body }) => toSelector(body.member));
  const { rows } = await pool.query<Findings>({
    ...LOOK_UP,
    values: [
      items.map(({ tenant }) => tenant.organizationId),
      items.map(({ tenant }) => tenant.environment),
      items.map(({ key }) => key),
      selectors.map(({ id }) => id),
      selectors.map(({ externalId }) => externalId),
      selectors.map(({ email }) => email),
      items.map(({ body }) => body.recipient.phone),
    ],
  });
  return rows;
}

const JUST_MADE = {
  version: 1,
  recorded_at: null,
  sent_at: null,
  opened_at: null,
  watched_at: null,
  cancelled_at: null,
  recording_id: null,
  watched_percent: 0,
  delivery_error_code: null,
  delivery_error_message: null,
};

const noPage = (): never => {
  throw new Error('an intro that was just made has nothing to watch');
};

/** The earlier answer, the refusal, or the intro to write. */
function judge(item: Creation, found: Findings, now: Date): Answer | ApiError | KeyedIntro {
  if (found.bound_fingerprint !== null) {
    if (!found.bound_fingerprint.equals(item.fingerprint) || found.bound_response === null) return conflict();
    return { body: found.bound_response, replayed: true };
  }
  const ids = found.member_ids ?? [];
  const mismatch = explainMismatch(item.body.member, ids.length);
  const [memberId] = ids;
  if (mismatch !== null || memberId === undefined) return mismatch ?? conflict();
  const row = toRow(item.tenant, draftFromRequest(item.body, memberId), now);
  const intro = presentIntro(
    { ...row, ...JUST_MADE, ...(found as MemberNames), recipient_opted_out: found.recipient_opted_out },
    noPage,
  );
  return { key: item.key, fingerprint: item.fingerprint, response: JSON.stringify(intro), row };
}

const isToWrite = (verdict: Answer | ApiError | KeyedIntro): verdict is KeyedIntro => 'row' in verdict;

/** Where somebody wants to hear of it, what was made is told in the same transaction; elsewhere one statement does. */
async function write(
  { db, introEvents }: CreatorDeps,
  intros: KeyedIntro[],
  now: Date,
  isTold: boolean,
): Promise<Set<string>> {
  if (intros.length === 0) return new Set();
  if (!isTold) return insertKeyedIntros(db.pool, intros);
  return inTransaction(db.pool, async (client) => {
    const written = await insertKeyedIntros(client, intros);
    const steps = intros
      .filter(({ row }) => written.has(row.id))
      .map(
        ({ row: { organization_id: organizationId, environment, id: introId } }): IntroEvent => ({
          tenant: { organizationId, environment },
          introId,
          type: 'intro.requested',
        }),
      );
    await introEvents.publish(client, steps, now);
    return written;
  });
}

async function flush(deps: CreatorDeps, items: Creation[]): Promise<(Answer | ApiError | null)[]> {
  const findings = await lookUp(deps.db.pool, items);
  const now = deps.clock();
  const verdicts = items.map((item, i) => judge(item, findings[i] as Findings, now));
  const isTold = findings.some(({ is_told }) => is_told);
  const written = await write(deps, verdicts.filter(isToWrite), now, isTold);
  return verdicts.map((verdict) => {
    if (!isToWrite(verdict)) return verdict;
    // Another request took the key in between; on its next turn this one finds what that made.
    return written.has(verdict.row.id) ? { body: verdict.response } : null;
  });
}

export type IntroCreator = KeyedBatch<CreateIntro>;

interface CreatorDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly introEvents: IntroEvents;
}

export function createIntroCreator(deps: CreatorDeps): IntroCreator {
  const { metrics } = deps;
  return createKeyedBatch({ name: 'intros', path: '/v1/intros', metrics, flush: (items) => flush(deps, items) });
}
