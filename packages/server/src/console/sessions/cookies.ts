import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { type Seal, sealForAWhile, sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { KNOWN_BROWSER_LIFE_MS, LINK_LIFE_MS } from './rules.ts';

export interface Cookies {
  readonly session: Cookie;
  /** Ties a sign-in link to the browser that requested it. */
  readonly linkBrowser: Cookie;
}

export interface Cookie {
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string, lifeMs: number): void;
  clear(reply: FastifyReply): void;
}

const VALUE = /^[\w.~-]{1,4000}$/;

function createCookie(name: string, path: string, secure: boolean): Cookie {
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    );
  return {
    read({ headers: { cookie = '' } }) {
      const pair = cookie.split(/;\s*/).find((part) => part.startsWith(`${name}=`));
      const value = pair?.slice(name.length + 1);
      return value !== undefined && VALUE.test(value) ? value : null;
    },
    set: (reply, value, lifeMs) => write(reply, value, Math.round(lifeMs / 1000)),
    clear: (reply) => write(reply, '', 0),
  };
}

/** Over https, the `__Host-` prefix makes browsers accept the cookie only from this host over https. */
export function createCookies(publicUrl: string): Cookies & { named(name: string): Cookie } {
  const secure = publicUrl.startsWith('https:');
  const named = (name: string) => createCookie(`${secure ? '__Host-' : ''}${name}`, '/', secure);
  return { session: named('foreword_session'), linkBrowser: named('foreword_asked'), named };
}

/** A value stored in the browser, encrypted and authenticated. */
interface SealedCookie<T> {
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
  // Max-Age alone is not enough, because a cookie can be copied.
  const values = sealForAWhile<T>(seal, clock, lifeMs);
  return {
    set: (reply, value) => cookie.set(reply, values.close(value, purpose), lifeMs),
    read(request) {
      const text = cookie.read(request);
      return text === null ? null : values.open(text, purpose);
    },
    clear: (reply) => cookie.clear(reply),
  };
}

const SEAL_PURPOSE = 'sign-in cookies';
/** People with more addresses than this in one browser get the limits of a new browser. */
const MAX_ADDRESSES = 5;

const digestOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');

/** A browser's record of its sign-ins, encrypted. Strangers can neither read it nor fill it up. */
export function createBrowserMemory(deps: { serverKey: ServerKey; clock: Clock; named: (name: string) => Cookie }) {
  const { serverKey, clock, named } = deps;
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const known = createSealedCookie<readonly string[]>(named('foreword_known'), {
    ...{ seal, clock, purpose: 'known', lifeMs: KNOWN_BROWSER_LIFE_MS },
  });
  const requested = createSealedCookie<string>(named('foreword_requested'), {
    ...{ seal, clock, purpose: 'requested', lifeMs: LINK_LIFE_MS },
  });
  return {
    /** Whether someone with this address has signed in here. */
    isKnown: (request: FastifyRequest, email: string): boolean =>
      known.read(request)?.includes(digestOf(email)) === true,
    noteSignIn(request: FastifyRequest, reply: FastifyReply, email: string): void {
      const digest = digestOf(email);
      const others = (known.read(request) ?? []).filter((other) => other !== digest);
      known.set(reply, [digest, ...others].slice(0, MAX_ADDRESSES));
    },
    /** Whether this browser requested a link for this address while a link is valid. */
    hasRequested: (request: FastifyRequest, email: string): boolean => requested.read(request) === digestOf(email),
    noteRequest: (reply: FastifyReply, email: string): void => requested.set(reply, digestOf(email)),
  };
}

export type BrowserMemory = ReturnType<typeof createBrowserMemory>;
