import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Cookie } from '../sessions/cookies.ts';

/** Something that this browser keeps for us for a while: it can neither be read nor be made by anybody else. */
export interface SealedCookie<T> {
  set(reply: FastifyReply, value: T): void;
  /** Null for none, for one that is too old, and for one that we did not make for this. */
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
      // The browser's word that it is not too old would not do: a cookie can be copied.
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
