import { MINUTE_MS } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db/tenancy.ts';
import { createLinkRateLimit } from '../../intros/links/index.ts';
import { type Document, sendDocument } from '../../pages/index.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { withRequest } from '../../platform/origin.ts';
import { sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { Cookie } from '../sessions/cookies.ts';
import { readNext } from '../sessions/rules.ts';
import { createSealedCookie } from '../sessions/sealed-cookie.ts';
import type { Sessions } from '../sessions/service.ts';
import { findByEmail, type Invited } from '../sessions/store.ts';
import { type Company, CompanyError, type PendingSignIn } from './company.ts';
import { renderChoice, renderProblem, renderTooMany, SIGN_IN, type SignInOptions } from './pages.ts';
import type { FinishSignIn } from './routes.ts';

export interface CompanyRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly serverKey: ServerKey;
  readonly company: Company;
  readonly sessions: Sessions;
  readonly access: ConsoleAccess;
  readonly finishSignIn: FinishSignIn;
  readonly named: (name: string) => Cookie;
  readonly options: () => SignInOptions;
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

const send = (request: FastifyRequest, reply: FastifyReply, status: number, document: Document) =>
  sendDocument(request, keepPrivate(reply), status, document);

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
