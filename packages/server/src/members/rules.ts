import { LANES, type MemberChoice, type Role } from '@foreword/contract';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';

/** A choice as the three columns that statements look members up by; at most one is not null. */
export interface MemberSelector {
  readonly id: string | null;
  readonly externalId: string | null;
  readonly email: string | null;
}

export function toSelector(choice: MemberChoice): MemberSelector {
  const { id, external_id: externalId, email } = choice;
  return {
    // Any text may come as an id; what is no id of ours (and perhaps no text a database takes) matches nobody.
    id: id !== undefined && ID_PATTERN.test(id) ? id : null,
    externalId: externalId ?? null,
    email: email ?? null,
  };
}

/** Why a choice found no one member; null when it found exactly one. */
export function explainMismatch(choice: MemberChoice, matches: number): ApiError | null {
  if (matches === 1) return null;
  if (matches > 1) {
    const message =
      'More than one active member has this e-mail address. Send member.id or member.external_id instead.';
    return new ApiError('member_ambiguous', message);
  }
  const [kind] = Object.keys(choice);
  return new ApiError('member_not_found', `No active member has this ${kind}. GET /v1/members lists them.`);
}

type Lane = 'retail' | 'insurance';

/** In which lanes the members of an organization can work. Without chosen lanes a remodeler runs both; real estate has none. */
export const lanesOf = (organization: { industry: string; lanes: readonly Lane[] }): readonly Lane[] => {
  if (organization.industry === 'real_estate') return [];
  return organization.lanes.length === 0 ? LANES : organization.lanes;
};

export function refuseLanes(possible: readonly Lane[], lanes: readonly Lane[] | undefined): ApiError | null {
  const foreign = lanes?.find((lane) => !possible.includes(lane));
  if (foreign === undefined) return null;
  const says =
    possible.length === 0
      ? 'must be empty: your organization has no lanes'
      : `must not name ${foreign}: your organization does not work in that lane`;
  return invalid('lanes', says);
}

/** What somebody may do to members besides what every manager may. */
export interface MemberAct {
  readonly role?: Role | undefined;
  readonly email?: string | undefined;
  /** To deactivate or to activate again. */
  readonly active?: boolean;
}

/**
 * Roles are the owners' to give, and what would let a manager become an owner is theirs as well: the address by which an owner
 * signs in, and whether one is there at all. `before` is null for a new member.
 */
export function refuseAct(
  actor: Role,
  before: { readonly role: Role; readonly email: string } | null,
  act: MemberAct,
): ApiError | null {
  if (actor === 'owner') return null;
  if (act.role !== undefined && act.role !== (before?.role ?? 'member')) {
    return forbidden('role', 'Only owners give and take roles. Ask one of yours.');
  }
  if (before?.role !== 'owner') return null;
  if (act.email !== undefined && act.email !== before.email) {
    return forbidden('email', 'Only owners change the address by which an owner signs in. Ask one of yours.');
  }
  if (act.active !== undefined) return forbidden('active', 'Only owners deactivate or reactivate an owner.');
  return null;
}

const forbidden = (field: string, message: string): ApiError => new ApiError('forbidden', message, { field });

/** Whether this act takes an owner away. */
export const takesOwner = (
  before: { role: Role; active: boolean },
  act: { role?: Role | undefined; active?: boolean },
) => before.active && before.role === 'owner' && ((act.role ?? 'owner') !== 'owner' || act.active === false);
