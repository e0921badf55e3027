import { ROLES, type Role } from '@foreword/contract';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../platform/errors.ts';
import type { Cookies } from './sessions/cookies.ts';
import type { ConsoleUser, Sessions, SignedIn } from './sessions/service.ts';

export { keepPrivate } from '../pages/index.ts';

/** Why a request is refused, by the role that it needs. */
export const NEEDED: Record<Role, string> = {
  member: 'You are no longer signed in. Sign in again.',
  manager: 'Only owners and managers can do this. Ask one of them.',
  owner: 'Only owners can do this. Ask one of them.',
};

export const mayActAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export type ConsoleAccess = ReturnType<typeof createConsoleAccess>;

/** Authorizes requests to the console. */
export function createConsoleAccess(deps: { sessions: Sessions; cookies: Cookies; publicUrl: string }) {
  const { sessions, cookies } = deps;
  const own = new URL(deps.publicUrl).origin;

  /** Includes a sign-in that a passkey has to confirm first. */
  async function identifyAny(request: FastifyRequest): Promise<SignedIn | null> {
    const secret = cookies.session.read(request);
    return secret === null ? null : sessions.find(secret);
  }

  return {
    identifyAny,
    /** Throws 401 when the request is not signed in completely, 403 when the role is too low. */
    async admit(request: FastifyRequest, needed: Role, orSelf?: string): Promise<ConsoleUser> {
      const found = await identifyAny(request);
      if (found?.step !== 'done') throw new ApiError('unauthorized', NEEDED.member);
      const { organizationId, memberId, role } = found;
      request.state.logFields = { organization: organizationId, member: memberId };
      if (!mayActAs(role, needed) && memberId !== orSelf) throw new ApiError('forbidden', NEEDED[needed]);
      return found;
    },
    /** Throws 403 unless one of our pages sent this: a form on another site sends the cookie, but not our origin. */
    requireSameOrigin({ headers, host, protocol }: FastifyRequest): void {
      const { origin, 'sec-fetch-site': site } = headers;
      // Sec-Fetch-Site is the most reliable, but browsers omit it over plain http. Then the origin decides: that of PUBLIC_URL,
      // or the one under which a proxy serves the console.
      const isOwn = site === undefined ? origin === own || origin === `${protocol}://${host}` : site === 'same-origin';
      if (isOwn) return;
      throw new ApiError(
        'forbidden',
        'This request did not come from the console. Open the console and try again there.',
      );
    },
  };
}
