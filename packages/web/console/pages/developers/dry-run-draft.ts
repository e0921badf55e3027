import type { StepMember, StepTouchpoint } from '@foreword/contract';

/** The form's fields. */
export interface EventDraft {
  readonly touchpoint: StepTouchpoint | null;
  readonly member: StepMember | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  /** The value of a `datetime-local` input. */
  readonly starts: string;
  readonly trade: string;
  readonly lane: string;
}

export const EMPTY_DRAFT: EventDraft = {
  touchpoint: null,
  member: null,
  firstName: 'Dana',
  lastName: '',
  phone: '+14155550123',
  starts: '',
  trade: '',
  lane: '',
};

/** The request body. Empty fields are left out, so that the dry run reports missing required fields. */
export function eventFrom(draft: EventDraft, timezone: string, nowMs: number): object {
  const { touchpoint, member, firstName, lastName, phone, starts, trade, lane } = draft;
  const context = {
    ...(starts !== '' && { appointment: { starts_at: `${starts}:00`, timezone } }),
    ...(trade !== '' && { trade }),
    ...(lane !== '' && { lane }),
  };
  return {
    ...(touchpoint !== null && { touchpoint: touchpoint.slug }),
    occurred_at: new Date(nowMs).toISOString(),
    ...(member !== null && {
      member: member.external_id === null ? { id: member.id } : { external_id: member.external_id },
    }),
    recipient: {
      ...(firstName !== '' && { first_name: firstName }),
      ...(lastName !== '' && { last_name: lastName }),
      ...(phone !== '' && { phone }),
    },
    ...(Object.keys(context).length > 0 && { context }),
  };
}
