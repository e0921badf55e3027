import { createHash, hkdfSync } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { createdAtOf } from '../ids.ts';

const KEY_BYTES = 32;
/** Distinguishes the few keys of one database. */
const ID_BYTES = 4;

/** A key for one purpose. */
export interface DerivedKey {
  /** Identifies the server key that it derives from. Null: the first one of the database. */
  readonly id: Buffer | null;
  readonly key: Buffer;
}

/** The only secret stored outside the database. It is never used directly: each purpose has its own derived key. */
export interface ServerKey {
  /** Stays the same after rotations, as hashes require that cannot be computed again. Everything else uses the others. */
  derive(purpose: string): Buffer;
  /** For what is created now. */
  current(purpose: string): DerivedKey;
  /** For what was created at any time, newest first. */
  all(purpose: string): readonly DerivedKey[];
  /** From the server key that was current when the object with this id was created, so that its links stay the same. */
  at(purpose: string, id: string): Buffer;
  /** One for each rotation, the latest last: what an installation with the same one created works with these keys. */
  identities(): readonly string[];
}

export class ServerKeyError extends Error {}

/** One secret that was configured or created. */
export interface Root {
  readonly secret: Buffer;
  /** Identifies the key without revealing it. */
  readonly fingerprint: Buffer;
  derive(purpose: string): Buffer;
}

export function createRoot(secret: Buffer): Root {
  const derived = new Map<string, Buffer>();
  function derive(purpose: string): Buffer {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
    derived.set(purpose, key);
    return key;
  }
  return { secret, fingerprint: derive('fingerprint'), derive };
}

/** A server key, and the time from which the next one is used. Null: it is current. */
export interface Period {
  readonly root: Root;
  readonly until: Date | null;
}

/** Identifies keys and times. For a key that was never rotated, it is the fingerprint. */
function identitiesOf(periods: readonly Period[]): string[] {
  let identity = '';
  return periods.map(({ root }, position) => {
    const since = periods[position - 1]?.until?.toISOString();
    const own = root.fingerprint.toString('hex');
    identity = since === undefined ? own : createHash('sha256').update(`${identity} ${since} ${own}`).digest('hex');
    return identity;
  });
}

/** The periods, oldest first. Given a time, it may throw because a later key may have been used then. */
export type Schedule = (time?: Date) => readonly Period[];

export function scheduledKey(schedule: Schedule, now: Clock): ServerKey {
  const positionAt = (periods: readonly Period[], time: Date): number => {
    const found = periods.findIndex(({ until }) => until === null || time < until);
    return found < 0 ? periods.length - 1 : found;
  };
  const derivedAt = (periods: readonly Period[], position: number, purpose: string): DerivedKey => {
    const root = periods[position]?.root;
    if (root === undefined) throw new Error('there is no server key');
    return { id: position === 0 ? null : root.fingerprint.subarray(0, ID_BYTES), key: root.derive(purpose) };
  };
  return {
    derive: (purpose) => derivedAt(schedule(), 0, purpose).key,
    current(purpose) {
      const periods = schedule();
      return derivedAt(periods, positionAt(periods, now()), purpose);
    },
    all(purpose) {
      const periods = schedule();
      return periods.map((_, position) => derivedAt(periods, position, purpose)).reverse();
    },
    at(purpose, id) {
      const createdAt = createdAtOf(id) ?? new Date(0);
      const periods = schedule(createdAt);
      return derivedAt(periods, positionAt(periods, createdAt), purpose).key;
    },
    identities: () => identitiesOf(schedule()),
  };
}

/** A server key that is never rotated. */
export function toServerKey(secret: Buffer): ServerKey {
  const periods = [{ root: createRoot(secret), until: null }];
  return scheduledKey(() => periods, systemClock);
}

export const fingerprintOf = (secret: Buffer): string => createRoot(secret).fingerprint.toString('hex');
