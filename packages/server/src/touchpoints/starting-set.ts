/** The touchpoints that a new organization gets, by industry and lane. */

import { type Industry, isInLanes, type Lane, TOUCHPOINT_DEFAULTS, type TouchpointContent } from '@foreword/contract';
import { exteriorRemodelingTouchpoints } from './starting-set/exterior-remodeling.ts';
import { realEstateTouchpoints } from './starting-set/real-estate.ts';
import type { StartingTouchpoint } from './starting-set/touchpoint.ts';

/** In display order. Real estate has no lanes; an exterior remodeler that chose no lane works in both. */
export function startingTouchpoints(industry: Industry, lanes: readonly Lane[]): StartingTouchpoint[] {
  if (industry === 'real_estate') return [...realEstateTouchpoints];
  return exteriorRemodelingTouchpoints.filter(({ lane }) => isInLanes(lane, lanes));
}

interface OrganizationLanes {
  readonly industry: Industry;
  readonly lanes: readonly Lane[];
}

type OriginalContent = Omit<TouchpointContent, 'active'>;

export const originalContent = (starting: StartingTouchpoint): OriginalContent => ({
  name: starting.name,
  context: starting.context,
  lane: starting.lane,
  delivery: starting.delivery,
  minutes_to_record: starting.minutesToRecord,
  page_title: starting.pageTitle,
  script: starting.script,
  page_title_es: starting.spanish.pageTitle,
  script_es: starting.spanish.script,
  ...TOUCHPOINT_DEFAULTS,
});

/** The starting content for this slug; null for a touchpoint that the team created. Slugs are never reused. */
export function findOriginal({ industry, lanes }: OrganizationLanes, slug: string): OriginalContent | null {
  const starting = startingTouchpoints(industry, lanes).find((touchpoint) => touchpoint.slug === slug);
  return starting === undefined ? null : originalContent(starting);
}
