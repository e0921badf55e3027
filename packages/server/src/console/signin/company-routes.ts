import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createLinkRateLimit } from '../../links/index.ts';
import { type Document, sendDocument } from '../../pages/index.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { createSeal } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { Tables } from '../../tables.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { Cookie } from '../sessions/cookies.ts';
import { readNext } from '../sessions/rules.ts';
import type { Sessions } from '../sessions/service.ts';
import { findByEmail, type Invited } from '../sessions/store.ts';
import { type Company, CompanyError, type Departure } from './company.ts';
import type { FinishSignIn } from './finish-sign-in.ts';
import { renderChoice, renderProblem, renderTooMany, type SignInOptions } from './pages.ts';
import { createSealedCookie } from './sealed-cookie.ts';
import { SIGN_IN } from './texts.ts';

export interface CompanyRoutesDeps {
  readonly db: Database<Tables>;
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

/** As long as one may take to find a second factor. */
const AWAY_LIFE_MS = 10 * 60_000;
const CHOICE_LIFE_MS = 5 * 60_000;
/** Nobody belongs to more organizations. */
const MAX_ORGANIZATIONS = 20;
const SEAL_PURPOSE = 'company sign-in';

/** Only A to Z: to the database a Kelvin sign is the same letter as a k, and to a provider it is another address. */
const foldAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

interface Choice {
  readonly email: string;
  readonly next: string;
}

/** Signing in by the company's own account. Who it says somebody is, is a member here already, or stays outside. */
export function registerCompanySignIn(app: FastifyInstance, deps: CompanyRoutesDeps): void {
  const { db, clock, company, sessions, access, finishSignIn, options } = deps;
  const seal = createSeal(deps.serverKey.derive(SEAL_PURPOSE));
  const shared = { seal, clock };
  const away = createSealedCookie<{ departure: Departure; next: string }>(deps.named('foreword_away'), {
    ...shared,
    purpose: 'away',
    lifeMs: AWAY_LIFE_MS,
  });
  const choice = createSealedCookie<Choice>(deps.named('foreword_choice'), {
    ...shared,
    purpose: 'choice',
    lifeMs: CHOICE_LIFE_MS,
  });
  const rateLimit = createLinkRateLimit(monotonicMs);

  const send = (request: FastifyRequest, reply: FastifyReply, status: number, document: Document) =>
    sendDocument(request, keepPrivate(reply), status, document);
  const refuse = (request: FastifyRequest, reply: FastifyReply, status: number, title: string, says: string) =>
    send(request, reply, status, renderProblem(options(), title, says));
  const failed = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(request, reply, 502, SIGN_IN.companyFailedTitle, SIGN_IN.companyFailed);

  /** Each attempt costs the provider a request, made by us. */
  function isTooOften({ ip }: FastifyRequest): boolean {
    if (rateLimit.waitS(ip) !== null) return true;
    rateLimit.noteMiss(ip);
    return false;
  }

  const findMembers = async (email: string): Promise<Invited[]> =>
    (await findByEmail(db.kysely, email, MAX_ORGANIZATIONS)).filter(
      (member) => foldAscii(member.email) === foldAscii(email),
    );

  const begin = async (request: FastifyRequest, reply: FastifyReply, member: Invited, next: string) =>
    finishSignIn(request, reply, await sessions.begin(db.kysely, member, request.headers['user-agent']), next);

  async function welcome(request: FastifyRequest, reply: FastifyReply, { email, next }: Choice) {
    const members = await findMembers(email);
    const [only] = members;
    if (only === undefined) return refuse(request, reply, 403, SIGN_IN.nobodyTitle, SIGN_IN.nobody(email));
    if (members.length === 1) return begin(request, reply, only, next);
    choice.set(reply, { email, next });
    return send(request, reply, 200, renderChoice(members));
  }

  /** Null when it did not work, which is logged. */
  async function attempt<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof CompanyError) return null;
      throw error;
    }
  }

  app.get(PATH, { config: { operation: 'console_company' } }, async (request, reply) => {
    if (isTooOften(request)) return send(request, reply, 429, renderTooMany());
    const next = readNext((request.query as { next?: unknown }).next);
    const left = await attempt(company.depart());
    if (left === null) return failed(request, reply);
    away.set(reply, { departure: left.departure, next });
    return keepPrivate(reply).redirect(left.url, 303);
  });

  app.get(`${PATH}/callback`, { config: { operation: 'console_company_callback' } }, async (request, reply) => {
    const left = away.read(request);
    away.clear(reply);
    if (left === null) return refuse(request, reply, 400, SIGN_IN.companyLateTitle, SIGN_IN.companyLate);
    if (isTooOften(request)) return send(request, reply, 429, renderTooMany());
    const { searchParams } = new URL(request.url, 'http://here');
    const arrival = await attempt(company.arrive(searchParams, left.departure));
    if (arrival === null) return failed(request, reply);
    if (arrival === 'unverified') {
      return refuse(request, reply, 403, SIGN_IN.companyFailedTitle, SIGN_IN.companyUnverified);
    }
    return welcome(request, reply, { email: arrival.email, next: left.next });
  });

  app.post(`${PATH}/choose`, { config: { operation: 'console_company_choose' } }, async (request, reply) => {
    access.requireSameOrigin(request);
    const asked = choice.read(request);
    choice.clear(reply);
    if (asked === null) return refuse(request, reply, 400, SIGN_IN.companyLateTitle, SIGN_IN.companyLate);
    const wanted = new URLSearchParams(String(request.body ?? '')).get('member');
    const member = (await findMembers(asked.email)).find(({ id }) => id === wanted);
    if (member === undefined) return welcome(request, reply, asked);
    return begin(request, reply, member, asked.next);
  });
}
