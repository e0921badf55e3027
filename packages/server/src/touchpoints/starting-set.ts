/** The touchpoints that a new organization gets, by industry and lane. */

import { type Industry, isInLanes, type Lane, TOUCHPOINT_DEFAULTS, type TouchpointContent } from '@foreword/contract';
import type { StartingTouchpoint } from './rules.ts';
import { exteriorRemodelingTouchpoints } from './starting-set/exterior-remodeling.ts';
import { realEstateTouchpoints } from './starting-set/real-estate.ts';

// Scripts have at most 36 words with ordinary names, which leaves a word for a longer one (see SCRIPT_FIT_WORDS). Titles truncate names: a
// name may have 100 characters, a title 120. The Spanish is Latin American, with the formal "usted", as short as the English. Trades
// follow "proyecto de", so that no article has to agree with them.

/** In display order. Real estate has no lanes; an exterior remodeler that chose no lane works in both. */
export function startingTouchpoints(industry: Industry, lanes: readonly Lane[]): StartingTouchpoint[] {
  if (industry === 'real_estate') return [...realEstateTouchpoints];
  return exteriorRemodelingTouchpoints.filter(({ lane = null }) => isInLanes(lane, lanes));
}

type OriginalContent = Omit<TouchpointContent, 'active'>;

export const originalContent = ({ slug: _, ...content }: StartingTouchpoint): OriginalContent => ({
  lane: null,
  delivery: 'service',
  ...content,
  ...TOUCHPOINT_DEFAULTS,
});

/** The starting content for this slug; null for a touchpoint that the team created. Slugs are never reused. */
export function findOriginal(
  { industry, lanes }: { readonly industry: Industry; readonly lanes: readonly Lane[] },
  slug: string,
): OriginalContent | null {
  const starting = startingTouchpoints(industry, lanes).find((touchpoint) => touchpoint.slug === slug);
  return starting === undefined ? null : originalContent(starting);
}
