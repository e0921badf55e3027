import type { Transaction } from 'kysely';
import type { ErasedNumbers, NumberOfTenant } from '../../intros/index.ts';
import { hmac } from '../../platform/hmac.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import { deleteErasedOptOut, findOptedOut, holdOptOuts, restoreOptOuts } from '../store/erased-opt-outs.ts';

/**
 * Opt-outs of people whose data was erased. The database has a keyed hash of the number, so it cannot be guessed from a copy
 * of the database. When the number comes back in a new event or intro, the opt-out applies again.
 */
export interface ErasedOptOuts extends ErasedNumbers {
  /** Differs between organizations, so that their hashes cannot be compared. */
  hashOf(tenant: Tenant, phone: string): Buffer;
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
  const withHashes = (numbers: readonly NumberOfTenant[]) =>
    numbers.map((number) => ({ ...number, hash: hashOf(number.tenant, number.phone) }));
  return {
    hashOf,
    findOptedOut: (client, numbers) => findOptedOut(client, withHashes(numbers)),
    async restoreForNew(client, numbers) {
      await holdOptOuts(client, numbers);
      // A new statement, which sees what an erasure committed while this transaction waited for it.
      await restoreOptOuts(client, withHashes(numbers));
    },
    forget: (tx, tenant, phone, sources) => deleteErasedOptOut(tx, tenant, hashOf(tenant, phone), sources),
  };
}
