import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { Cookie } from '../sessions/cookies.ts';
import { KNOWN_BROWSER_LIFE_MS, LINK_LIFE_MS } from '../sessions/rules.ts';
import { createSealedCookie } from '../sessions/sealed-cookie.ts';

/** A browser's record of its sign-ins, encrypted. Strangers can neither read it nor fill it up. */
export interface BrowserMemory {
  /** Whether someone with this address has signed in here. */
  isKnown(request: FastifyRequest, email: string): boolean;
  noteSignIn(request: FastifyRequest, reply: FastifyReply, email: string): void;
  /** Whether this browser requested a link for this address while a link is valid. */
  hasRequested(request: FastifyRequest, email: string): boolean;
  noteRequest(reply: FastifyReply, email: string): void;
}

const SEAL_PURPOSE = 'sign-in cookies';
/** People with more addresses than this in one browser get the limits of a new browser. */
const MAX_ADDRESSES = 5;

const digestOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');

export function createBrowserMemory(deps: {
  serverKey: ServerKey;
  clock: Clock;
  named: (name: string) => Cookie;
}): BrowserMemory {
  const { serverKey, clock, named } = deps;
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const known = createSealedCookie<readonly string[]>(named('foreword_known'), {
    ...{ seal, clock, purpose: 'known', lifeMs: KNOWN_BROWSER_LIFE_MS },
  });
  const requested = createSealedCookie<string>(named('foreword_requested'), {
    ...{ seal, clock, purpose: 'requested', lifeMs: LINK_LIFE_MS },
  });
  return {
    isKnown: (request, email) => known.read(request)?.includes(digestOf(email)) === true,
    noteSignIn(request, reply, email) {
      const digest = digestOf(email);
      const others = (known.read(request) ?? []).filter((other) => other !== digest);
      known.set(reply, [digest, ...others].slice(0, MAX_ADDRESSES));
    },
    hasRequested: (request, email) => requested.read(request) === digestOf(email),
    noteRequest: (reply, email) => requested.set(reply, digestOf(email)),
  };
}
