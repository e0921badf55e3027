import { ERRORS } from '@foreword/contract';
import type { Clock } from '../platform/clock.ts';
import type { Connection, Database } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import { type Listener, listen } from '../platform/listener.ts';
import type { Tables, Tenant } from '../tables.ts';
import { hashKey, isWellFormedKey, readBearer } from './rules.ts';
import { REVOKED_CHANNEL } from './service.ts';
import { findLiveKey } from './store.ts';

export interface Caller extends Tenant {
  readonly keyId: string;
}

// A revoked key dies within a second everywhere. While the node listens, a notification does that; the longer bound is for
// one that was lost in silence. While it does not listen, nothing is trusted longer than this second allows.
const TRUST_LISTENING_MS = 5_000;
const TRUST_DEAF_MS = 800;
const MAX_CACHED_KEYS = 10_000;

const unauthorized = (why: string) => new ApiError('unauthorized', why);

export interface Authenticator {
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
  close(): Promise<void>;
}

export function createAuthenticator(options: {
  db: Database<Tables>;
  connection: Connection;
  clock: Clock;
}): Authenticator {
  // By the key's hash, so that no key stands in memory.
  const cache = new Map<string, { caller: Caller; learntMs: number }>();
  // A key revoked while its look-up was under way must not be cached by it.
  let generation = 0;
  const listener: Listener = listen({
    connection: options.connection,
    channel: REVOKED_CHANNEL,
    onNotification(keyId) {
      generation += 1;
      for (const [hash, { caller }] of cache) if (caller.keyId === keyId) cache.delete(hash);
    },
    onGap() {
      generation += 1;
      cache.clear();
    },
  });

  async function lookUp(hash: Buffer, name: string): Promise<Caller> {
    const asked = generation;
    const learntMs = options.clock().getTime();
    const caller = await findLiveKey(options.db.kysely, hash);
    if (caller === null) throw unauthorized(ERRORS.unauthorized.example);
    if (asked === generation) {
      if (cache.size >= MAX_CACHED_KEYS) cache.clear();
      cache.set(name, { caller, learntMs });
    }
    return caller;
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined) {
        throw unauthorized('No API key was sent. Send it as "Authorization: Bearer <key>".');
      }
      const key = readBearer(authorization);
      if (key === null)
        throw unauthorized('The Authorization header is malformed. Send "Authorization: Bearer <key>".');
      const hash = hashKey(key);
      const name = hash.toString('base64');
      const cached = cache.get(name);
      const trustMs = listener.connected ? TRUST_LISTENING_MS : TRUST_DEAF_MS;
      if (cached !== undefined && options.clock().getTime() - cached.learntMs < trustMs) return cached.caller;
      if (!isWellFormedKey(key))
        throw unauthorized('This is not a whole API key. Compare it with the one you were given.');
      return lookUp(hash, name);
    },
    close: () => listener.close(),
  };
}
