import { ERASED_KINDS, ERASURE_MAX_INTROS, type RecipientErasure } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Database, type Db, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import type { ErasedOptOuts } from '../../delivery/index.ts';
import { replaceResponse } from '../../http/idempotency/index.ts';
import type { Handlers } from '../../http/index.ts';
import { readEventObjects } from '../../intros/events/index.ts';
import type { IntroEvents } from '../../intros/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import { pick } from '../../platform/json.ts';
import { isDenied } from '../../platform/objects/index.ts';
import { type Seal, sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { prefixOf } from '../../recordings/index.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import type { ContentSeal } from '../../webhooks/index.ts';
import { recordChange } from '../audit/index.ts';
import {
  type Change,
  changePayload,
  changeResponse,
  correctNumber,
  erase,
  FIRST_STEP,
  maskedPattern,
  phoneInPayload,
  stepAfter,
  TAKE_ABANDONED_AFTER_MS,
} from './rules.ts';
import {
  clearColumns,
  correctEvents,
  discardTakes,
  eraseAnswers,
  eraseDeliveryErrors,
  eraseMessages,
  eraseRejectedRequests,
  eraseSummaries,
  eraseTeamEmails,
  eraseTextsTo,
  isInFlight,
  listConsentWebhooks,
  listErasedAfter,
  listTakes,
  listWebhooks,
  lockResponses,
  markTakesDeleted,
  replacePayload,
  type StoredMessage,
} from './store/contents.ts';
import {
  advance,
  complete,
  type Erasing,
  type ErasureRow,
  eraseEvents,
  eraseIntros,
  eraseNumber,
  findErasure,
  insertErasure,
  listDue,
  listIntroIds,
  listNewest,
  lockErasure,
  lockOptOut,
  lockWaitingEvents,
  postpone,
  repeatPass,
  startSecondPass,
} from './store/erasures.ts';

function presentErasure(row: ErasureRow, introIds: readonly string[]): RecipientErasure {
  return {
    id: row.id,
    object: 'recipient_erasure',
    status: row.status,
    intros: [...introIds],
    removed: Object.fromEntries(
      ERASED_KINDS.map((kind) => [kind, row.removed[kind] ?? 0]),
    ) as RecipientErasure['removed'],
    ...pick(row, 'opt_out_kept', 'environment', 'created_at', 'completed_at'),
  };
}

/** Encrypts the number for as long as the erasure takes. */
const createNumberSeal = (serverKey: ServerKey): Seal => sealWith(serverKey, 'number of an erasure');

const placeOf = (tenant: Tenant, id: string): string => `number ${tenant.organizationId}/${id}`;

interface ErasureDeps {
  readonly serverKey: ServerKey;
  readonly introEvents: IntroEvents;
  readonly erasedOptOuts: ErasedOptOuts;
}

async function retrieveErasure(db: Db, tenant: Tenant, id: string): Promise<RecipientErasure> {
  const row = ID_PATTERN.test(id) ? await findErasure(db, tenant, id) : null;
  if (row === null) throw new ApiError('not_found', 'No erasure with this id in this organization and environment.');
  return presentErasure(row, await listIntroIds(db, tenant, id, ERASURE_MAX_INTROS));
}

/** The newest erasures, without their intros. */
export async function listErasures(
  db: Db,
  tenant: Tenant,
  limit: number,
): Promise<readonly Omit<RecipientErasure, 'intros'>[]> {
  const rows = await listNewest(db, tenant, limit);
  return rows.map((row) => {
    const { intros: _, ...receipt } = presentErasure(row, []);
    return receipt;
  });
}

/**
 * Accepts a request: one transaction erases the intros and events themselves, so that from its commit on nothing is sent or
 * shown. The worker erases what was derived from them. An event that commits later is new data.
 */
async function eraseRecipient(
  { serverKey, introEvents, erasedOptOuts }: ErasureDeps,
  tx: Tx,
  tenant: Tenant,
  { phone, by }: Pick<Erasing, 'phone' | 'by'>,
  now: Date,
): Promise<RecipientErasure> {
  const id = newId('ers', now);
  const erasing = { erasureId: id, phone, by, now };
  const waiting = await lockWaitingEvents(tx, tenant, phone);
  const number = { phone, hash: erasedOptOuts.hashOf(tenant, phone) };
  await lockOptOut(tx, tenant, number);
  const intros = await eraseIntros(tx, tenant, erasing);
  const created = intros.flatMap(({ event_id: eventId }) => (eventId === null ? [] : [eventId]));
  const events = await eraseEvents(tx, tenant, [...new Set([...created, ...waiting])], erasing);
  const { consents, optOutKept } = await eraseNumber(tx, tenant, number);
  await insertErasure(tx, tenant, {
    id,
    sealed_phone: createNumberSeal(serverKey).close(phone, placeOf(tenant, id)),
    removed: { intros: intros.length, events: events.length, consents },
    opt_out_kept: optOutKept,
    created_at: now,
    step: FIRST_STEP,
  });
  await introEvents.publishAll(
    tx,
    [
      ...intros
        .filter(({ is_cancelled: isCancelled }) => isCancelled)
        .map(({ id: introId }) => introEvents.toDomainEvent({ tenant, introId, type: 'intro.cancelled' })),
      ...events
        .filter(({ has_failed: hasFailed }) => hasFailed)
        .map(({ id: eventId }) => ({
          tenant,
          type: 'touchpoint_event.failed' as const,
          id: eventId,
          read: readEventObjects,
        })),
    ],
    now,
  );
  await recordChange(tx, tenant, { action: 'recipient.erased', object: id, by });
  return retrieveErasure(tx, tenant, id);
}

export const erasureOperations = (deps: ErasureDeps & { readonly db: Database; readonly testClocks: TestClocks }) =>
  ({
    eraseRecipient: {
      // With a keyed hash, the stored fingerprint does not reveal the number to someone who tries a list of numbers.
      identify: (caller, { body }) => ({ phone: deps.erasedOptOuts.hashOf(caller, body.phone).toString('hex') }),
      run: async (tx, caller, { body: { phone } }) =>
        eraseRecipient(deps, tx, caller, { phone, by: caller.by }, await deps.testClocks.nowWithin(tx, caller)),
    },
    retrieveErasure: (caller, { params }) => retrieveErasure(deps.db.kysely, caller, params.id),
  }) satisfies Partial<Handlers>;

/** Changes the stored responses about these intros or events, so that a replay returns the changed object. */
async function changeResponses(tx: Tx, tenant: Tenant, objectIds: readonly string[], change: Change): Promise<number> {
  let count = 0;
  for (const stored of await lockResponses(tx, tenant, objectIds)) {
    const changed = changeResponse(stored.response, change);
    if (changed === stored.response) continue;
    await replaceResponse(tx, stored, changed);
    count += 1;
  }
  return count;
}

async function changeWebhookMessages(
  contents: ContentSeal,
  tx: Tx,
  tenant: Tenant,
  { messages, change }: { readonly messages: readonly StoredMessage[]; readonly change: Change },
): Promise<number> {
  let count = 0;
  for (const message of messages) {
    const payload = contents.openPayload(message);
    const changed = changePayload(payload, change);
    if (changed === payload) continue;
    await replacePayload(tx, tenant, message.id, contents.sealPayload(message, changed));
    count += 1;
  }
  await eraseAnswers(
    tx,
    tenant,
    messages.map(({ id }) => id),
  );
  return count;
}

/**
 * Replaces the number of intros that was just corrected, in everything that was stored about them: an erasure of the earlier number
 * does not find these intros any more.
 */
export const createNumberReplacement =
  (contents: ContentSeal) =>
  async (tx: Tx, tenant: Tenant, introIds: readonly string[], phone: string): Promise<void> => {
    const change = correctNumber(phone);
    await correctEvents(tx, tenant, introIds, phone);
    await changeResponses(tx, tenant, introIds, change);
    await changeWebhookMessages(contents, tx, tenant, { messages: await listWebhooks(tx, tenant, introIds), change });
  };

const WEBHOOKS_BATCH = 200;

/** Erases the next webhooks that say that this number opted out or in. `position` is null after the last one. */
async function eraseConsentWebhooks(
  contents: ContentSeal,
  tx: Tx,
  tenant: Tenant,
  erasing: { readonly phone: string; readonly after: string; readonly before: Date; readonly erasedAt: Date },
): Promise<{ readonly count: number; readonly position: string | null }> {
  const { phone, after, before, erasedAt } = erasing;
  const found = await listConsentWebhooks(tx, tenant, { after, before, limit: WEBHOOKS_BATCH });
  const messages = found.filter((message) => phoneInPayload(contents.openPayload(message)) === phone);
  const count = await changeWebhookMessages(contents, tx, tenant, { messages, change: erase(erasedAt) });
  return { count, position: found.length < WEBHOOKS_BATCH ? null : (found.at(-1)?.id ?? null) };
}

/** An erasure that was just accepted waits this long at most. */
export const ERASURE_INTERVAL_MS = 1_000;
/** Short transactions: a person has few intros, but a test number may have thousands. */
const BATCH = 50;
/** Files are deleted one by one from the object store. */
const FILES_BATCH = 10;
const MAX_ERASURES = 20;

interface ErasureWorkerDeps extends Pick<Services, 'db' | 'objects' | 'clock' | 'testClocks' | 'serverKey' | 'log'> {
  readonly contents: ContentSeal;
  readonly introEvents: IntroEvents;
}

type Progress = 'more' | 'paused';

const logDelay = (
  log: ErasureWorkerDeps['log'],
  { organization_id: organization, id: erasure }: Pick<ErasureRow, 'organization_id' | 'id'>,
  err: unknown,
): void => log.warn({ err, organization, erasure }, 'an erasure is delayed; it is tried again');

/** Records the progress: the next rows, or after the last ones the next step or pass. */
async function moveOn(
  deps: ErasureWorkerDeps,
  tx: Tx,
  row: ErasureRow,
  { position, counts }: { readonly position: string | null; readonly counts: Readonly<Record<string, number>> },
): Promise<Progress> {
  const step = row.step as typeof FIRST_STEP;
  const next = position === null ? stepAfter(step) : step;
  if (next !== null) {
    await advance(tx, row, { step: next, position: position ?? '' }, counts);
    return 'more';
  }
  if (row.pass === 1) await startSecondPass(tx, row, FIRST_STEP);
  else if (await isInFlight(tx, tenantOf(row), row.id)) await repeatPass(tx, row, FIRST_STEP);
  else await finish(deps, tx, row);
  return 'paused';
}

async function finish({ testClocks, introEvents }: ErasureWorkerDeps, tx: Tx, row: ErasureRow) {
  const tenant = tenantOf(row);
  const now = await testClocks.nowWithin(tx, tenant);
  await complete(tx, row, now);
  const erasure = await retrieveErasure(tx, tenant, row.id);
  await introEvents.publishAll(tx, [{ tenant, type: 'recipient.erased', data: () => erasure }], now);
}

async function eraseIntroData(tx: Tx, tenant: Tenant, ids: readonly string[], now: Date) {
  await eraseDeliveryErrors(tx, tenant, ids);
  const counts = {
    messages: await eraseMessages(tx, tenant, ids, now),
    replies: await clearColumns(tx, tenant, 'intro_id', ids),
    team_emails: await eraseTeamEmails(tx, tenant, ids, now),
  };
  // After the emails, which are found by the figures.
  await eraseSummaries(tx, tenant, ids);
  return counts;
}

/** Erases what the next intros or events lead to. */
async function eraseRowData(
  deps: ErasureWorkerDeps,
  tx: Tx,
  row: ErasureRow,
  table: 'intros' | 'touchpoint_events',
): Promise<Progress> {
  const tenant = tenantOf(row);
  const ids = await listErasedAfter(tx, tenant, table, { erasureId: row.id, after: row.position, limit: BATCH });
  const position = ids.at(-1);
  if (position === undefined) return moveOn(deps, tx, row, { position: null, counts: {} });
  const counts = {
    ...(table === 'intros' ? await eraseIntroData(tx, tenant, ids, deps.clock()) : {}),
    stored_responses: await changeResponses(tx, tenant, ids, erase(row.created_at)),
    // Webhooks that are not sent yet are sent with the payload of the erased object.
    webhooks: await changeWebhookMessages(deps.contents, tx, tenant, {
      messages: await listWebhooks(tx, tenant, ids),
      change: erase(row.created_at),
    }),
    logged_requests: await clearColumns(tx, tenant, 'object_id', ids),
  };
  return moveOn(deps, tx, row, { position, counts });
}

/** Erases what only the number leads to. */
async function eraseNumberData(deps: ErasureWorkerDeps, tx: Tx, row: ErasureRow): Promise<Progress> {
  const tenant = tenantOf(row);
  if (row.sealed_phone === null) throw new Error(`the erasure ${row.id} has no number`);
  const phone = createNumberSeal(deps.serverKey).open(row.sealed_phone, placeOf(tenant, row.id));
  const before = row.accepted_at;
  const erasing = { phone, after: row.position, before, erasedAt: row.created_at };
  const { count: webhooks, position } = await eraseConsentWebhooks(deps.contents, tx, tenant, erasing);
  if (position !== null) return moveOn(deps, tx, row, { position, counts: { webhooks } });
  const logged_requests = await eraseRejectedRequests(tx, tenant, { masked: maskedPattern(phone), before });
  const messages = await eraseTextsTo(tx, tenant, phone);
  return moveOn(deps, tx, row, { position: null, counts: { webhooks, logged_requests, messages } });
}

/**
 * Deletes files between two transactions: nothing leads to them since the erasure was accepted. Two nodes, or a repetition after
 * a crash, delete again what is gone. The second pass deletes again what an upload or an encoder has stored since.
 */
async function eraseFiles(deps: ErasureWorkerDeps, row: ErasureRow): Promise<Progress> {
  const { db, objects, clock, log } = deps;
  const tenant = tenantOf(row);
  const found = { erasureId: row.id, after: row.position, limit: FILES_BATCH };
  const ids = await db.kysely.transaction().execute((tx) => listErasedAfter(tx, tenant, 'intros', found));
  const denied = new Set<string>();
  for (const introId of ids) {
    await discardTakes(db.kysely, tenant, introId, TAKE_ABANDONED_AFTER_MS);
    for (const take of await listTakes(db.kysely, tenant, introId)) {
      await objects.deleteAll(prefixOf(take)).catch((err: unknown) => {
        if (!isDenied(err)) throw err;
        // The others are deleted. As this one is not marked, the pass is repeated.
        if (denied.size === 0) logDelay(log, row, err);
        denied.add(introId);
      });
    }
  }
  return db.kysely.transaction().execute(async (tx) => {
    const locked = await lockErasure(tx, tenant, row.id);
    if (locked?.step !== row.step || locked.position !== row.position || locked.pass !== row.pass) return 'paused';
    let recordings = 0;
    for (const introId of ids)
      if (!denied.has(introId)) recordings += await markTakesDeleted(tx, tenant, introId, clock());
    return moveOn(deps, tx, locked, { position: ids.at(-1) ?? null, counts: { recordings } });
  });
}

async function continueErasure(deps: ErasureWorkerDeps, tenant: Tenant, id: string): Promise<Progress> {
  const outcome = await deps.db.kysely.transaction().execute(async (tx) => {
    const row = await lockErasure(tx, tenant, id);
    if (row === null || row.due_at === null || row.due_at > deps.clock()) return 'paused';
    switch (row.step) {
      case 'intros':
        return eraseRowData(deps, tx, row, 'intros');
      case 'events':
        return eraseRowData(deps, tx, row, 'touchpoint_events');
      case 'number':
        return eraseNumberData(deps, tx, row);
      default:
        return row;
    }
  });
  return typeof outcome === 'string' ? outcome : eraseFiles(deps, outcome);
}

/**
 * Continues the erasures that are due. Each transaction moves the position in its row, so a crash repeats at most one of them,
 * and any number of nodes may run this.
 */
export async function continueErasures(deps: ErasureWorkerDeps, stopping: AbortSignal): Promise<void> {
  for (const row of await listDue(deps.db.kysely, MAX_ERASURES)) {
    try {
      while (!stopping.aborted && (await continueErasure(deps, tenantOf(row), row.id)) === 'more');
    } catch (err) {
      logDelay(deps.log, row, err);
      await postpone(deps.db.kysely, row);
    }
  }
}
