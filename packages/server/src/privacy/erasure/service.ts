import { ERASED_KINDS, ERASURE_MAX_INTROS, iso, type RecipientErasure } from '@foreword/contract';
import type { Database, Db, Tenant, Tx } from '../../db/tenancy.ts';
import type { ErasedOptOuts } from '../../delivery/index.ts';
import type { Handlers } from '../../http/index.ts';
import { readEventObjects } from '../../intros/events/index.ts';
import type { IntroEvents } from '../../intros/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import { type Seal, sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import { recordChange } from '../audit/index.ts';
import { FIRST_STEP } from './rules.ts';
import {
  type Erasing,
  type ErasureRow,
  eraseEvents,
  eraseIntros,
  eraseNumber,
  findErasure,
  insertErasure,
  listIntroIds,
  listNewest,
  lockOptOut,
  lockWaitingEvents,
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
    opt_out_kept: row.opt_out_kept,
    environment: row.environment,
    created_at: row.created_at.toISOString(),
    completed_at: iso(row.completed_at),
  };
}

/** Encrypts the number for as long as the erasure takes. */
export const createNumberSeal = (serverKey: ServerKey): Seal => sealWith(serverKey, 'number of an erasure');

export const placeOf = (tenant: Tenant, id: string): string => `number ${tenant.organizationId}/${id}`;

export interface ErasureDeps {
  readonly serverKey: ServerKey;
  readonly introEvents: IntroEvents;
  readonly erasedOptOuts: ErasedOptOuts;
}

export async function retrieveErasure(db: Db, tenant: Tenant, id: string): Promise<RecipientErasure> {
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
