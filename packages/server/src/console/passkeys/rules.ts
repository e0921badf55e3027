import { DAY_MS, MINUTE_MS } from '@foreword/contract';

/** Enough time to find a security key. */
export const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
/** More passkeys per member than this are not expected. */
export const MAX_PASSKEYS = 20;
/** After an owner requires passkeys, owners and managers have this long to add one. */
export const GRACE_MS = 7 * DAY_MS;

/** The site that passkeys belong to. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Null where browsers offer no passkeys: at an IP address, or without https, except on localhost. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname: id, origin, protocol } = new URL(publicUrl);
  const isLocal = id === 'localhost' || id.endsWith('.localhost');
  if (IP_ADDRESS.test(id) || (protocol !== 'https:' && !isLocal)) return null;
  return { id, origin };
}

export const PASSKEY_PATH = '/console/signin/passkey';

/** The page on which a passkey completes the sign-in. */
export const passkeyPath = (next: string): string => `${PASSKEY_PATH}?next=${encodeURIComponent(next)}`;
