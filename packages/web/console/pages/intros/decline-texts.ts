import type { DeclineReason } from '@foreword/contract';

/** After "Declined by Ana Ng:". */
const DECLINE_REASON_NAMES: Record<DeclineReason, string> = {
  not_meeting: 'not meeting this person',
  away: 'away',
  details_wrong: 'the details are wrong',
  other: 'another reason',
};

export const DECLINES = {
  declinedBy: (member: string, reason: DeclineReason) => `Declined by ${member}: ${DECLINE_REASON_NAMES[reason]}`,
  own: (reason: DeclineReason) => `You declined: ${DECLINE_REASON_NAMES[reason]}`,
  step: (reason: string) => `Declined: ${DECLINE_REASON_NAMES[reason as DeclineReason] ?? reason}`,

  decline: 'Decline',
  reasons: {
    not_meeting: 'I’m not meeting this person',
    away: 'I’m away',
    details_wrong: 'The details are wrong',
    other: 'Other',
  } as const satisfies Record<DeclineReason, string>,
} as const;
