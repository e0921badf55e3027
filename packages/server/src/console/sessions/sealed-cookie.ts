import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Cookie } from './cookies.ts';

/** A value stored in the browser, encrypted and authenticated. */
export interface SealedCookie<T> {
  set(reply: FastifyReply, value: T): void;
  /** Null when there is no cookie, or it has expired, or it was not sealed for this purpose. */
  read(request: FastifyRequest): T | null;
  clear(reply: FastifyReply): void;
}

export function createSealedCookie<T>(
  cookie: Cookie,
  options: { seal: Seal; clock: Clock; purpose: string; lifeMs: number },
): SealedCookie<T> {
  const { seal, clock, purpose, lifeMs } = options;

  function open(text: string): { value: T; until: number } | null {
    try {
      return JSON.parse(seal.open(Buffer.from(text, 'base64url'), purpose)) as { value: T; until: number };
    } catch {
      return null;
    }
  }

  return {
    set(reply, value) {
      // Max-Age alone is not enough, because a cookie can be copied.
      const until = clock().getTime() + lifeMs;
      cookie.set(reply, seal.close(JSON.stringify({ value, until }), purpose).toString('base64url'), lifeMs);
    },
    read(request) {
      const text = cookie.read(request);
      const opened = text === null ? null : open(text);
      return opened !== null && opened.until > clock().getTime() ? opened.value : null;
    },
    clear: (reply) => cookie.clear(reply),
  };
}
