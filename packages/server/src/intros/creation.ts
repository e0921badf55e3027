import type { CreateIntro } from '@foreword/contract';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Services } from '../app/services.ts';
import { inTransaction } from '../db/pools.ts';
import { acrossTenants, type Tenant, type Tx, tenantOf } from '../db/tenancy.ts';
import {
  type Answer,
  conflict,
  createKeyedBatch,
  type Keyed,
  type KeyedBatch,
  responseRemoved,
} from '../http/idempotency/index.ts';
import { explainMismatch } from '../members/index.ts';
import type { ApiError } from '../platform/errors.ts';
import type { Span } from '../platform/tracing.ts';
import { onTestClock } from '../testing/clock/index.ts';
import type { AnyTransaction, DomainEvent, ReadObjects } from '../webhooks/index.ts';
import { type CreationContext, decideIntro, type Failure, isFailure, type NewIntroRow, toDirect } from './decision.ts';
import { NEW_INTRO } from './fields.ts';
import { type IntroEvents, presentIntro, toStored } from './present.ts';
import { type KeyedContext, type KeyToBind, lookUpForCreation, writeIntros } from './store/creation.ts';
import { findIntro } from './store.ts';

export interface NumberOfTenant {
  readonly tenant: Tenant;
  readonly phone: string;
}

/** Opt-outs of numbers whose data was erased; delivery has them. */
export interface ErasedNumbers {
  /** The positions of the numbers that have opted out, before or after an erasure. */
  findOptedOut(client: Pick<pg.ClientBase, 'query'>, numbers: readonly NumberOfTenant[]): Promise<number[]>;
  /**
   * For intros that get these numbers in this transaction: an erasure of the numbers either ends before, or includes them. From now on,
   * the usual checks find the opt-outs.
   */
  restoreForNew(within: AnyTransaction, numbers: readonly NumberOfTenant[]): Promise<void>;
}

const numberOf = (found: CreationContext): NumberOfTenant => ({ tenant: tenantOf(found), phone: found.phone });

/** Completes contexts with the opt-outs of erased numbers. */
export async function withErasedOptOuts<Found extends CreationContext>(
  erasedOptOuts: Pick<ErasedNumbers, 'findOptedOut'>,
  client: Pick<pg.ClientBase, 'query'>,
  all: readonly Found[],
): Promise<readonly Found[]> {
  const possible = all.filter((found) => found.has_erased_opt_outs && !found.recipient_opted_out);
  if (possible.length === 0) return all;
  const positions = await erasedOptOuts.findOptedOut(client, possible.map(numberOf));
  const optedOut = new Set(positions.map((at) => possible[at]));
  return all.map((found) => (optedOut.has(found) ? { ...found, recipient_opted_out: true } : found));
}

/** An intro that was just inserted. */
export interface CreatedIntro {
  readonly row: NewIntroRow;
  readonly isOptedOut: boolean;
  readonly isOnTestClock: boolean;
}

/** Notifies the members of intros in the transaction that creates them. */
export type NotifyMembers = (tx: Tx, created: readonly CreatedIntro[], now: Date) => Promise<void>;

/** Delivery notifies members. */
export interface Notifier {
  /** How many intros to create in one transaction, so that all messages about them can be sent right after it. */
  capacity(): Promise<number>;
  /** Runs a transaction that creates intros of these organizations. The messages that it claimed are sent after it. */
  whileCreating<Result>(
    tenants: readonly Tenant[],
    create: (notify: NotifyMembers) => Promise<Result>,
  ): Promise<Result>;
}

/** A request with the decision about it. */
export interface Decided {
  readonly found: CreationContext;
  /** On the clock of its organization. */
  readonly at: Date;
  readonly outcome: NewIntroRow | Failure;
  /** The event that it settles. */
  readonly event?: { readonly id: string; readonly read: ReadObjects };
  /** The key that it binds. */
  readonly key?: KeyToBind;
  /** Its intro continues this trace. */
  readonly span: Span | undefined;
}

interface EngineDeps extends Pick<Services, 'traces'> {
  readonly introEvents: IntroEvents;
  readonly erasedOptOuts: Pick<ErasedNumbers, 'restoreForNew'>;
}

