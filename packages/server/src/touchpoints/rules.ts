import type { TouchpointContent, TouchpointField, TouchpointFieldChange } from '@foreword/contract';

/** Code points of the line above the video, as it comes out. */
export const TITLE_MAX_LENGTH = 120;
/** Code points of what the member reads, as it comes out. */
export const SCRIPT_MAX_LENGTH = 1000;
/** Four segments of GSM-7 with its link. Nobody reads longer texts, and carriers charge for each. */
export const TEXT_MAX_LENGTH = 500;
/** The pace that the recorder begins with. */
export const USUAL_WORDS_PER_MINUTE = 150;
/** Two thirds finish a video of under a minute; what is meant as a few words stays a few. */
export const FIT_SECONDS = 15;
/** About as long, for people say a short text faster than they read a long one; the starting scripts keep to it. */
export const FIT_WORDS = 45;
const SLUG_MAX_LENGTH = 64;

/** In the order in which a change of several is told. */
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

/** What becomes different, field by field. */
export function listDifferences(before: TouchpointContent, change: ContentChange): TouchpointFieldChange[] {
  return CONTENT_FIELDS.flatMap((field) => {
    const after = change[field];
    return after === undefined || after === before[field] ? [] : [{ field, before: before[field], after }];
  });
}

/** The values that stood there before. */
export const takeBack = (fields: readonly TouchpointFieldChange[]): ContentChange =>
  Object.fromEntries(fields.map(({ field, before }) => [field, before]));

/** "After the storm: a check-up" → "after_the_storm_a_check_up". */
export function slugFrom(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = letters.replaceAll(/['’]/g, '').replaceAll(/[^a-z0-9]+/g, '_');
  return slug.slice(0, SLUG_MAX_LENGTH).replaceAll(/^_+|_+$/g, '') || 'touchpoint';
}

/** The slug, or the same with the first number behind it that nobody has. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`;
    const slug = wanted.slice(0, SLUG_MAX_LENGTH - ending.length) + ending;
    if (!taken.has(slug)) return slug;
  }
}

/** One of them is put before another, or at the end; the others keep their order. */
export function moveWithin(order: readonly string[], moved: string, before: string | null): string[] {
  if (before === moved) return [...order];
  const others = order.filter((one) => one !== moved);
  const place = before === null ? others.length : others.indexOf(before);
  return others.toSpliced(place, 0, moved);
}

export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** As the recorder reckons: the pace is an average, so the length follows from the count alone. */
export const secondsToSay = (words: number, wordsPerMinute: number): number =>
  Math.round((words / wordsPerMinute) * 600) / 10;
