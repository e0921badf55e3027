import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../app/services.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Seal, sealForAWhile, sealWith } from '../../platform/seal.ts';
import { KNOWN_BROWSER_LIFE_MS, LINK_LIFE_MS } from './rules.ts';

const VALUE = /^[\w.~-]{1,4000}$/;

type Cookie = ReturnType<typeof createCookie>;

function createCookie(name: string, secure: boolean) {
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    );
  return {
    read({ headers: { cookie = '' } }: FastifyRequest): string | null {
      const pair = cookie.split(/;\s*/).find((part) => part.startsWith(`${name}=`));
      const value = pair?.slice(name.length + 1);
      return value !== undefined && VALUE.test(value) ? value : null;
    },
    set: (reply: FastifyReply, value: string, lifeMs: number) => write(reply, value, Math.round(lifeMs / 1000)),
    clear: (reply: FastifyReply) => write(reply, '', 0),
  };
}

/** Over https, the `__Host-` prefix makes browsers accept the cookie only from this host over https. */
export function createCookies(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const named = (name: string): Cookie => createCookie(`${secure ? '__Host-' : ''}${name}`, secure);
  return {
    session: named('foreword_session'),
    /** Ties a sign-in link to the browser that requested it. */
    linkBrowser: named('foreword_asked'),
    named,
  };
}

export type Cookies = ReturnType<typeof createCookies>;

/** A value stored in the browser, encrypted and authenticated. */
export function createSealedCookie<T>(
  cookie: Cookie,
  { seal, clock, purpose, lifeMs }: { seal: Seal; clock: Clock; purpose: string; lifeMs: number },
) {
  // Max-Age alone is not enough, because a cookie can be copied.
  const values = sealForAWhile<T>(seal, clock, lifeMs);
  return {
    set: (reply: FastifyReply, value: T) => cookie.set(reply, values.close(value, purpose), lifeMs),
    /** Null when there is no cookie, or it has expired, or it was not sealed for this purpose. */
    read(request: FastifyRequest): T | null {
      const text = cookie.read(request);
      return text === null ? null : values.open(text, purpose);
    },
    clear: cookie.clear,
  };
}

const SEAL_PURPOSE = 'sign-in cookies';
/** People with more addresses than this in one browser get the limits of a new browser. */
const MAX_ADDRESSES = 5;

const digestOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');

/** A browser's record of its sign-ins, encrypted. Strangers can neither read it nor fill it up. */
export function createBrowserMemory(
  { serverKey, clock }: Pick<Services, 'serverKey' | 'clock'>,
  { named }: Pick<Cookies, 'named'>,
) {
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const known = createSealedCookie<readonly string[]>(named('foreword_known'), {
    seal,
    clock,
    purpose: 'known',
    lifeMs: KNOWN_BROWSER_LIFE_MS,
  });
  const requested = createSealedCookie<string>(named('foreword_requested'), {
    seal,
    clock,
    purpose: 'requested',
    lifeMs: LINK_LIFE_MS,
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
