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