/** Returns what was written: another request had bound the keys of the others. */
async function write(
  { traces }: EngineDeps,
  client: Pick<pg.ClientBase, 'query'>,
  all: readonly Decided[],
  now: Date,
  queues = true,
): Promise<readonly Decided[]> {
  const intros = all.flatMap(({ outcome, found, key, span }) =>
    isFailure(outcome) ? [] : [{ tenant: tenantOf(found), id: outcome.id, row: outcome, key, span }],
  );
  const failures = all.flatMap(({ outcome, found: { organization_id }, event }) =>
    isFailure(outcome) && event !== undefined ? [{ organization_id, event_id: event.id, ...outcome }] : [],
  );
  // Before the intros exist, because a worker may notify their members at once.
  await traces.remember(client, intros);
  const inserted = await writeIntros(client, intros, failures, now, { queues });
  return all.filter(({ outcome }) => isFailure(outcome) || inserted.has(outcome.id));
}

function toDomainEvents(introEvents: IntroEvents, { found, at, outcome, event }: Decided): DomainEvent[] {
  const tenant = tenantOf(found);
  const settled = event === undefined ? [] : [{ ...event, tenant, at }];
  if (isFailure(outcome)) return settled.map((one) => ({ ...one, type: 'touchpoint_event.failed' }));
  return [
    ...settled.map((one): DomainEvent => ({ ...one, type: 'touchpoint_event.processed' })),
    introEvents.toDomainEvent({ tenant, introId: outcome.id, type: 'intro.requested', at }),
  ];
}

/** Writes intros with everything that commits together with them. Without `notify`, the members' notifications are queued. */
export async function createIntros(
  deps: EngineDeps,
  client: pg.ClientBase,
  all: readonly Decided[],
  now: Date,
  notify?: (created: readonly CreatedIntro[]) => Promise<void>,
): Promise<readonly Decided[]> {
  const written = await write(deps, client, all, now, notify === undefined);
  // The opt-out of an erased number applies again once the number is back, not by a replay or a refused request. One that was found
  // among the others may have become one of an erased number since.
  const optedOut = written.filter(({ found }) => found.recipient_opted_out);
  if (optedOut.length > 0) {
    await deps.erasedOptOuts.restoreForNew(
      client,
      optedOut.map(({ found }) => numberOf(found)),
    );
  }
  const published = written.filter(({ found }) => found.has_webhooks);
  await deps.introEvents.publishAll(
    client,
    published.flatMap((one) => toDomainEvents(deps.introEvents, one)),
    now,
  );
  await notify?.(
    written.flatMap(({ outcome, found: { recipient_opted_out: isOptedOut, clock_offset_s: offset } }) =>
      isFailure(outcome) ? [] : [{ row: outcome, isOptedOut, isOnTestClock: offset !== null }],
    ),
  );
  return written;
}

type Creation = Keyed<CreateIntro>;

interface CreatorDeps extends EngineDeps, Pick<Services, 'db' | 'clock' | 'links'> {
  readonly erasedOptOuts: ErasedNumbers;
}

/** A repeated request whose stored response was removed. */
interface Restoration {
  readonly boundId: string;
}

interface DecidedRequest extends Decided {
  readonly found: KeyedContext;
  readonly key: KeyToBind;
}

/** The response of the earlier request with the same key, an error, or the intro to insert. */
function decide(
  { body, key, fingerprint, span }: Creation,
  found: KeyedContext,
  now: Date,
): Answer | ApiError | Restoration | DecidedRequest {
  const { bound_fingerprint: bound, bound_id: boundId, bound_response: response } = found;
  if (bound !== null) {
    if (!bound.equals(fingerprint) || boundId === null) return conflict(boundId);
    return response === null ? { boundId } : { body: response, replayed: true };
  }
  const mismatch = explainMismatch(body.member, found.members);
  if (mismatch !== null) return mismatch;
  const at = onTestClock(now, found.clock_offset_s);
  const outcome = decideIntro(toDirect(found, body), at);
  const intro = toStored({ ...NEW_INTRO, ...found, ...outcome });
  return { found, at, outcome, key: { key, fingerprint, response: JSON.stringify(intro) }, span };
}

