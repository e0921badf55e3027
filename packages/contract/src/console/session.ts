import { Type } from 'typebox';
import type { Industry, Lane, Role } from '../plain/index.ts';
import { define, response } from './operation.ts';

/** Who is signed in, and for whom: what every screen needs. */
export interface ConsoleSession {
  readonly member: {
    readonly id: string;
    readonly first_name: string;
    readonly last_name: string;
    readonly email: string;
    readonly role: Role;
    readonly photo_url: string | null;
  };
  readonly organization: {
    readonly id: string;
    readonly name: string;
    readonly industry: Industry;
    readonly lanes: readonly Lane[];
    readonly timezone: string;
    readonly logo_url: string | null;
  };
  /** The address of this service, for what is shown to copy. */
  readonly public_url: string;
}

export interface ActiveSignIn {
  readonly id: string;
  /** Browser and system, as far as they tell. */
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
