import { type AuditAction, type ConsentSource, DAY_MS, type SignInFailure } from '@foreword/contract';
import { columnsOf, type Db, type Tenant } from '../../db/tenancy.ts';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { currentOrigin, type Origin } from '../../platform/origin.ts';
import { USER_AGENT_MAX_LENGTH } from './rules.ts';
import { findOldest, insertEntries, removeBefore } from './store.ts';

export interface AuditedChange {
  readonly action: AuditAction;
  /** The id of the changed object. */
  readonly object: string | null;
  /** The id of the member who gets what the action takes from another. */
  readonly related?: string;
  /** The names of the changed fields, never their values. */
  readonly fields?: readonly string[];
  readonly reason?: SignInFailure | ConsentSource;
  /** The member or API key, where the code knows better than the request. */
  readonly by?: string | null;
}

function actorOf({ actor }: Origin, by: string | null | undefined): Origin['actor'] {
  if (by === undefined || by === null || by === actor.id) return actor;
  return { type: by.startsWith('key_') ? 'key' : 'member', id: by };
}

/**
 * Writes entries of the audit log in the transaction of the changes, so that neither exists without the other. The actor and
 * the address come from the current request or command.
 */
export async function recordChanges(tx: Db, tenant: Tenant, changes: readonly AuditedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const origin = currentOrigin();
  const rows = changes.map(({ action, object, related = null, fields = [], reason = null, by }) => {
    const actor = actorOf(origin, by);
    return {
      ...columnsOf(tenant),
      // The order comes from the database's time, which the table adds.
      id: newId('aud', systemClock()),
      action,
      actor_type: actor.type,
      actor_id: actor.id,
      object_id: object,
      related_id: related,
      fields: [...fields],
      reason,
      ip: origin.ip,
      user_agent: origin.userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
      request_id: origin.requestId,
    };
  });
  await insertEntries(tx, tenant, rows);
}

export const recordChange = (tx: Db, tenant: Tenant, change: AuditedChange): Promise<void> =>
  recordChanges(tx, tenant, [change]);

/**
 * Deletes the oldest day (UTC) with entries if all of it is before the time. Returns the number of entries: 0 if there is no
 * such day.
 */
export async function removeOldestDay(tx: Db, tenant: Tenant, before: Date): Promise<number> {
  const oldest = await findOldest(tx, tenant);
  if (oldest === null) return 0;
  const dayEnd = new Date(oldest.getTime() - (oldest.getTime() % DAY_MS) + DAY_MS);
  if (dayEnd > before) return 0;
  return removeBefore(tx, tenant, dayEnd);
}
