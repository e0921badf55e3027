import { ERRORS } from '@foreword/contract';
import type pg from 'pg';
import type { Services } from '../../app/services.ts';
import { listen } from '../../db/listener.ts';
import type { Connection } from '../../db/pools.ts';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import { createLinkRateLimit } from '../../intros/links/index.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import { sha256 } from '../../platform/seal.ts';
import { changedFields, recordChange } from '../../privacy/audit/index.ts';
import {
  type CheckRequest,
  cellOf,
  checkLimits,
  createCheck,
  findMistake,
  type KeyAccess,
  type KeyLimits,
  makeKey,
  NO_LIMITS,
  noticeBefore,
  readBearer,
  withinScope,
} from './rules.ts';
import {
  CHANGED_CHANNEL,
  countActiveKeys,
  findLiveKey,
  insertKey,
  type KeyUse,
  lockKey,
  markExpiring,
  revokeKey as markRevoked,
  recordUse,
  updateLimits,
} from './store.ts';

const SHOWN_ENDING = 4;

/** Active keys of an organization, which needs one for each system that it connects. */
const MAX_KEYS = 50;

/** Call it in a transaction, so that the count and the new key agree. */
export async function createKey(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  name: string,
  { cell, ...wanted }: Partial<KeyLimits> & { readonly cell?: string | undefined } = {},
): Promise<{ key: string; row: Row<'api_keys'> }> {
  const now = clock();
  const limits = { ...NO_LIMITS, ...wanted };
  checkLimits(limits, now);
  if ((await countActiveKeys(db, tenant, now)) >= MAX_KEYS) {
    const message = `This organization has ${MAX_KEYS} active API keys, which is the limit. Revoke one first.`;
    throw new ApiError('api_key_limit', message);
  }
  const key = makeKey(cell);
  const row: Row<'api_keys'> = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('key', now),
    name,
    hash: sha256(key),
    ending: key.slice(-SHOWN_ENDING),
    created_at: now,
    revoked_at: null,
    last_used_at: null,
    expiry_notified_at: null,
    ...limits,
  };
  await insertKey(db, tenant, row);
  await recordChange(db, tenant, { action: 'key.created', object: row.id });
  return { key, row };
}

/** In a transaction, so that the commit also sends the notification. */
export async function revokeKey(tx: Tx, clock: Clock, tenant: Tenant, id: string): Promise<Row<'api_keys'> | null> {
  const before = await lockKey(tx, tenant, id);
  const row = await markRevoked(tx, tenant, id, clock());
  // Revoking a key twice changes nothing.
  if (before !== null) await recordChange(tx, tenant, { action: 'key.revoked', object: id });
  return row;
}

/**
 * In a transaction, like `revokeKey`. Null for a key that does not exist or was revoked. A narrower scope removes the
 * permissions that it excludes.
 */
export async function changeKey(
  tx: Tx,
  clock: Clock,
  tenant: Tenant,
  id: string,
  limits: Partial<KeyLimits>,
): Promise<Row<'api_keys'> | null> {
  const key = await lockKey(tx, tenant, id);
  if (key === null) return null;
  const { scope = key.scope } = limits;
  checkLimits({ ...limits, scope }, clock());
  const change = withinScope(limits, scope);
  const row = await updateLimits(tx, tenant, id, change);
  const fields = row === null ? [] : changedFields<Row<'api_keys'>>(key, change);
  if (fields.length > 0) await recordChange(tx, tenant, { action: 'key.changed', object: id, fields });
  return row;
}

/** Notifies the owners of keys that expire within a week. Only one node marks a key, and the email is stored with the mark. */
export async function notifyOfExpiringKeys(
  deps: Pick<Services, 'db' | 'clock'> & {
    notify: (tx: Tx, key: Row<'api_keys'>) => Promise<void>;
  },
): Promise<void> {
  const now = deps.clock();
  await deps.db.kysely.transaction().execute(async (tx) => {
    for (const key of await markExpiring(tx, now, noticeBefore(now))) await deps.notify(tx, key);
  });
}

export interface Caller extends Tenant, KeyAccess {
  readonly keyId: string;
  /** The key, as the one who decided something. */
  readonly by: string;
}

// A change of a key, such as its revocation, applies within a second on every node. While the listener is connected, a notification evicts the key,
// and the longer age limit only covers a lost notification. While it is disconnected, the short age limit keeps the promise.
const MAX_AGE_CONNECTED_MS = 5_000;
const MAX_AGE_DISCONNECTED_MS = 800;
const MAX_CACHED_KEYS = 10_000;

const unauthorized = (message: string) => new ApiError('unauthorized', message);

