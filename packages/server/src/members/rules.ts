import type { MemberChoice } from '@foreword/contract';
import { ApiError } from '../platform/errors.ts';
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
