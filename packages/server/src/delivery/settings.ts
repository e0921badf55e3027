import type { Transaction } from 'kysely';
import { recordChange } from '../audit/index.ts';
import type { Tables, Tenant } from '../db/tenancy.ts';
import type { SealedColumn } from '../platform/reencryption.ts';
import type { Seal } from '../platform/seal.ts';
import { sealContext } from './carriers/index.ts';
import { wakeOwnTexts } from './store/holds.ts';
import { changeSettings, resumeTexts as resume, type SettingsChange } from './store/settings.ts';

const HOURS = ['texts_from', 'texts_until'];
const ACCOUNT = ['twilio_account'];

/** Changes the hours, the account or the limits for texts. Writes an entry of the audit log, unless the change is empty. */
export async function saveSettings(
  tx: Transaction<Tables>,
  tenant: Tenant,
  change: SettingsChange,
  now: Date,
): Promise<void> {
  const { hours, account, texts = {} } = change;
  await changeSettings(tx, tenant, change, now);
  if (account !== undefined) await wakeOwnTexts(tx, tenant, now);
  const fields = [
    ...(hours === undefined ? [] : HOURS),
    ...(account === undefined ? [] : ACCOUNT),
    ...Object.keys(texts),
  ];
  if (fields.length === 0) return;
  await recordChange(tx, tenant, { action: 'organization.changed', object: tenant.organizationId, fields });
}

/** Resumes texts that were paused because of unusual activity. Otherwise, nothing changes. */
export async function resumeTexts(tx: Transaction<Tables>, tenant: Tenant, now: Date): Promise<void> {
  if (!(await resume(tx, tenant, now))) return;
  await recordChange(tx, tenant, { action: 'organization.texts_resumed', object: tenant.organizationId });
}

/** The encrypted columns of this module. */
export const deliveryColumns = (seal: Seal): SealedColumn[] => [
  {
    table: 'delivery_settings',
    column: 'twilio_account',
    key: ['organization_id', 'environment'],
    seal,
    placeOf: ({ organization_id = '' }) => sealContext(organization_id),
  },
];