/** The intro as it is now. */
async function restore({ db, links }: CreatorDeps, tenant: Tenant, id: string): Promise<Answer | ApiError> {
  const row = await findIntro(db.kysely, tenant, id);
  return row === null
    ? responseRemoved(id)
    : { body: JSON.stringify(presentIntro(row, links.pageUrl)), replayed: true };
}

const unreachableHint = ({ member_unreachable: isUnreachable }: KeyedContext): string | undefined =>
  isUnreachable
    ? 'The member has no phone number, and emails to them bounce: correct the member, or they will not learn of this intro.'
    : undefined;

async function flush(deps: CreatorDeps, items: Creation[]): Promise<(Answer | ApiError | null)[]> {
  const { db, clock, erasedOptOuts } = deps;
  const found = await withErasedOptOuts(erasedOptOuts, db.pool, await lookUpForCreation(db.pool, items));
  const now = clock();
  const decisions = items.map((item, i) => decide(item, found[i] as KeyedContext, now));
  const decided = decisions.filter((decision) => 'outcome' in decision);
  // A single statement is enough unless something else commits with the intros.
  const isPlain = decided.every(
    ({ found: { has_webhooks, recipient_opted_out } }) => !has_webhooks && !recipient_opted_out,
  );
  const written = new Set<object>(
    decided.length === 0
      ? []
      : isPlain
        ? await write(deps, db.pool, decided, now)
        : await inTransaction(db.pool, (client) => createIntros(deps, client, decided, now)),
  );
  return Promise.all(
    decisions.map((decision, i) => {
      if ('boundId' in decision) return restore(deps, (items[i] as Creation).tenant, decision.boundId);
      if (!('outcome' in decision)) return decision;
      // Null: a concurrent request bound the key first. The retry finds its response.
      return written.has(decision) ? { body: decision.key.response, hint: unreachableHint(decision.found) } : null;
    }),
  );
}

/** The connection of a transaction of Kysely. Publishing puts Kysely on it again, which passes a text and its values. */
export const clientOf = (tx: Tx): pg.ClientBase =>
  ({
    query: (text: string, values: unknown[] = []) => acrossTenants(tx).executeQuery(CompiledQuery.raw(text, values)),
  }) as unknown as pg.ClientBase;

/** An import may add thousands of members. One statement for all of them would block others for long. */
const INTROS_AT_ONCE = 500;

/** Without a key: the transaction makes sure that it runs once. */
async function createWithin(deps: CreatorDeps, tx: Tx, tenant: Tenant, bodies: readonly CreateIntro[]): Promise<void> {
  const client = clientOf(tx);
  const now = deps.clock();
  for (let at = 0; at < bodies.length; at += INTROS_AT_ONCE) {
    const part = bodies.slice(at, at + INTROS_AT_ONCE).map((body) => ({ tenant, body, key: Buffer.alloc(0) }));
    const found = await lookUpForCreation(client, part);
    const decided = found.map((one, i): Decided => {
      const { body } = part[i] as (typeof part)[number];
      const mismatch = explainMismatch(body.member, one.members);
      if (mismatch !== null) throw mismatch;
      const time = onTestClock(now, one.clock_offset_s);
      return { found: one, at: time, outcome: decideIntro(toDirect(one, body), time), span: undefined };
    });
    await createIntros(deps, client, decided, now);
  }
}

export interface IntroCreator extends KeyedBatch<CreateIntro> {
  /** Creates intros in the transaction of what they belong to. */
  createWithin(tx: Tx, tenant: Tenant, bodies: readonly CreateIntro[]): Promise<void>;
}

export function createIntroCreator(deps: CreatorDeps): IntroCreator {
  const batch = createKeyedBatch<CreateIntro>({
    name: 'intros',
    path: '/v1/intros',
    traces: deps.traces,
    flush: (items) => flush(deps, items),
  });
  // Its getter reads the batch.
  return Object.assign(batch, {
    createWithin: (tx: Tx, tenant: Tenant, bodies: readonly CreateIntro[]) => createWithin(deps, tx, tenant, bodies),
  });
}
