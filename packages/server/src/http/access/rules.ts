import { crc32 } from 'node:zlib';
import { DAY_MS, HOUR_MS, type KeyScope, type OperationAccess, scopesOf } from '@foreword/contract';
import { readNetworks } from '../../platform/client-address.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { randomBase62, toBase62 } from '../../platform/ids.ts';

const PREFIX = 'fw_test_';
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
/** With the cell of the installation, if it is one of several: a router in front chooses the installation by it. */
const KEY = /^fw_test_(?:([a-z][a-z0-9]{0,7})_)?[0-9A-Za-z]{30}$/;
const BEARER = /^Bearer ([^ ]+)$/i;

const checksum = (text: string) => toBase62(crc32(text), CHECKSUM_LENGTH);

export function makeKey(cell: string | undefined): string {
  const start = `${PREFIX}${cell === undefined ? '' : `${cell}_`}${randomBase62(RANDOM_LENGTH)}`;
  return start + checksum(start);
}

/** Explains a mistake in a key that shows without a database query. Null if the key may exist. */
export function findMistake(key: string): string | null {
  if (key.startsWith('fw_live_'))
    return `This is a live key, and only the test environment exists. Use a key that starts with ${PREFIX}.`;
  if (!key.startsWith(PREFIX)) return `This is not a Foreword key: those start with ${PREFIX}.`;
  if (KEY.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)) return null;
  return 'This key has a typo or is incomplete: its checksum does not match. Copy it again.';
}

/** Undefined for a key of an installation that is not one of several. */
export const cellOf = (key: string): string | undefined => KEY.exec(key)?.[1];

export function readBearer(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null;
}

const MAX_ALLOWED_IPS = 50;

/** The operations that a key may use, as columns of its row. */
export interface KeyAccess {
  readonly scope: KeyScope;
  /** Whether it may get the recording links of members. */
  readonly recording_links: boolean;
  /** Whether agents may also use the operations that change something, through /mcp. */
  readonly agent_writes: boolean;
}

/** Limits of a key, also columns of its row. */
export interface KeyLimits extends KeyAccess {
  /** Null: it never expires. */
  readonly expires_at: Date | null;
  /** The addresses and networks from which it works. Null: any. */
  readonly allowed_ips: string[] | null;
}

export const NO_LIMITS: KeyLimits = {
  expires_at: null,
  allowed_ips: null,
  scope: 'full',
  recording_links: false,
  agent_writes: false,
};

/** The limits without the permissions that a scope excludes. */
export const withinScope = (limits: Partial<KeyLimits>, scope: KeyScope): Partial<KeyLimits> => ({
  ...limits,
  ...(scope !== 'full' && { recording_links: false }),
  ...(scope === 'read' && { agent_writes: false }),
});

/** Throws for limits with which the key would not work, or that name no network. */
export function checkLimits(limits: Partial<KeyLimits>, now: Date): void {
  const { expires_at: expiresAt, allowed_ips: allowedIps, scope } = limits;
  if (limits.recording_links && scope !== undefined && scope !== 'full') {
    throw invalid('recording_links', 'is only for keys with the scope full');
  }
  if (limits.agent_writes && scope === 'read') throw invalid('agent_writes', 'is not for keys with the scope read');
  if (expiresAt && expiresAt <= now) throw invalid('expires_at', 'must be in the future');
  if (!allowedIps) return;
  if (allowedIps.length > MAX_ALLOWED_IPS) throw invalid('allowed_ips', `must have at most ${MAX_ALLOWED_IPS} entries`);
  const networks = readNetworks(allowedIps);
  if (!('unknown' in networks)) return;
  throw invalid(
    'allowed_ips',
    `must be addresses or networks such as 203.0.113.0/24, and "${networks.unknown}" is neither`,
  );
}

/** A check of every request with the key. Throws 401 when the key has expired, or the client has another address. */
export type CheckRequest = (client: { readonly ip: string }, now: Date) => void;

export function createCheck({
  expires_at: expiresAt,
  allowed_ips: allowedIps,
}: Pick<KeyLimits, 'expires_at' | 'allowed_ips'>): CheckRequest {
  const networks = readNetworks(allowedIps ?? []);
  return (client, now) => {
    if (expiresAt !== null && now >= expiresAt) {
      const problem = `This key expired at ${expiresAt.toISOString()}. Create another one, or ask an owner to extend it.`;
      throw new ApiError('unauthorized', problem);
    }
    if (allowedIps === null || (!('unknown' in networks) && networks.contains(client.ip))) return;
    const problem = `This key does not work from ${client.ip}. An owner can change its allowed IP addresses.`;
    throw new ApiError('unauthorized', problem);
  };
}

/** Throws 403 when the scope of the key does not include the operation, or a permission is missing. */
export function requireScope({ scope, recording_links: recordingLinks }: KeyAccess, operation: OperationAccess): void {
  const scopes = scopesOf(operation);
  if (!scopes.includes(scope)) {
    const needed = scopes.map((name) => `"${name}"`).join(' or ');
    const problem = `This key has the scope "${scope}", and this operation needs the scope ${needed}. An owner can change it.`;
    throw new ApiError('forbidden', problem);
  }
  if (operation.permission === undefined || recordingLinks) return;
  const problem = `This key does not have the permission "${operation.permission}", which this operation needs. An owner can change it.`;
  throw new ApiError('forbidden', problem);
}

/** Owners are notified this long before a key expires. */
const NOTICE_MS = 7 * DAY_MS;
export const EXPIRING_KEYS_INTERVAL_MS = HOUR_MS;

export const noticeBefore = (now: Date): Date => new Date(now.getTime() + NOTICE_MS);
