import { sql, type Transaction } from 'kysely';
import type { Database } from '../../platform/db.ts';
import type { ConsentTable, OptOutTable, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

/** False if the number had already opted out. */
export async function insertOptOut(
  tx: Transaction<Tables>,
  tenant: Tenant,
  optOut: Pick<OptOutTable, 'phone' | 'source' | 'opted_out_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await forTenant(tx, tenant)
    .insertInto('opt_outs')
    .values({ organization_id: tenant.organizationId, environment: tenant.environment, ...optOut })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** False if the number had not opted out. */
export async function deleteOptOut(tx: Transaction<Tables>, tenant: Tenant, phone: string): Promise<boolean> {
  const { numDeletedRows } = await forTenant(tx, tenant)
    .deleteFrom('opt_outs')
    .where('phone', '=', phone)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** The log of consents is append-only: it has to prove later who agreed or refused, and when. */
export async function appendConsent(
  tx: Transaction<Tables>,
  tenant: Tenant,
  consent: Omit<ConsentTable, 'organization_id' | 'environment'>,
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('consents')
    .values({ organization_id: tenant.organizationId, environment: tenant.environment, ...consent })
    .execute();
}

export interface Sender {
  readonly organizationId: string;
  readonly environment: 'test';
  readonly name: string;
}

/**
 * Organizations that text this number from the shared sender: have sent, may have sent, or have an intro pending.
 * Texts from an organization's own account are left out: replies to them arrive at its own number.
 */
export async function findSenders(db: Database<Tables>, phone: string): Promise<readonly Sender[]> {
  const { rows } = await sql<Sender>`
  select w.organization_id as "organizationId", w.environment, o.name
  from (
    select organization_id, environment from messages
    where address = ${phone} and channel = 'text' and accepted_at is not null and not by_own_account
    union
    select n.organization_id, n.environment
    from texted_numbers n
    cross join lateral (
      select by_own_account from messages where organization_id = n.organization_id and id = n.message_id offset 0
    ) m
    where n.phone = ${phone} and not m.by_own_account
    union
    select i.organization_id, i.environment from intros i
    where i.recipient_phone = ${phone} and i.responsibility = 'service' and not exists (
      select 1 from delivery_settings s
      where s.organization_id = i.organization_id and s.environment = i.environment and s.twilio_account is not null
    )
  ) w
  join organizations o on o.id = w.organization_id
  order by 1, 2`.execute(db.kysely);
  return rows;
}
