import type { TouchpointContent, TouchpointField, TouchpointFieldChange } from '@foreword/contract';

/** Limit for the rendered line above the video, in code points. */
export const TITLE_MAX_LENGTH = 120;
/** Limit for the rendered script, in code points. */
export const SCRIPT_MAX_LENGTH = 1000;
/** Four GSM-7 segments including the link. Carriers charge for each segment. */
export const TEXT_MAX_LENGTH = 500;
/** The recorder's default reading pace. */
export const USUAL_WORDS_PER_MINUTE = 150;
/** Recommended length: two thirds of viewers finish a video of under a minute. */
export const FIT_SECONDS = 15;
/** About the same length in words, because people read short texts faster. The starting scripts stay within it. */
export const FIT_WORDS = 45;
const SLUG_MAX_LENGTH = 64;

/** In the order in which the history lists them. */
export const CONTENT_FIELDS = [
  'name',
  'active',
  'context',
  'lane',
  'delivery',
  'days_to_record',
  'script',
  'page_title',
  'text_message',
  'action_label',
  'action_url',
  'reminds',
] as const satisfies readonly TouchpointField[];

export type ContentChange = { readonly [F in TouchpointField]?: TouchpointContent[F] | undefined };

/** The fields whose values change. */
export function listDifferences(before: TouchpointContent, change: ContentChange): TouchpointFieldChange[] {
  return CONTENT_FIELDS.flatMap((field) => {
    const after = change[field];
    return after === undefined || after === before[field] ? [] : [{ field, before: before[field], after }];
  });
}

/** The change that restores the values from before. */
export const revert = (fields: readonly TouchpointFieldChange[]): ContentChange =>
  Object.fromEntries(fields.map(({ field, before }) => [field, before]));

/** "After the storm: a check-up" → "after_the_storm_a_check_up". */
export function slugFrom(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = letters.replaceAll(/['’]/g, '').replaceAll(/[^a-z0-9]+/g, '_');
  return slug.slice(0, SLUG_MAX_LENGTH).replaceAll(/^_+|_+$/g, '') || 'touchpoint';
}

/** The slug, with the first free number appended when it is taken. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`;
    const slug = wanted.slice(0, SLUG_MAX_LENGTH - ending.length) + ending;
    if (!taken.has(slug)) return slug;
  }
}

/** Moves one item before another, or to the end. */
export function moveWithin(order: readonly string[], moved: string, before: string | null): string[] {
  if (before === moved) return [...order];
  const others = order.filter((slug) => slug !== moved);
  const place = before === null ? others.length : others.indexOf(before);
  return others.toSpliced(place, 0, moved);
}

export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** In seconds, with one decimal. The same calculation as in the recorder: words divided by an average pace. */
export const secondsToSay = (words: number, wordsPerMinute: number): number =>
  Math.round((words / wordsPerMinute) * 600) / 10;
