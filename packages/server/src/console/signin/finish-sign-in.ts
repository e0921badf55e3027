import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables } from '../../tables.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { Cookies } from '../sessions/cookies.ts';
import { IDLE_LIFE_MS, readNext } from '../sessions/rules.ts';
import { endSessions } from '../sessions/store.ts';

/** The last step of every sign-in: sets the cookie and redirects to the requested page. */
export type FinishSignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  next: string,
) => Promise<FastifyReply>;

export function createFinishSignIn(deps: {
  db: Database<Tables>;
  clock: Clock;
  access: ConsoleAccess;
  cookies: Cookies;
}): FinishSignIn {
  const { db, clock, access, cookies } = deps;
  return async (request, reply, secret, next) => {
    // Its cookie is about to be replaced, so the old session would be unusable, and confusing in the list of sign-ins.
    const before = await access.identify(request);
    if (before !== null) {
      await endSessions(db.kysely, before.tenant, before.memberId, { only: before.sessionId }, clock());
    }
    cookies.session.set(reply, secret, IDLE_LIFE_MS);
    return keepPrivate(reply).redirect(readNext(next), 303);
  };
}
