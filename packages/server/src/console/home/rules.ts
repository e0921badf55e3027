import type { HomeTouchpoint } from '@foreword/contract';

type Lanes = readonly ('retail' | 'insurance')[];

/** Members without lanes work in every lane, and touchpoints without a lane belong to every lane. */
export const isOwnLane = (lanes: Lanes, lane: HomeTouchpoint['lane']): boolean =>
  lane === null || lanes.length === 0 || lanes.includes(lane);
