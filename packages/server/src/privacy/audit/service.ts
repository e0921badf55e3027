import type { AuditAction, ConsentSource, SignInFailure } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { currentOrigin, type Origin } from '../../platform/origin.ts';
import { USER_AGENT_MAX_LENGTH } from './rules.ts';
import { insertEntries } from './store.ts';

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
      organization_id: tenant.organizationId,
      environment: tenant.environment,
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
