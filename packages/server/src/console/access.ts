import { ROLES, type Role } from '@foreword/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';
import type { Cookies } from './sessions/cookies.ts';
import type { ConsoleUser, Sessions, SignedIn } from './sessions/service.ts';

const NEEDED: Record<Role, string> = {
  member: 'You are not signed in any more. Sign in again.',
  manager: 'Only owners and managers may do this. Ask one of yours.',
  owner: 'Only owners may do this. Ask one of yours.',
};

export const mayActAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Decides who may ask what of the console. */
export interface ConsoleAccess {
  /** Null for nobody. */
  identify(request: FastifyRequest): Promise<SignedIn | null>;
  /** Throws 401 for nobody, 403 for somebody whose role is not enough. */
  admit(request: FastifyRequest, needed: Role): Promise<ConsoleUser>;
  /** Throws 403 unless a page of ours sent this: a form of another site carries the cookie, but not our origin. */
  requireSameOrigin(request: FastifyRequest): void;
}

export function createConsoleAccess(deps: { sessions: Sessions; cookies: Cookies; publicUrl: string }): ConsoleAccess {
  const { sessions, cookies } = deps;
  const own = new URL(deps.publicUrl).origin;

  async function identify(request: FastifyRequest): Promise<SignedIn | null> {
    const secret = cookies.session.read(request);
    return secret === null ? null : sessions.find(secret);
  }

  return {
    identify,
    async admit(request, needed) {
      const found = await identify(request);
      if (found === null) throw new ApiError('unauthorized', NEEDED.member);
      const { tenant, memberId, role, sessionId } = found;
      request.state.shown = { organization: tenant.organizationId, member: memberId };
      if (!mayActAs(role, needed)) throw new ApiError('forbidden', NEEDED[needed]);
      return { tenant, memberId, role, sessionId };
    },
    requireSameOrigin({ headers, host, protocol }) {
      const { origin, 'sec-fetch-site': site } = headers;
      // Browsers that tell, tell it best. Over plain http they do not; then the origin counts, which is PUBLIC_URL's, or that
      // under which a proxy serves the console.
      const isOwn = site === undefined ? origin === own || origin === `${protocol}://${host}` : site === 'same-origin';
      if (isOwn) return;
      throw new ApiError('forbidden', 'This did not come from the console. Open the console and try again there.');
    },
  };
}

/** Everything of the console is private: no cache keeps it, no other site learns its address. */
export const keepPrivate = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .header('x-content-type-options', 'nosniff');
