import { exteriorRemodelingTouchpoints } from './starting-set/exterior-remodeling.ts';
import { realEstateTouchpoints } from './starting-set/real-estate.ts';
import type { Lane, StartingTouchpoint } from './starting-set/touchpoint.ts';

export type { Lane, StartingTouchpoint };
export type Industry = 'exterior_remodeling' | 'real_estate';

/** In the organization's own order. Real estate knows no lanes; exterior remodeling without a chosen lane runs both. */
export function startingTouchpoints(industry: Industry, lanes: readonly Lane[]): StartingTouchpoint[] {
  if (industry === 'real_estate') return [...realEstateTouchpoints];
  return exteriorRemodelingTouchpoints.filter(
    ({ lane }) => lane === null || lanes.length === 0 || lanes.includes(lane),
  );
}
