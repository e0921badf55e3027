import { SLUG_MAX_LENGTH } from './limits.ts';
import { type Industry, LANES, type Lane } from './values.ts';

/** "After the storm: a check-up" → "after_the_storm_a_check_up"; empty when the name has no letter from a to z and no digit. */
export function slugFrom(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/['’]/g, '');
  return letters
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, SLUG_MAX_LENGTH)
    .replace(/^_+|_+$/g, '');
}

/** The lanes of an organization. Remodelers without a selection have both; real estate has none. */
export function lanesOf(organization: {
  readonly industry: Industry;
  readonly lanes: readonly Lane[];
}): readonly Lane[] {
  if (organization.industry === 'real_estate') return [];
  return organization.lanes.length === 0 ? LANES : organization.lanes;
}

/** An empty list selects every lane, and an object without a lane belongs to all of them. */
export const isInLanes = (lane: Lane | null, lanes: readonly Lane[]): boolean =>
  lane === null || lanes.length === 0 || lanes.includes(lane);

export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Uses the word count alone, because the pace is an average. */
export const secondsToSay = (words: number, wordsPerMinute: number): number => (words / wordsPerMinute) * 60;
