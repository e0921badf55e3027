import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Carriers, sendSecretLetter } from '../../delivery/index.ts';
import { createLinkRateLimit, networkOf } from '../../links/index.ts';
import { type Document, sendDocument } from '../../pages/index.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import type { Tables } from '../../tables.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { Cookies } from '../sessions/cookies.ts';
import { LINK_LIFE_MS, readNext } from '../sessions/rules.ts';
import {
  type Asked,
  createSecret,
  hashSecret,
  looksLikeSecret,
  type OpenLink,
  type Sessions,
} from '../sessions/service.ts';
import { findByEmail, type Invited } from '../sessions/store.ts';
import type { FinishSignIn } from './finish-sign-in.ts';
import { renderConfirm, renderProblem, renderSent, renderSignIn, renderTooMany, type SignInOptions } from './pages.ts';
import { SIGN_IN } from './texts.ts';

export interface SignInDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly carriers: Carriers;
  readonly publicUrl: string;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly access: ConsoleAccess;
  readonly finishSignIn: FinishSignIn;
  readonly options: () => SignInOptions;
}

/** An address has a letter for each organization it belongs to, and nobody belongs to more. */
const MAX_ORGANIZATIONS = 10;
const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;
const EMAIL_MAX_LENGTH = 254;

type WithSecret = FastifyRequest<{ Params: { secret: string } }>;

export const signInPath = (secret: string): string => `/console/signin/${secret}`;

const letterTo = (member: Invited, link: string) => ({
  subject: SIGN_IN.letterSubject(member.organization.name),
  greeting: SIGN_IN.letterGreeting(member.first_name),
  lines: [SIGN_IN.letterWhy, SIGN_IN.letterNotYou],
  link,
  button: SIGN_IN.letterButton,
  organization: member.organization.name,
});

/** Signing in by a letter, and by a link of the operator's. Pages without a line of script. */
export function registerSignIn(app: FastifyInstance, deps: SignInDeps): void {
  const { db, clock, log, carriers, publicUrl, sessions, cookies, access, finishSignIn, options } = deps;
  const rateLimit = createLinkRateLimit(monotonicMs);

  const send = (request: FastifyRequest, reply: FastifyReply, status: number, document: Document) =>
    sendDocument(request, keepPrivate(reply), status, document);

  /** Each attempt counts, right or wrong: else the answer's speed would tell which it was. */
  function isTooOften(request: FastifyRequest): boolean {
    if (rateLimit.waitS(request.ip) !== null) return true;
    rateLimit.noteMiss(request.ip);
    return false;
  }

  async function sendLetters(email: string, asked: Asked): Promise<void> {
    for (const member of await findByEmail(db.kysely, email, MAX_ORGANIZATIONS)) {
      const secret = await sessions.ask(member, asked);
      if (secret === null) continue;
      const { tenant, organization } = member;
      await sendSecretLetter({ carriers, log }, letterTo(member, publicUrl + signInPath(secret)), {
        id: newId('msg', clock()),
        address: member.email,
        organizationId: tenant.organizationId,
        accent: organization.accent,
        fromName: organization.name,
      });
    }
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply, open: OpenLink): Promise<FastifyReply> {
    const secret = await sessions.redeem(open, request.headers['user-agent']);
    return secret === null ? refuse(request, reply) : finishSignIn(request, reply, secret, open.link.next_path);
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, 410, renderProblem(options(), SIGN_IN.deadTitle, SIGN_IN.dead));

  app.get('/console/signin', { config: { operation: 'console_sign_in' } }, async (request, reply) => {
    const { next, out } = request.query as { next?: unknown; out?: unknown };
    const said = out === '1' ? { said: SIGN_IN.signedOut } : {};
    // One that opens nothing any more is of no use in the browser either.
    if (cookies.session.read(request) !== null && (await access.identify(request)) === null)
      cookies.session.clear(reply);
    return send(request, reply, 200, renderSignIn(options(), { next: readNext(next), ...said }));
  });

  app.post('/console/signin', { config: { operation: 'console_ask_link' } }, async (request, reply) => {
    access.requireSameOrigin(request);
    if (isTooOften(request)) return send(request, reply, 429, renderTooMany());
    const fields = new URLSearchParams(String(request.body ?? ''));
    const next = readNext(fields.get('next'));
    const email = (fields.get('email') ?? '').trim();
    if (!EMAIL.test(email) || email.length > EMAIL_MAX_LENGTH) {
      const again = renderSignIn(options(), { next, email, problem: SIGN_IN.badEmail });
      return send(request, reply, 422, again);
    }
    // The one of the letter before, so that both letters work: the first may only have been slow.
    const browser = readAsked(request) ?? createSecret();
    cookies.asked.set(reply, browser, LINK_LIFE_MS);
    if (options().hasMail) {
      // Not waited for: how long it takes would tell whether anybody has this address.
      const asked = { browserHash: hashSecret(browser), from: hashSecret(networkOf(request.ip)), next };
      void sendLetters(email, asked).catch((err: unknown) => log.error({ err }, 'sign-in letter was not sent'));
    }
    return send(request, reply, 200, renderSent(email, next));
  });

  async function open(request: WithSecret, reply: FastifyReply): Promise<OpenLink | null> {
    if (rateLimit.waitS(request.ip) !== null) {
      await send(request, reply, 429, renderTooMany());
      return null;
    }
    const found = await sessions.look(request.params.secret);
    if (found !== null) return found;
    rateLimit.noteMiss(request.ip);
    await refuse(request, reply);
    return null;
  }

  function readAsked(request: FastifyRequest): string | null {
    const value = cookies.asked.read(request);
    return value !== null && looksLikeSecret(value) ? value : null;
  }

  /** Whether this is the browser that asked. Null: nobody asked in a browser. */
  function isSameBrowser(request: FastifyRequest, { link }: OpenLink): boolean | null {
    if (link.browser_hash === null) return null;
    const value = cookies.asked.read(request);
    return value !== null && hashSecret(value).equals(link.browser_hash);
  }

  app.get<{ Params: { secret: string } }>(
    '/console/signin/:secret',
    { config: { operation: 'console_open_link' } },
    async (request, reply) => {
      const found = await open(request, reply);
      if (found === null) return reply;
      const same = isSameBrowser(request, found);
      // A scanner of letters has no cookie, so that only the person's own browser uses the link up by looking at it.
      if (same === true) return signIn(request, reply, found);
      if (same === false) {
        return send(request, reply, 403, renderProblem(options(), SIGN_IN.elsewhereTitle, SIGN_IN.elsewhere));
      }
      const { first_name, last_name, email, organization } = found.member;
      const path = signInPath(request.params.secret);
      return send(
        request,
        reply,
        200,
        renderConfirm({ path, name: `${first_name} ${last_name}`, email, organization }),
      );
    },
  );

  app.post<{ Params: { secret: string } }>(
    '/console/signin/:secret',
    { config: { operation: 'console_use_link' } },
    async (request, reply) => {
      access.requireSameOrigin(request);
      const found = await open(request, reply);
      if (found === null) return reply;
      return isSameBrowser(request, found) === false
        ? send(request, reply, 403, renderProblem(options(), SIGN_IN.elsewhereTitle, SIGN_IN.elsewhere))
        : signIn(request, reply, found);
    },
  );
}
