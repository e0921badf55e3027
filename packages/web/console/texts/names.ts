import type { ConsoleIntroRow, TouchpointContent } from '@foreword/contract';

// Names that several parts of the console share.

export const STATUS_NAMES: Record<ConsoleIntroRow['status'], string> = {
  requested: 'To record',
  ready: 'Recorded',
  sent: 'Sent',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

export const LANE_NAMES: Record<NonNullable<TouchpointContent['lane']>, string> = {
  retail: 'Retail',
  insurance: 'Insurance',
};

export const NO_TOUCHPOINT = 'No touchpoint';
