import type { CreateIntro } from '@foreword/contract';
import { conflict, createKeyedBatch, type Keyed, type KeyedBatch } from '../idempotency/index.ts';
import { explainMismatch } from '../members/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction } from '../platform/db.ts';
import type { ApiError } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Answer } from '../platform/operations.ts';
import type { Tables } from '../tables.ts';
import { onTestClock } from '../test-clock/index.ts';
import { draftFromRequest, toRow } from './drafts.ts';
import { presentIntro } from './present.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { type CreationLookup, insertKeyedIntros, type KeyedIntro, lookUpForCreation } from './store/creation.ts';
import type { MemberNames } from './store.ts';

type Creation = Keyed<CreateIntro>;

/** The columns with a default, as a new intro has them. */
const DEFAULTS = {
  version: 1,
  recorded_at: null,
  sent_at: null,
  opened_at: null,
  watched_at: null,
  cancelled_at: null,
  recording_id: null,
  organization_name: null,
  video_duration_ms: null,
  pages_replaced_at: null,
  watched_percent: 0,
  delivery_error_code: null,
  delivery_error_message: null,
  text_due_at: null,
  text_held_for: null,
  text_held_until: null,
  text_attempts: null,
  text_in_doubt: null,
};

const noPage = (): never => {
  throw new Error('a new intro has no recipient page');
};

/** The response of the earlier request with the same key, an error, or the intro to insert. */
function decide(item: Creation, found: CreationLookup, now: Date): Answer | ApiError | KeyedIntro {
  if (found.bound_fingerprint !== null) {
    if (!found.bound_fingerprint.equals(item.fingerprint) || found.bound_response === null)
      return conflict(found.bound_id);
    return { body: found.bound_response, replayed: true };
  }
  const ids = found.member_ids ?? [];
  const mismatch = explainMismatch(item.body.member, ids.length);
  const [memberId] = ids;
  if (mismatch !== null || memberId === undefined) return mismatch ?? conflict(found.bound_id);
  const row = toRow(item.tenant, draftFromRequest(item.body, memberId), onTestClock(now, found.clock_offset_s));
  const intro = presentIntro(
    { ...row, ...DEFAULTS, ...(found as MemberNames), recipient_opted_out: found.recipient_opted_out },
    noPage,
  );
  return { key: item.key, fingerprint: item.fingerprint, response: JSON.stringify(intro), row };
}

const isToInsert = (decision: Answer | ApiError | KeyedIntro): decision is KeyedIntro => 'row' in decision;

/** Without webhooks in the batch, a single statement is enough; with them, the events commit in the same transaction. */
async function insert(
  { db, introEvents }: CreatorDeps,
  intros: KeyedIntro[],
  now: Date,
  hasWebhooks: boolean,
): Promise<Set<string>> {
  if (intros.length === 0) return new Set();
  if (!hasWebhooks) return insertKeyedIntros(db.pool, intros);
  return inTransaction(db.pool, async (client) => {
    const inserted = await insertKeyedIntros(client, intros);
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

async function flush(deps: CreatorDeps, items: Creation[]): Promise<(Answer | ApiError | null)[]> {
  const lookups = await lookUpForCreation(deps.db.pool, items);
  const now = deps.clock();
  const decisions = items.map((item, i) => decide(item, lookups[i] as CreationLookup, now));
  const hasWebhooks = lookups.some(({ has_webhooks }) => has_webhooks);
  const inserted = await insert(deps, decisions.filter(isToInsert), now, hasWebhooks);
  return decisions.map((decision) => {
    if (!isToInsert(decision)) return decision;
    // Null: a concurrent request bound the key first. The retry finds its response.
    return inserted.has(decision.row.id) ? { body: decision.response } : null;
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
