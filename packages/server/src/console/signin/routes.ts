/** Folder: signs members in by an emailed link or OpenID Connect. */

import { MINUTE_MS, type SignInFailure } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendSecretEmail, writeSignIn } from '../../delivery/index.ts';
import { createLinkRateLimit, networkOf } from '../../intros/links/index.ts';
import { type Document, sendDocument } from '../../pages/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { withRequest } from '../../platform/origin.ts';
import { sealWith, sha256 } from '../../platform/seal.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { passkeyPath } from '../passkeys/rules.ts';
import { endAndRecord } from '../session.ts';
import { type BrowserMemory, type Cookies, createSealedCookie } from '../sessions/cookies.ts';
import { IDLE_LIFE_MS, LINK_LIFE_MS, readNext } from '../sessions/rules.ts';
import { createSecret, type LinkOrigin, looksLikeSecret, type OpenLink, type Sessions } from '../sessions/service.ts';
import { findByEmail, type Invited } from '../sessions/store.ts';
import { type Company, CompanyError, type PendingSignIn } from './company.ts';
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

/** A member who signs in gets a session of these parts. */
export interface SignInDeps extends ConsoleDeps {
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly memory: BrowserMemory;
  readonly access: ConsoleAccess;
}

/** The last step of every sign-in: sets the cookie and redirects to the requested page. */
async function finishSignIn(
  { db, clock, access, cookies, memory }: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, email, next }: { readonly secret: string; readonly email: string; readonly next: string },
): Promise<FastifyReply> {
  // Its cookie is about to be replaced, so the old session would be unusable, and confusing in the list of sign-ins.
  const before = await access.identifyAny(request);
  if (before !== null) {
    await db.kysely.transaction().execute((tx) => endAndRecord(tx, before, { only: before.sessionId }, clock()));
  }
  cookies.session.set(reply, secret, IDLE_LIFE_MS);
  memory.noteSignIn(request, reply, email);
  return keepPrivate(reply).redirect(readNext(next), 303);
}

const optionsOf = ({ carriers, company }: ConsoleDeps): SignInOptions => ({
  hasMail: carriers.routeOfEmail === 'provider',
  hasCompany: company !== undefined,
});

/** An address gets one email per organization. More organizations than this are not expected. */
const MAX_EMAILED = 10;

export const signInPath = (secret: string): string => `/console/signin/${secret}`;

/** Emails a sign-in link to every member with the address. */
async function sendLinks(
  { db, clock, log, carriers, publicUrl, sessions }: SignInDeps,
  email: string,
  origin: LinkOrigin,
): Promise<void> {
  const members = await findByEmail(db.kysely, email, MAX_EMAILED);
  if (members.length === 0) return;
  for (const link of await sessions.requestLinks(email, members, origin)) {
    const { tenant, email: address, organization } = link.member;
    const isSent = await sendSecretEmail(
      { carriers, log },
      writeSignIn(link.member, publicUrl + signInPath(link.secret)),
      {
        id: newId('msg', clock()),
        address,
        organizationId: tenant.organizationId,
        accent: organization.accent,
        fromName: organization.name,
      },
    );
    if (!isSent) await sessions.discardLink(link);
  }
}

const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u;
const EMAIL_MAX_LENGTH = 254;

type LinkRequest = FastifyRequest<{ Params: { secret: string } }>;
type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const send = (request: FastifyRequest, reply: FastifyReply, status: number, document: Document) =>
  sendDocument(request, keepPrivate(reply), status, document);

const tooMany: Step = (request, reply) => send(request, reply, 429, renderTooMany());

function readBrowserSecret({ cookies }: SignInDeps, request: FastifyRequest): string | null {
  const value = cookies.linkBrowser.read(request);
  return value !== null && looksLikeSecret(value) ? value : null;
}

/** Sign-in by email, and by links that an operator creates. The pages use no JavaScript. */
export function registerSignIn(app: FastifyInstance, deps: SignInDeps): void {
  const { log, sessions, cookies, memory, access } = deps;
  const options = () => optionsOf(deps);
  const rateLimit = createLinkRateLimit(monotonicMs);

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
      void sendLinks(deps, email, from).catch((err: unknown) => log.error({ err }, 'sign-in email was not sent'));
    }
    return send(request, reply, 200, renderSent(email, next));
  });

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
    if (found !== null && found.member !== null) {
      return withRequest(request, { type: 'member', id: found.member.id }, () => respond(found));
    }
    rateLimit.noteMiss(request.ip);
    if (found !== null) await refuse(request, found.link, 'link_expired');
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
    return finishSignIn(deps, request, reply, { secret, email: open.member.email, next: open.link.next_path });
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

const PATH = '/console/signin/company';
export const companyCallback = (publicUrl: string): string => `${publicUrl}${PATH}/callback`;

/** Enough time to find a second factor. */
const PENDING_LIFE_MS = 10 * MINUTE_MS;
const CHOICE_LIFE_MS = 5 * MINUTE_MS;
/** More organizations per email than this are not expected. */
const MAX_CHOICES = 20;
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

function createCookies({ serverKey, clock, cookies: { named } }: SignInDeps) {
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const pending = { seal, clock, purpose: 'away', lifeMs: PENDING_LIFE_MS };
  const choice = { seal, clock, purpose: 'choice', lifeMs: CHOICE_LIFE_MS };
  return {
    pending: createSealedCookie<{ departure: PendingSignIn; next: string }>(named('foreword_away'), pending),
    choice: createSealedCookie<Choice>(named('foreword_choice'), choice),
  };
}

/** Sign-in with the company's account. The email that the provider vouches for must belong to a member. */
export function registerCompanySignIn(app: FastifyInstance, deps: SignInDeps, company: Company): void {
  const { db, sessions, access } = deps;
  const { pending, choice } = createCookies(deps);
  const rateLimit = createLinkRateLimit(monotonicMs);

  const refuse = (request: FastifyRequest, reply: FastifyReply, status: number, title: string, message: string) =>
    send(request, reply, status, renderProblem(optionsOf(deps), title, message));
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
    (await findByEmail(db.kysely, email, MAX_CHOICES)).filter((member) => foldAscii(member.email) === foldAscii(email));

  async function signIn(request: FastifyRequest, reply: FastifyReply, member: Invited, next: string) {
    return withRequest(request, { type: 'member', id: member.id }, async () => {
      const secret = await sessions.start(member, request.headers['user-agent']);
      return finishSignIn(deps, request, reply, { secret, email: member.email, next });
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
