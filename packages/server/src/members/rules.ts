import { ERRORS, type ImportField, type Lane, type MemberChoice, type Role } from '@foreword/contract';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';

/** The fields of a line of an imported file. Changes are listed in this order. */
export const IMPORTED_FIELDS = [
  ...(['first_name', 'last_name', 'email', 'phone', 'external_id', 'lanes', 'role', 'title', 'title_es'] as const),
] satisfies ImportField[];

/** The values that statements look members up by. At most one is not null. */
export function toSelector(choice: MemberChoice) {
  const { id, external_id: externalId, email } = choice;
  return {
    // Callers may send any text as an id. Text that is not a valid id (PostgreSQL rejects some of it) matches no member.
    id: id !== undefined && ID_PATTERN.test(id) ? id : null,
    externalId: externalId ?? null,
    email: email ?? null,
  };
}

/** The error for a choice that matched no member or several; null when it matched exactly one. */
export function explainMismatch(choice: MemberChoice, matches: number): ApiError | null {
  if (matches === 1) return null;
  const [kind] = Object.keys(choice);
  const field = `member.${kind}`;
  if (matches > 1) return new ApiError('member_ambiguous', ERRORS.member_ambiguous.example, { field });
  const message = `No active member who can record has this ${kind}. GET /v1/members lists them.`;
  return new ApiError('member_not_found', message, { field });
}

export function refuseLanes(possible: readonly Lane[], lanes: readonly Lane[] | undefined): ApiError | null {
  const unavailable = lanes?.find((lane) => !possible.includes(lane));
  if (unavailable === undefined) return null;
  const message =
    possible.length === 0
      ? 'must be empty: your organization has no lanes'
      : `must not include ${unavailable}: your organization does not work in that lane`;
  return invalid('lanes', message);
}

/** Who changes the team: a signed-in member with a role, or an integration with an API key. */
export type Actor = Role | 'integration';

/** Changes to a member that may require an owner. */
export interface MemberAction {
  readonly role?: Role | undefined;
  readonly email?: string | undefined;
  /** Deactivates (false) or reactivates (true). */
  readonly active?: boolean;
}

/**
 * Only owners change roles. Only owners change an owner's email or deactivate an owner, because either would let a manager
 * take over an owner's account. A stolen API key must not do that either, nor take over a manager. `before` is null for a new
 * member.
 */
export function refuseAction(
  actor: Actor,
  before: { readonly role: Role; readonly email: string } | null,
  action: MemberAction,
): ApiError | null {
  if (actor === 'owner') return null;
  const changesEmail = before !== null && action.email !== undefined && action.email !== before.email;
  if (actor === 'integration') {
    // A CRM may write the same address in another case.
    const isRefused =
      changesEmail && before.role !== 'member' && action.email?.toLowerCase() !== before.email.toLowerCase();
    return isRefused ? new ApiError('forbidden', EMAIL_REFUSED) : null;
  }
  if (action.role !== undefined && action.role !== (before?.role ?? 'member')) {
    return forbidden('role', 'Only owners can change roles. Ask an owner.');
  }
  if (before?.role !== 'owner') return null;
  if (changesEmail) {
    return forbidden('email', "Only owners can change an owner's email. Ask an owner.");
  }
  if (action.active !== undefined) return forbidden('active', 'Only owners can deactivate or reactivate an owner.');
  return null;
}

const EMAIL_REFUSED =
  'The email of an owner or manager cannot be changed with an API key. Change it in the console; nothing was changed.';

const forbidden = (field: string, message: string): ApiError => new ApiError('forbidden', message, { field });

/** Whether this leaves the organization with one active owner fewer. */
export const removesOwner = (
  before: { role: Role; active: boolean },
  action: { role?: Role | undefined; active?: boolean },
) => before.active && before.role === 'owner' && ((action.role ?? 'owner') !== 'owner' || action.active === false);

/** When emails to the member's address started to bounce. Null: they do not, or only those to an earlier address did. */
export const bouncedSince = ({
  email,
  bounced_email,
  email_bounced_at,
}: {
  readonly email: string;
  readonly bounced_email: string | null;
  readonly email_bounced_at: Date | null;
}): Date | null => (bounced_email === email.toLowerCase() ? email_bounced_at : null);
