import { sql, type Transaction } from 'kysely';
import { MESSAGES_DUE } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import type { Announce } from '../news.ts';

/** What somebody said about being texted, and how. */
export interface Consent {
  readonly phone: string;
  readonly source: ConsentSource;
  /** Their words. */
  readonly said?: string | undefined;
}

const SAID_MAX_LENGTH = 100;

async function appendConsent(
  tx: Transaction<Tables>,
  tenant: Tenant,
  consent: Consent & { kind: 'opt_out' | 'opt_in' },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('consents')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id: newId('con', now),
      phone: consent.phone,
      kind: consent.kind,
      source: consent.source,
      said: consent.said?.slice(0, SAID_MAX_LENGTH) ?? null,
      created_at: now,
    })
    .execute();
}

/** What waits for this number is looked at again now, so that its intro says at once that nothing will come. */
async function wakeWaiting(tx: Transaction<Tables>, tenant: Tenant, phone: string, now: Date): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ due_at: now })
    .where('organization_id', '=', tenant.organizationId)
    .where('address', '=', phone)
    .where(sql<boolean>`status = 'scheduled' and purpose = 'deliver'`)
    .where('environment', '=', tenant.environment)
    .execute();
  await sql`select pg_notify(${MESSAGES_DUE}, '')`.execute(tx);
}

/** False when this number had opted out before; then nothing is written or told. */
export async function optOut(
  announce: Announce,
  tx: Transaction<Tables>,
  tenant: Tenant,
  consent: Consent,
  now: Date,
): Promise<boolean> {
  const { phone, source } = consent;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('opt_outs')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      phone,
      source,
      opted_out_at: now,
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await appendConsent(tx, tenant, { ...consent, kind: 'opt_out' }, now);
  await wakeWaiting(tx, tenant, phone, now);
  await announce(tx, [{ type: 'recipient.opted_out', tenant, phone, optedOutAt: now }], now);
  return true;
}

/** False when this number had not opted out. */
export async function optIn(tx: Transaction<Tables>, tenant: Tenant, consent: Consent, now: Date): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('opt_outs')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('phone', '=', consent.phone)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) return false;
  await appendConsent(tx, tenant, { ...consent, kind: 'opt_in' }, now);
  return true;
}
