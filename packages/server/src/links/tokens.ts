import { createHash, createHmac } from 'node:crypto';
import { toBase62 } from '../platform/ids.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { LinkKind } from '../tables.ts';

/** 71 bits: short enough for a text message, and infeasible to guess against a rate limit. */
const PAGE_TOKEN_LENGTH = 12;
/** The member's link can replace a video, so it is longer. */
const RECORD_TOKEN_LENGTH = 22;

const LENGTHS: Record<LinkKind, number> = { page: PAGE_TOKEN_LENGTH, record: RECORD_TOKEN_LENGTH };
const DIGITS_PER_WORD = 5;
const BYTES_PER_WORD = 6;

/** Takes five digits from each 48-bit word: because 62^5 is much smaller than 2^48, the bias is below 1 in 300,000. */
function digitsOf(mac: Buffer, length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at += BYTES_PER_WORD) {
    text += toBase62(mac.readUIntBE(at, BYTES_PER_WORD), DIGITS_PER_WORD);
  }
  return text.slice(0, length);
}

export interface Tokens {
  /** Deterministic per intro and generation, so that links can be sent again without storing them. */
  tokenOf(kind: LinkKind, introId: string, generation: number): string;
}

export function createTokens(key: ServerKey): Tokens {
  const keys: Record<LinkKind, Buffer> = {
    page: key.derive('link to a page'),
    record: key.derive('link to a recorder'),
  };
  return {
    tokenOf(kind, introId, generation) {
      // The first generation has no number, for compatibility with links from before reassignment existed.
      const named = generation === 0 ? introId : `${introId} ${generation}`;
      return digitsOf(createHmac('sha256', keys[kind]).update(named).digest(), LENGTHS[kind]);
    },
  };
}

export const looksLikeToken = (kind: LinkKind, text: string): boolean =>
  text.length === LENGTHS[kind] && /^[0-9A-Za-z]+$/.test(text);

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