const tooManyUnknown = (retryAfterS: number): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many requests with unknown keys from this address. Wait ${retryAfterS} s, and check the key.`,
    { retryAfterS },
  );

/** A key of another installation got past the router in front, which is a mistake there. */
const explainUnknownKey = (cell: string | undefined, own: string | undefined): string =>
  cell === undefined || cell === own
    ? ERRORS.unauthorized.example
    : `This key belongs to the installation "${cell}", and ${own === undefined ? 'this is another one' : `this is "${own}"`}. Check FOREWORD_CELL and the router in front.`;

/** The request's client. Its address is determined only for keys with an allow-list, and for those that are not cached. */
interface Client {
  readonly ip: string;
}

export function createAuthenticator(
  options: Pick<Services, 'db' | 'clock'> & {
    connection: Connection;
    /** The name of this installation, if it is one of several. */
    cell?: string | undefined;
  },
) {
  // Keyed by hash, so that API keys are not kept in memory.
  const cache = new BoundedMap<string, { caller: Caller; check: CheckRequest; readMs: number }>({
    maxSize: MAX_CACHED_KEYS,
  });
  const limit = createLinkRateLimit(monotonicMs);
  // A limited address can still use the keys that worked.
  const known = new BoundedMap<string, true>({ maxSize: MAX_CACHED_KEYS });
  // Prevents caching a key that was changed while its lookup was in flight.
  let generation = 0;
  const listener = listen({
    connection: options.connection,
    channel: CHANGED_CHANNEL,
    onNotification(keyId) {
      generation += 1;
      cache.deleteWhere(({ caller }) => caller.keyId === keyId);
    },
    onGap() {
      generation += 1;
      cache.clear();
    },
  });

  async function lookUp(hash: Buffer, name: string, client: Client, explainUnknown: () => string): Promise<Caller> {
    const waitS = known.has(name) ? null : limit.waitS(client.ip);
    if (waitS !== null) throw tooManyUnknown(waitS);
    const generationBefore = generation;
    const readMs = options.clock().getTime();
    const key = await findLiveKey(options.db.kysely, hash);
    if (key === null) {
      known.delete(name);
      limit.noteMiss(client.ip);
      throw unauthorized(explainUnknown());
    }
    known.set(name, true);
    const { caller } = key;
    const check = createCheck(key);
    if (generationBefore === generation) cache.set(name, { caller, check, readMs });
    check(client, options.clock());
    return caller;
  }

  return {
    authenticate(authorization: string | undefined, client: Client): Caller | Promise<Caller> {
      if (authorization === undefined) {
        throw unauthorized('No API key in the request. Send it as "Authorization: Bearer <key>".');
      }
      const key = readBearer(authorization);
      if (key === null)
        throw unauthorized('The Authorization header is malformed. Send "Authorization: Bearer <key>".');
      const hash = sha256(key);
      const name = hash.toString('base64');
      const cached = cache.get(name);
      const maxAgeMs = listener.connected ? MAX_AGE_CONNECTED_MS : MAX_AGE_DISCONNECTED_MS;
      const now = options.clock();
      if (cached !== undefined && now.getTime() - cached.readMs < maxAgeMs) {
        cached.check(client, now);
        return cached.caller;
      }
      const mistake = findMistake(key);
      if (mistake !== null) throw unauthorized(mistake);
      return lookUp(hash, name, client, () => explainUnknownKey(cellOf(key), options.cell));
    },
    close: () => listener.close(),
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** How soon the first use of a key appears: the user who just created it is waiting for it. */
const CHECK_MS = 2_000;
/** Each node writes a key in constant use at most this often. */
const WRITE_EVERY_MS = 60_000;

/** Records when keys were last used: collects in memory, writes periodically. */
export function watchKeyUsage(deps: { pool: pg.Pool; clock: Clock; log: Logger }) {
  const { pool, clock, log } = deps;
  const used = new Map<string, KeyUse>();
  const writtenMs = new Map<string, number>();

  async function write(isLast: boolean): Promise<void> {
    const nowMs = clock().getTime();
    const due = [...used.values()].filter(
      ({ keyId }) => isLast || nowMs - (writtenMs.get(keyId) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS,
    );
    if (due.length === 0) return;
    await recordUse(pool, due);
    for (const use of due) {
      writtenMs.set(use.keyId, nowMs);
      if (used.get(use.keyId) === use) used.delete(use.keyId);
    }
    for (const [keyId, ms] of writtenMs) if (nowMs - ms >= WRITE_EVERY_MS) writtenMs.delete(keyId);
  }

  const writing = every(CHECK_MS, 'record key use', log, () => write(false));
  return {
    /** Called for every request; only updates memory. */
    note({ organizationId, keyId }: Caller): void {
      used.set(keyId, { organizationId, keyId, at: clock() });
    },
    async stop(): Promise<void> {
      await writing.stop();
      await write(true).catch((err: unknown) => log.warn({ err }, 'could not record the last use of keys'));
    },
  };
}

export type KeyUsage = ReturnType<typeof watchKeyUsage>;
