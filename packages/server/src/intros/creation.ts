import type { CreateIntro } from '@foreword/contract';
import type pg from 'pg';
import { conflict, createKeyedBatch, type Keyed, type KeyedBatch, responseRemoved } from '../idempotency/index.ts';
import type { Links } from '../links/index.ts';
import { explainMismatch } from '../members/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction } from '../platform/db.ts';
import type { ApiError } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Answer } from '../platform/operations.ts';
import type { Tables, Tenant } from '../tables.ts';
import { onTestClock } from '../test-clock/index.ts';
import type { Traces } from '../traces/index.ts';
import { draftFromRequest, toRow } from './drafts.ts';
import { presentIntro } from './present.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { type CreationLookup, insertKeyedIntros, type KeyedIntro, lookUpForCreation } from './store/creation.ts';
import { findIntro, type MemberNames } from './store.ts';

type Creation = Keyed<CreateIntro>;

/** The columns with a default, as a new intro has them. */
const DEFAULTS = {
  version: 1,
  recorded_at: null,
  sent_at: null,
  opened_at: null,
  watched_at: null,
  cancelled_at: null,
  taken_down_at: null,
  likeness_withdrawn_at: null,
  erased_at: null,
  recording_id: null,
  link_host: null,
  organization_name: null,
  video_duration_ms: null,
  pages_replaced_at: null,
  member_withdrawn_at: null,
  watched_percent: 0,
  delivery_error_code: null,
  delivery_error_message: null,
  text_due_at: null,
  text_held_for: null,
  text_held_until: null,
  text_attempts: null,
  text_in_doubt: null,
  decline_reason: null,
  decline_message: null,
  declined_at: null,
  reply_type: null,
  reply_by_text: null,
  reply_label: null,
  reply_message: null,
  replied_at: null,
  member_notified_at: null,
  notification_error_code: null,
  notification_error_message: null,
};

const noPage = (): never => {
  throw new Error('a new intro has no recipient page');
};

/** A repeated request whose stored response was removed. */
interface Restoration {
  readonly boundId: string;
}

type Decision = Answer | ApiError | KeyedIntro | Restoration;

const hasOptedOut = ({ recipient_opted_out, erased_opted_out }: CreationLookup): boolean =>
  recipient_opted_out || erased_opted_out;

const unreachableHint = ({ member_unreachable: isUnreachable }: CreationLookup): string | undefined =>
  isUnreachable
    ? 'The member has no phone number, and emails to them bounce: correct the member, or they will not learn of this intro.'
    : undefined;

/** The response of the earlier request with the same key, an error, or the intro to insert. */
function decide(item: Creation, found: CreationLookup, now: Date): Decision {
  const { bound_fingerprint: fingerprint, bound_id: boundId, bound_response: response } = found;
  if (fingerprint !== null) {
    if (!fingerprint.equals(item.fingerprint) || boundId === null) return conflict(boundId);
    return response === null ? { boundId } : { body: response, replayed: true };
  }
  const ids = found.member_ids ?? [];
  const mismatch = explainMismatch(item.body.member, ids.length);
  const [memberId] = ids;
  if (mismatch !== null || memberId === undefined) return mismatch ?? conflict(found.bound_id);
  const draft = draftFromRequest(item.body, { memberId, organizationLanguage: found.organization_language });
  const row = toRow(item.tenant, draft, onTestClock(now, found.clock_offset_s));
  const intro = presentIntro(
    {
      ...row,
      ...DEFAULTS,
      ...(found as MemberNames),
      recipient_opted_out: hasOptedOut(found),
    },
    noPage,
  );
  return { key: item.key, fingerprint: item.fingerprint, response: JSON.stringify(intro), row };
}

const isToInsert = (decision: Decision): decision is KeyedIntro => 'row' in decision;

/** The intro as it is now. */
async function restore({ db, links }: CreatorDeps, tenant: Tenant, id: string): Promise<Answer | ApiError> {
  const row = await findIntro(db.kysely, tenant, id);
  return row === null
    ? responseRemoved(id)
    : { body: JSON.stringify(presentIntro(row, links.pageUrl)), replayed: true };
}

