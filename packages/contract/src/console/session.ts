import { Type } from 'typebox';
import type { Industry, Lane } from '../plain/index.ts';
import type { TeamMember } from './members.ts';
import { define, response } from './operation.ts';

/** The signed-in member and the organization, which every screen needs. */
export interface ConsoleSession {
  readonly member: Pick<TeamMember, 'id' | 'first_name' | 'last_name' | 'email' | 'role' | 'photo_url'>;
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
  readonly signed_in_at: string;
  readonly last_seen_at: string;
}

export const SESSION_OPERATIONS = define({
  'GET /session': { role: 'member', response: response<ConsoleSession>() },
  'POST /session/sign-out': { role: 'member', response: response<{ signed_out: true }>() },
  'GET /sessions': { role: 'member', response: response<{ sessions: ActiveSignIn[] }>() },
  'DELETE /sessions/:id': { role: 'member', response: response<{ revoked: true }>() },
  'POST /sessions/revoke-others': {
    role: 'member',
    body: Type.Object({}, { additionalProperties: false }),
    response: response<{ revoked: number }>(),
  },
});
