/** The touchpoints that a new organization gets, by industry and lane. */

import { type Industry, isInLanes, type Lane, type TouchpointContent } from '@foreword/contract';
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

/** The same for every touchpoint, whether it starts from an original or is created by the team. */
export const INITIAL_SETTINGS = {
  action_label: null,
  action_label_es: null,
  action_url: null,
  shows_action: true,
  text_message: null,
  text_message_es: null,
  reminds: true,
} as const;

export type OriginalContent = Omit<TouchpointContent, 'active'>;

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
  ...INITIAL_SETTINGS,
});

/** The starting content for this slug; null for a touchpoint that the team created. Slugs are never reused. */
export function findOriginal({ industry, lanes }: OrganizationLanes, slug: string): OriginalContent | null {
  const starting = startingTouchpoints(industry, lanes).find((touchpoint) => touchpoint.slug === slug);
  return starting === undefined ? null : originalContent(starting);
}
