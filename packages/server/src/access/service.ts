import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { newId, randomBase62, toBase62 } from '../platform/ids.ts';
import type { ApiKeyRow, Tables, Tenant } from '../tables.ts';
import { insertKey, revokeKey as markRevoked } from './store.ts';

const PREFIX = 'fw_test_';
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
const KEY = /^fw_test_[0-9A-Za-z]{30}$/;
const BEARER = /^Bearer ([^ ]+)$/i;

const checksum = (text: string) => toBase62(crc32(text), CHECKSUM_LENGTH);

function makeKey(): string {
  const start = PREFIX + randomBase62(RANDOM_LENGTH);
  return start + checksum(start);
}

export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Detects a typo without a database query. */
export function isWellFormedKey(key: string): boolean {
  return KEY.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

export function readBearer(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null;
}

const SHOWN_ENDING = 4;

export async function createKey(
  db: Queryable<Tables>,
  clock: Clock,
  tenant: Tenant,
  name: string,
): Promise<{ key: string; row: ApiKeyRow }> {
  const now = clock();
  const key = makeKey();
  const row: ApiKeyRow = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('key', now),
    name,
    hash: hashKey(key),
    ending: key.slice(-SHOWN_ENDING),
    created_at: now,
    revoked_at: null,
    last_used_at: null,
  };
  await insertKey(db, tenant, row);
  return { key, row };
}

/** In a transaction, so that the commit also sends the notification. The operator's command passes no tenant. */
export const revokeKey = (
  tx: Transaction<Tables>,
  clock: Clock,
  id: string,
  tenant?: Tenant,
): Promise<ApiKeyRow | null> => markRevoked(tx, id, clock(), tenant);
