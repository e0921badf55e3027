import type { HomeTouchpoint } from '@foreword/contract';

type Lanes = readonly ('retail' | 'insurance')[];

/** Members without lanes work in all of them, and touchpoints without one belong to all. */
export const isOwnLane = (lanes: Lanes, lane: HomeTouchpoint['lane']): boolean =>
  lane === null || lanes.length === 0 || lanes.includes(lane);
