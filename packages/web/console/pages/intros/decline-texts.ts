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
  handedOver: 'Handed over',
  reassignOrCancel: 'Reassign it or cancel it.',
  ownLead: 'Owners and managers were notified. You can still record it.',

  decline: 'Decline',
  declineTitle: 'Decline this intro?',
  declineLead: 'Owners and managers are notified and decide who records it.',
  reason: 'Reason',
  reasons: {
    not_meeting: 'I’m not meeting this person',
    away: 'I’m away',
    details_wrong: 'The details are wrong',
    other: 'Other',
  } as const satisfies Record<DeclineReason, string>,
  words: 'In your words',
  done: 'You declined this intro.',
} as const;
