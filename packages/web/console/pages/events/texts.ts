import type { ConsoleEvent } from '@foreword/contract';

type FailureCode = NonNullable<ConsoleEvent['error']>['code'];

/** The reason next to a failed event in the list. */
export const FAILURE_REASONS: Record<FailureCode, string> = {
  touchpoint_not_found: 'Touchpoint is off',
  member_not_found: 'Member is deactivated',
  template_invalid: 'Script has an error',
  recipient_opted_out: 'Recipient opted out',
  recipient_erased: 'Recipient was erased',
  processing_failed: 'Internal error',
};

/** The first thing to do, because retrying now would fail for this reason. */
export const FIX_FIRST: Record<FailureCode, string> = {
  touchpoint_not_found: 'Turn on the touchpoint, then retry here.',
  member_not_found: 'Reactivate the member, then retry here.',
  template_invalid: 'Fix the touchpoint’s script or title, then retry here.',
  recipient_opted_out: 'Foreword can’t text this number, so retrying would fail again.',
  recipient_erased: 'The recipient was erased, so this event can’t be retried.',
  processing_failed: 'Ask your administrator to check the server log.',
};

/** Why retrying an event that failed for this reason would work now. */
export const FIXED: Record<FailureCode, string> = {
  touchpoint_not_found: 'The touchpoint is on now. Retry to create the intro.',
  member_not_found: 'The member is active now. Retry to create the intro.',
  template_invalid: 'The script and the title work now. Retry to create the intro.',
  recipient_opted_out: 'The recipient can be texted now. Retry to create the intro.',
  recipient_erased: 'The recipient was erased, so this event can’t be retried.',
  processing_failed: 'Retry. If it fails again, ask your administrator to check the server log.',
};
