import type { Industry, Lane } from '../plain/index.ts';
import type { TeamMember } from './members.ts';
import { define, response } from './operation.ts';

/** The signed-in member and the organization, which every screen needs. */
export interface ConsoleSession {
  readonly member: Pick<TeamMember, 'id' | 'first_name' | 'last_name' | 'email' | 'role' | 'photo_url'> & {
    /** Whether intros are theirs to record: always for members, and for managers and owners who have had one. */
    readonly records: boolean;
  };
  readonly organization: {
    readonly id: string;
    readonly name: string;
    readonly industry: Industry;
    readonly lanes: readonly Lane[];
    readonly timezone: string;
    readonly logo_url: string | null;
  };
  /** The service's address, for snippets to copy. */
  readonly public_url: string;
  /** From when the member needs a passkey to sign in, and has none. Null: not at all, or there is one. */
  readonly passkey_needed_from: string | null;
}

export interface ActiveSignIn {
  readonly id: string;
  /** Browser and operating system, as far as known. */
  readonly device: string;
  readonly is_this: boolean;
  readonly last_seen_at: string;
}

export const SIGN_IN_OPERATIONS = define({
  readSession: { route: 'GET /session', role: 'member', success: response<ConsoleSession>() },
  signOut: { route: 'POST /session/sign-out', role: 'member', success: response<{ signed_out: true }>() },
  listSessions: { route: 'GET /sessions', role: 'member', success: response<{ sessions: ActiveSignIn[] }>() },
  endSession: { route: 'DELETE /sessions/{id}', role: 'member', success: response<{ revoked: true }>() },
  endOtherSessions: { route: 'POST /sessions/revoke-others', role: 'member', success: response<{ revoked: number }>() },
});
