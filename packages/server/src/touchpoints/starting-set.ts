import type { TouchpointContent } from '@foreword/contract';
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

interface Whose {
  readonly industry: Industry;
  readonly lanes: readonly Lane[];
}

/** Those that a touchpoint of theirs may belong to. */
export function lanesOf({ industry, lanes }: Whose): Lane[] {
  if (industry === 'real_estate') return [];
  return lanes.length === 0 ? ['retail', 'insurance'] : [...lanes];
}

export type OriginalContent = Omit<TouchpointContent, 'active'>;

export const originalContent = (starting: StartingTouchpoint): OriginalContent => ({
  name: starting.name,
  context: starting.context,
  lane: starting.lane,
  delivery: starting.delivery,
  days_to_record: starting.daysToRecord,
  page_title: starting.pageTitle,
  script: starting.script,
  action_label: null,
  action_url: null,
  text_message: null,
  reminds: true,
});

/** What their industry's own of this slug began as; null for one that the team made. Slugs are never given twice. */
export function findOriginal({ industry, lanes }: Whose, slug: string): OriginalContent | null {
  const starting = startingTouchpoints(industry, lanes).find((touchpoint) => touchpoint.slug === slug);
  return starting === undefined ? null : originalContent(starting);
}
