/** Folder: signs members in by an emailed link or OpenID Connect. */

import { MINUTE_MS, type SignInFailure } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createLinkRateLimit, networkOf } from '../../intros/links/index.ts';
import { type Document, sendDocument } from '../../pages/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { withRequest } from '../../platform/origin.ts';
import { sealWith, sha256 } from '../../platform/seal.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { passkeyPath } from '../passkeys/rules.ts';
import { endAndRecord } from '../session.ts';
import { type BrowserMemory, type Cookie, type Cookies, createSealedCookie } from '../sessions/cookies.ts';
import { IDLE_LIFE_MS, LINK_LIFE_MS, readNext } from '../sessions/rules.ts';
import { createSecret, looksLikeSecret, type OpenLink, type Sessions } from '../sessions/service.ts';
import { findByEmail, type Invited } from '../sessions/store.ts';
import { type Company, CompanyError, type PendingSignIn } from './company.ts';
import { createLinkSender, type LinkSenderDeps, signInPath } from './links.ts';
import {
  renderChoice,
  renderConfirm,
  renderProblem,
  renderSent,
  renderSignIn,
  renderTooMany,
  SIGN_IN,
  type SignInOptions,
} from './pages.ts';

/** The last step of every sign-in: sets the cookie and redirects to the requested page. */
type FinishSignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: { readonly secret: string; readonly email: string; readonly next: string },
) => Promise<FastifyReply>;

export function createFinishSignIn(
  deps: Pick<SignInDeps, 'db' | 'clock' | 'access' | 'cookies' | 'memory'>,
): FinishSignIn {
  const { db, clock, access, cookies, memory } = deps;
  return async (request, reply, { secret, email, next }) => {
    // Its cookie is about to be replaced, so the old session would be unusable, and confusing in the list of sign-ins.
    const before = await access.identifyAny(request);
    if (before !== null) {
      await db.kysely.transaction().execute((tx) => endAndRecord(tx, before, { only: before.sessionId }, clock()));
    }
    cookies.session.set(reply, secret, IDLE_LIFE_MS);
    memory.noteSignIn(request, reply, email);
    return keepPrivate(reply).redirect(readNext(next), 303);
  };
}

interface SignInDeps extends LinkSenderDeps {
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly memory: BrowserMemory;
  readonly access: ConsoleAccess;
  readonly finishSignIn: FinishSignIn;
  readonly options: () => SignInOptions;
}

const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;
const EMAIL_MAX_LENGTH = 254;

type LinkRequest = FastifyRequest<{ Params: { secret: string } }>;
type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Sign-in by email, and by links that an operator creates. The pages use no JavaScript. */
export function registerSignIn(app: FastifyInstance, deps: SignInDeps): void {
  const rateLimit = createLinkRateLimit(monotonicMs);
  registerEmailForm(app, deps, rateLimit);
  registerLinkPages(app, deps, rateLimit);
}

type RateLimit = ReturnType<typeof createLinkRateLimit>;

const send = (request: FastifyRequest, reply: FastifyReply, status: number, document: Document) =>
  sendDocument(request, keepPrivate(reply), status, document);

const tooMany: Step = (request, reply) => send(request, reply, 429, renderTooMany());

function readBrowserSecret({ cookies }: SignInDeps, request: FastifyRequest): string | null {
  const value = cookies.linkBrowser.read(request);
  return value !== null && looksLikeSecret(value) ? value : null;
}

function registerEmailForm(app: FastifyInstance, deps: SignInDeps, rateLimit: RateLimit): void {
  const { log, cookies, memory, access, options } = deps;
  const sendLinks = createLinkSender(deps);

  app.get('/console/signin', { config: { operation: 'console_sign_in' } }, async (request, reply) => {
    const { next, out } = request.query as { next?: unknown; out?: unknown };
    if (cookies.session.read(request) !== null) {
      const signedIn = await access.identifyAny(request);
      if (signedIn === null) cookies.session.clear(reply);
      else if (signedIn.step !== 'done') return keepPrivate(reply).redirect(passkeyPath(readNext(next)), 303);
    }
    const notice = out === '1' ? { notice: SIGN_IN.signedOut } : {};
    return send(request, reply, 200, renderSignIn(options(), { next: readNext(next), ...notice }));
  });

  app.post('/console/signin', { config: { operation: 'console_ask_link' } }, async (request, reply) => {
    access.requireSameOrigin(request);
    if (rateLimit.waitS(request.ip) !== null) return tooMany(request, reply);
    // Every attempt counts: if only misses did, the limit would reveal which addresses exist.
    rateLimit.noteMiss(request.ip);
    const fields = new URLSearchParams(String(request.body ?? ''));
    const next = readNext(fields.get('next'));
    const email = (fields.get('email') ?? '').trim();
    if (!EMAIL.test(email) || email.length > EMAIL_MAX_LENGTH) {
      const form = renderSignIn(options(), { next, email, problem: SIGN_IN.badEmail });
      return send(request, reply, 422, form);
    }
    // Keeps an earlier secret, so that the link of an earlier, slower email also works.
    const browser = readBrowserSecret(deps, request) ?? createSecret();
    cookies.linkBrowser.set(reply, browser, LINK_LIFE_MS);
    memory.noteRequest(reply, email);
    if (options().hasMail) {
      const networkHash = sha256(networkOf(request.ip));
      const isKnownBrowser = memory.isKnown(request, email);
      const from = { browserHash: sha256(browser), networkHash, isKnownBrowser, next };
      // Not awaited: the response time would reveal whether the address belongs to a member.
      void sendLinks(email, from).catch((err: unknown) => log.error({ err }, 'sign-in email was not sent'));
    }
    return send(request, reply, 200, renderSent(email, next));
  });
}