/** A single statement is enough unless the batch has webhooks, whose events commit with the intros, or opt-outs. */
async function insert(
  { db, introEvents, erasedOptOuts }: CreatorDeps,
  intros: (KeyedIntro & { found: CreationLookup })[],
  now: Date,
): Promise<Set<string>> {
  if (intros.length === 0) return new Set();
  const hasWebhooks = intros.some(({ found }) => found.has_webhooks);
  if (!hasWebhooks && !intros.some(({ found }) => hasOptedOut(found))) return insertKeyedIntros(db.pool, intros);
  return inTransaction(db.pool, async (client) => {
    const inserted = await insertKeyedIntros(client, intros);
    await restoreOptOuts(
      erasedOptOuts,
      client,
      intros.filter(({ row, found }) => inserted.has(row.id) && hasOptedOut(found)),
    );
    if (!hasWebhooks) return inserted;
    const events = intros
      .filter(({ row }) => inserted.has(row.id))
      .map(
        ({ row: { organization_id: organizationId, environment, id: introId, created_at: at } }): IntroEvent => ({
          tenant: { organizationId, environment },
          introId,
          type: 'intro.requested',
          at,
        }),
      );
    await introEvents.publish(client, events, now);
    return inserted;
  });
}

/**
 * The opt-out of an erased number applies again once an intro for the number exists, not by a replay or a refused request. An
 * opt-out that was found in the ledger may have become one of an erased number since.
 */
async function restoreOptOuts(
  erasedOptOuts: ErasedNumbers,
  client: pg.ClientBase,
  intros: readonly KeyedIntro[],
): Promise<void> {
  if (intros.length === 0) return;
  await erasedOptOuts.restoreForNew(
    client,
    intros.map(({ row: { organization_id: organizationId, environment, recipient_phone: phone } }) => ({
      tenant: { organizationId, environment },
      phone,
    })),
  );
}

async function flush(deps: CreatorDeps, items: Creation[]): Promise<(Answer | ApiError | null)[]> {
  const lookups = await lookUpForCreation(deps.db.pool, items, deps.erasedOptOuts.hashOf);
  const now = deps.clock();
  const decisions = items.map((item, i) => decide(item, lookups[i] as CreationLookup, now));
  const intros = decisions.flatMap((decision, i) =>
    isToInsert(decision) ? [{ ...decision, found: lookups[i] as CreationLookup }] : [],
  );
  // Before the intros exist, because a worker may send their first text at once.
  await deps.traces.remember(
    deps.db.pool,
    decisions.flatMap((decision, i) =>
      isToInsert(decision)
        ? [{ tenant: (items[i] as Creation).tenant, id: decision.row.id, span: items[i]?.span }]
        : [],
    ),
  );
  const inserted = await insert(deps, intros, now);
  return Promise.all(
    decisions.map((decision, i) => {
      if ('boundId' in decision) return restore(deps, (items[i] as Creation).tenant, decision.boundId);
      if (!isToInsert(decision)) return decision;
      // Null: a concurrent request bound the key first. The retry finds its response.
      if (!inserted.has(decision.row.id)) return null;
      return { body: decision.response, hint: unreachableHint(lookups[i] as CreationLookup) };
    }),
  );
}

export type IntroCreator = KeyedBatch<CreateIntro>;

/** Opt-outs of numbers whose data was erased; delivery has them. */
export interface ErasedNumbers {
  hashOf(tenant: Tenant, phone: string): Buffer;
  restore(
    client: pg.ClientBase,
    numbers: readonly { readonly tenant: Tenant; readonly phone: string }[],
  ): Promise<number[]>;
  restoreForNew(
    client: pg.ClientBase,
    numbers: readonly { readonly tenant: Tenant; readonly phone: string }[],
  ): Promise<void>;
}

interface CreatorDeps {
  readonly db: Database<Tables>;
  readonly erasedOptOuts: ErasedNumbers;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly introEvents: IntroEvents;
  readonly links: Links;
}

export function createIntroCreator(deps: CreatorDeps): IntroCreator {
  const { metrics, traces } = deps;
  return createKeyedBatch({
    name: 'intros',
    path: '/v1/intros',
    metrics,
    traces,
    flush: (items) => flush(deps, items),
  });
}
