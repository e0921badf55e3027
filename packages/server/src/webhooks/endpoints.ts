import { type CreateWebhookEndpoint, ERRORS } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { recordChange } from '../audit/index.ts';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Seal } from '../platform/seal.ts';
import { MAX_ENDPOINTS } from './rules.ts';
import { createSecret, sealSecret } from './signing.ts';
import * as store from './store.ts';

/** Throws an ApiError if the organization has reached its limit. */
export async function addEndpoint(
  tx: Transaction<Tables>,
  deps: { clock: Clock; seal: Seal },
  tenant: Tenant,
  { url, description, events = ['*'], active = true }: CreateWebhookEndpoint,
): Promise<{ row: Row<'webhook_endpoints'>; secret: string }> {
  if ((await store.lockAndCountEndpoints(tx, tenant)) >= MAX_ENDPOINTS) {
    throw new ApiError('webhook_endpoint_limit', ERRORS.webhook_endpoint_limit.example);
  }
  const now = deps.clock();
  const secret = createSecret();
  const place = { organization_id: tenant.organizationId, id: newId('whk', now) };
  const row: Row<'webhook_endpoints'> = {
    ...place,
    environment: tenant.environment,
    url,
    description: description || null,
    events,
    active,
    disabled_reason: null,
    secret: sealSecret(deps.seal, place, secret),
    previous_secret: null,
    previous_secret_expires_at: null,
    failing_since: null,
    created_at: now,
  };
  await store.insertEndpoint(tx, row);
  await recordChange(tx, tenant, { action: 'webhook.created', object: row.id });
  return { row, secret };
}

/** False if it does not exist. */
export async function removeEndpoint(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<boolean> {
  if (!(await store.deleteEndpoint(tx, tenant, id))) return false;
  await recordChange(tx, tenant, { action: 'webhook.deleted', object: id });
  return true;
}