function registerLinkPages(app: FastifyInstance, deps: SignInDeps, rateLimit: RateLimit): void {
  const { sessions, cookies, memory, access, finishSignIn, options } = deps;
  const problem = (status: number, title: string, message: string): Step => {
    return (request, reply) => send(request, reply, status, renderProblem(options(), title, message));
  };
  const deadLink = problem(410, SIGN_IN.deadTitle, SIGN_IN.dead);
  const otherBrowser = problem(403, SIGN_IN.elsewhereTitle, SIGN_IN.elsewhere);

  /** Loads the link, or sends the page that explains why it cannot be used. */
  async function withLink(
    request: LinkRequest,
    reply: FastifyReply,
    respond: (link: OpenLink) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    if (rateLimit.waitS(request.ip) !== null) return tooMany(request, reply);
    const found = await sessions.findLink(request.params.secret);
    if (found !== null) {
      return withRequest(request, { type: 'member', id: found.member.id }, () => respond(found));
    }
    rateLimit.noteMiss(request.ip);
    const dead = await sessions.findDeadLink(request.params.secret);
    if (dead !== null) await refuse(request, dead, 'link_expired');
    return deadLink(request, reply);
  }

  /** Anyone may have the link, so the entry has an address, but no actor. */
  const refuse = (request: FastifyRequest, link: OpenLink['link'], reason: SignInFailure): Promise<void> =>
    withRequest(request, { type: 'system', id: null }, () => sessions.recordFailure(link, reason));

  const wrongBrowser = async (request: FastifyRequest, reply: FastifyReply, { link }: OpenLink) => {
    await refuse(request, link, 'other_browser');
    return otherBrowser(request, reply);
  };

  async function signIn(request: FastifyRequest, reply: FastifyReply, open: OpenLink): Promise<FastifyReply> {
    const secret = await sessions.redeem(open, request.headers['user-agent']);
    if (secret === null) return deadLink(request, reply);
    return finishSignIn(request, reply, { secret, email: open.member.email, next: open.link.next_path });
  }

  /**
   * Whether this browser may use the link. Null for links that no browser requested. If a limit prevented an email to this
   * browser, the emails that strangers caused work here, too: no one can keep a member out by using up the limits.
   */
  async function mayOpen(request: FastifyRequest, { link, member }: OpenLink): Promise<boolean | null> {
    if (link.browser_hash === null) return null;
    const value = cookies.linkBrowser.read(request);
    if (value === null) return false;
    const browserHash = sha256(value);
    if (browserHash.equals(link.browser_hash)) return true;
    if (link.from_known_browser || !memory.hasRequested(request, member.email)) return false;
    return !(await sessions.hasOwnLink(member, browserHash));
  }

  app.get<{ Params: { secret: string } }>(
    '/console/signin/:secret',
    { config: { operation: 'console_open_link' } },
    (request, reply) =>
      withLink(request, reply, async (open) => {
        const may = await mayOpen(request, open);
        // Email scanners have no cookie, so opening the link uses it up only in a browser that requested one.
        if (may === true) return signIn(request, reply, open);
        if (may === false) return wrongBrowser(request, reply, open);
        const { first_name, last_name, email, organization } = open.member;
        const path = signInPath(request.params.secret);
        const page = renderConfirm({ path, name: `${first_name} ${last_name}`, email, organization });
        return send(request, reply, 200, page);
      }),
  );

  app.post<{ Params: { secret: string } }>(
    '/console/signin/:secret',
    { config: { operation: 'console_use_link' } },
    async (request, reply) => {
      access.requireSameOrigin(request);
      return withLink(request, reply, async (open) =>
        (await mayOpen(request, open)) === false ? wrongBrowser(request, reply, open) : signIn(request, reply, open),
      );
    },
  );
}

interface CompanyRoutesDeps
  extends Pick<SignInDeps, 'db' | 'clock' | 'sessions' | 'access' | 'finishSignIn' | 'options'>,
    Pick<ConsoleDeps, 'serverKey'> {
  readonly company: Company;
  readonly named: (name: string) => Cookie;
}

