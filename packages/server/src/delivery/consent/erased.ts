import type { Transaction } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../../platform/db.ts';
import { hmac } from '../../platform/hmac.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import { deleteErasedOptOut, hasErasedOptOut, holdOptOuts, restoreOptOuts } from '../store/erased-opt-outs.ts';

export interface TenantNumber {
  readonly tenant: Tenant;
  readonly phone: string;
}

/**
 * Opt-outs of people whose data was erased. The database has a keyed hash of the number, so it cannot be guessed from a copy
 * of the database. When the number comes back in a new event or intro, the opt-out applies again.
 */
export interface ErasedOptOuts {
  /** Differs between organizations, so that their hashes cannot be compared. */
  hashOf(tenant: Tenant, phone: string): Buffer;
  /** Returns the positions of the numbers that had opted out; the usual checks find them from now on. */
  restore(client: pg.ClientBase, numbers: readonly TenantNumber[]): Promise<number[]>;
  /** For intros inserted in this transaction: an erasure of their numbers either ends before, or includes them. */
  restoreForNew(client: pg.ClientBase, numbers: readonly TenantNumber[]): Promise<void>;
  /** Without restoring it. */
  has(db: Queryable<Tables>, tenant: Tenant, phone: string): Promise<boolean>;
  /** The person allows texts again. False if the number had not opted out in one of these ways. */
  forget(
    tx: Transaction<Tables>,
    tenant: Tenant,
    phone: string,
    sources: readonly ConsentSource[] | undefined,
  ): Promise<boolean>;
}

export function createErasedOptOuts(serverKey: ServerKey): ErasedOptOuts {
  const key = serverKey.derive('opt-out of an erased number');
  const hashOf: ErasedOptOuts['hashOf'] = ({ organizationId, environment }, phone) =>
    hmac(key, `${organizationId} ${environment} ${phone}`);
  const restore: ErasedOptOuts['restore'] = (client, numbers) =>
    restoreOptOuts(
      client,
      numbers.map(({ tenant, phone }) => ({ tenant, phone, hash: hashOf(tenant, phone) })),
    );
  return {
    hashOf,
    restore,
    async restoreForNew(client, numbers) {
      await holdOptOuts(client, numbers);
      // A new statement, which sees what an erasure committed while this transaction waited for it.
      await restore(client, numbers);
    },
    has: (db, tenant, phone) => hasErasedOptOut(db, tenant, hashOf(tenant, phone)),
    forget: (tx, tenant, phone, sources) => deleteErasedOptOut(tx, tenant, hashOf(tenant, phone), sources),
  };
}
