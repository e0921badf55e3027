import { hostname } from 'node:os';
import { monotonicMs } from '../clock.ts';
import { DatabaseUnavailable } from '../database-client.ts';
import type { Queryable } from '../db.ts';
import { createSeal } from '../seal.ts';
import { firstServerKey, type KeySource, promoteNextKey, readServerKeys } from './files.ts';
import { createRoot, type Period, type Root, type ServerKey, ServerKeyError, scheduledKey } from './key.ts';
import { readStoredKeys, recordFirstKey, refuseKey, type StoredKeys } from './store.ts';

export const KEYS_INTERVAL_MS = 1_000;
/** After reading the keys, a node is sure for this long that no other key is in use. Shorter than the lead of a rotation. */
const CERTAIN_MS = 7_000;
const SEAL_PURPOSE = 'previous server keys';

/** The server keys of a database, as this process knows them. */
export interface Keyring extends ServerKey {
  /** Reads which keys are in use. Once called, it has to be called again at least every few seconds. */
  refresh<Tables>(db: Queryable<Tables>): Promise<void>;
  /** Resolves with the reason when the database uses a key that this process does not have. */
  readonly lost: Promise<string>;
}

const UNKNOWN =
  'SERVER_KEY is not the key that this database uses. Use the same SERVER_KEY on every node, add its own key to SERVER_KEY_PREVIOUS, or copy server.key from the DATA_DIR of the first node';

const isOf =
  (fingerprint: Buffer) =>
  (root: Root): boolean =>
    root.fingerprint.equals(fingerprint);

const rootsOf = (source: KeySource): Root[] => readServerKeys(source).map(createRoot);

export const sealPreviousKey = (current: Root, previous: Root): Buffer =>
  createSeal(current.derive(SEAL_PURPOSE)).close(previous.secret.toString('hex'), previous.fingerprint.toString('hex'));

/** The keys before this one, oldest first. */
export function openPreviousKeys({ previous }: StoredKeys, current: Root): Period[] {
  const seal = createSeal(current.derive(SEAL_PURPOSE));
  return previous.map(({ fingerprint, sealed, usedUntil }) => ({
    root: createRoot(Buffer.from(seal.open(sealed, fingerprint.toString('hex')), 'hex')),
    until: usedUntil,
  }));
}

/** The key that the database uses. Fails if it is none of these; null if it has none. */
export async function findKeyInUse<Tables>(db: Queryable<Tables>, secrets: readonly Buffer[]): Promise<Root | null> {
  const stored = await readStoredKeys(db);
  if (stored === null) return null;
  const found = secrets.map(createRoot).find(isOf(stored.fingerprint));
  if (found === undefined) throw new ServerKeyError(UNKNOWN);
  return found;
}

/** The keys of the database at this moment, without changing anything; null if it has none. */
export async function readKeyring<Tables>(db: Queryable<Tables>, source: KeySource): Promise<ServerKey | null> {
  const stored = await readStoredKeys(db);
  const current = await findKeyInUse(db, readServerKeys(source));
  if (stored === null || current === null) return null;
  const periods = [...openPreviousKeys(stored, current), { root: current, until: null }];
  return scheduledKey(
    () => periods,
    () => stored.now,
  );
}

/** Reads the keys of the database. The first process records its key there. Fails if this process lacks the one in use. */
export async function openKeyring<Tables>(
  db: Queryable<Tables>,
  source: KeySource,
  nowMs = monotonicMs,
): Promise<Keyring> {
  let roots = rootsOf(source);
  let periods: readonly Period[] = [];
  let isFollowing = false;
  let certainUntilMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  const lost = Promise.withResolvers<string>();

  const find = (fingerprint: Buffer): Root | undefined => {
    const known = [...roots, ...periods.map(({ root }) => root)].find(isOf(fingerprint));
    if (known !== undefined) return known;
    roots = rootsOf(source);
    return roots.find(isOf(fingerprint));
  };

  async function read<Any>(from: Queryable<Any>): Promise<boolean> {
    const stored = await readStoredKeys(from);
    const current = stored === null ? undefined : find(stored.fingerprint);
    if (stored === null || current === undefined) return false;
    const { nextFingerprint: next } = stored;
    if (next !== null && find(next) === undefined) await refuseKey(from, next, hostname());
    const isSame =
      stored.previous.length === periods.length - 1 && periods.at(-1)?.root.fingerprint.equals(stored.fingerprint);
    if (isSame !== true) {
      periods = [...openPreviousKeys(stored, current), { root: current, until: null }];
      promoteNextKey(source, current.secret);
    }
    offsetMs = stored.now.getTime() - nowMs();
    certainUntilMs = isFollowing ? stored.now.getTime() + CERTAIN_MS : Number.POSITIVE_INFINITY;
    return true;
  }

  await recordFirstKey(db, createRoot(firstServerKey(source)).fingerprint);
  if (!(await read(db))) throw new ServerKeyError(UNKNOWN);
  const now = () => nowMs() + offsetMs;
  const schedule = (time?: Date): readonly Period[] => {
    // Another node may have switched to a key that this one has not read yet, and a link must not depend on the node. A time
    // in the future comes from a forged link or a wrong clock.
    if (time !== undefined && Math.min(time.getTime(), now()) > certainUntilMs)
      throw new DatabaseUnavailable('the server keys could not be read');
    return periods;
  };
  return {
    ...scheduledKey(schedule, () => new Date(now())),
    async refresh(from) {
      isFollowing = true;
      if (!(await read(from))) lost.resolve(UNKNOWN);
    },
    lost: lost.promise,
  };
}