const PATH = '/console/signin/company';
export const companyCallback = (publicUrl: string): string => `${publicUrl}${PATH}/callback`;

/** Enough time to find a second factor. */
const PENDING_LIFE_MS = 10 * MINUTE_MS;
const CHOICE_LIFE_MS = 5 * MINUTE_MS;
/** More organizations per email than this are not expected. */
const MAX_ORGANIZATIONS = 20;
const SEAL_PURPOSE = 'company sign-in';

/** Only A to Z: PostgreSQL lowers the Kelvin sign to a k, but for a provider that is a different address. */
const foldAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

interface Choice {
  readonly email: string;
  readonly next: string;
}

/** Null when the provider failed, which has been logged. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CompanyError) return null;
    throw error;
  }
}

function createCookies({ serverKey, clock, named }: CompanyRoutesDeps) {
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const pending = { seal, clock, purpose: 'away', lifeMs: PENDING_LIFE_MS };
  const choice = { seal, clock, purpose: 'choice', lifeMs: CHOICE_LIFE_MS };
  return {
    pending: createSealedCookie<{ departure: PendingSignIn; next: string }>(named('foreword_away'), pending),
    choice: createSealedCookie<Choice>(named('foreword_choice'), choice),
  };
}

/** Sign-in with the company's account. The email that the provider vouches for must belong to a member. */
export function registerCompanySignIn(app: FastifyInstance, deps: CompanyRoutesDeps): void {
  const { db, company, sessions, access, finishSignIn, options } = deps;
  const { pending, choice } = createCookies(deps);
  const rateLimit = createLinkRateLimit(monotonicMs);

  const refuse = (request: FastifyRequest, reply: FastifyReply, status: number, title: string, message: string) =>
    send(request, reply, status, renderProblem(options(), title, message));
  const failed = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(request, reply, 502, SIGN_IN.companyFailedTitle, SIGN_IN.companyFailed);
  const expired = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(request, reply, 400, SIGN_IN.companyLateTitle, SIGN_IN.companyLate);

  /** Every attempt counts, because each one costs a request to the provider. */
  function isOverLimit({ ip }: FastifyRequest): boolean {
    if (rateLimit.waitS(ip) !== null) return true;
    rateLimit.noteMiss(ip);
    return false;
  }

  const findMembers = async (email: string): Promise<Invited[]> =>
    (await findByEmail(db.kysely, email, MAX_ORGANIZATIONS)).filter(
      (member) => foldAscii(member.email) === foldAscii(email),
    );

  async function signIn(request: FastifyRequest, reply: FastifyReply, member: Invited, next: string) {
    return withRequest(request, { type: 'member', id: member.id }, async () => {
      const secret = await sessions.start(member, request.headers['user-agent']);
      return finishSignIn(request, reply, { secret, email: member.email, next });
    });
  }

  async function chooseMember(request: FastifyRequest, reply: FastifyReply, { email, next }: Choice) {
    const members = await findMembers(email);
    const [only] = members;
    if (only === undefined) return refuse(request, reply, 403, SIGN_IN.noMemberTitle, SIGN_IN.noMember(email));
    if (members.length === 1) return signIn(request, reply, only, next);
    choice.set(reply, { email, next });
    return send(request, reply, 200, renderChoice(members));
  }

  app.get(PATH, { config: { operation: 'console_company' } }, async (request, reply) => {
    if (isOverLimit(request)) return send(request, reply, 429, renderTooMany());
    const next = readNext((request.query as { next?: unknown }).next);
    const started = await orNull(company.start());
    if (started === null) return failed(request, reply);
    pending.set(reply, { departure: started.pending, next });
    return keepPrivate(reply).redirect(started.url, 303);
  });

  app.get(`${PATH}/callback`, { config: { operation: 'console_company_callback' } }, async (request, reply) => {
    const started = pending.read(request);
    pending.clear(reply);
    if (started === null) return expired(request, reply);
    if (isOverLimit(request)) return send(request, reply, 429, renderTooMany());
    const { searchParams } = new URL(request.url, 'http://here');
    const verified = await orNull(company.finish(searchParams, started.departure));
    if (verified === null) return failed(request, reply);
    if (verified === 'unverified') {
      return refuse(request, reply, 403, SIGN_IN.companyFailedTitle, SIGN_IN.companyUnverified);
    }
    return chooseMember(request, reply, { email: verified.email, next: started.next });
  });

  app.post(`${PATH}/choose`, { config: { operation: 'console_company_choose' } }, async (request, reply) => {
    access.requireSameOrigin(request);
    const offered = choice.read(request);
    choice.clear(reply);
    if (offered === null) return expired(request, reply);
    const id = new URLSearchParams(String(request.body ?? '')).get('member');
    const member = (await findMembers(offered.email)).find((one) => one.id === id);
    return member === undefined ? chooseMember(request, reply, offered) : signIn(request, reply, member, offered.next);
  });
}
