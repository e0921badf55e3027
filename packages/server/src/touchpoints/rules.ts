import {
  countWords,
  isCutOff,
  PACE,
  SCRIPT_FIT_SECONDS,
  SCRIPT_FIT_WORDS,
  SLUG_MAX_LENGTH,
  secondsToSay,
  TAKE_MAX_SECONDS,
  TOUCHPOINT_FIELDS,
  type TouchpointContent,
  type TouchpointField,
  type TouchpointFieldChange,
} from '@foreword/contract';

/** Advice for a script that is longer than recommended. In ASCII, because it is sent as a header. */
export function scriptHint(script: string): string | undefined {
  const words = countWords(script);
  if (words <= SCRIPT_FIT_WORDS) return undefined;
  if (isCutOff(secondsToSay(words, PACE.usual))) {
    return `The script has ${words} words, and the recorder stops after ${TAKE_MAX_SECONDS} seconds: it will be cut off. Up to ${SCRIPT_FIT_WORDS} words work best.`;
  }
  return `The script has ${words} words. Up to ${SCRIPT_FIT_WORDS} words, about ${SCRIPT_FIT_SECONDS} seconds, work best.`;
}

export type ContentChange = { readonly [F in TouchpointField]?: TouchpointContent[F] | undefined };

/** A touchpoint that every new organization gets. Titles and scripts are Liquid and also read well without optional values. */
export interface StartingTouchpoint
  extends Pick<TouchpointContent, 'name' | 'context' | 'page_title' | 'script' | 'page_title_es' | 'script_es'> {
  readonly slug: string;
  /** Without it, the touchpoint is for both lanes. */
  readonly lane?: TouchpointContent['lane'];
  /** How long the video is still useful, unless there is an appointment, which is then the deadline. */
  readonly minutes_to_record: number;
}

/** The editable fields of a row. */
export const pickContent = (from: TouchpointContent): TouchpointContent =>
  Object.fromEntries(TOUCHPOINT_FIELDS.map((field) => [field, from[field]])) as unknown as TouchpointContent;

/** The fields whose values change. */
export function listDifferences(before: TouchpointContent, change: ContentChange): TouchpointFieldChange[] {
  return TOUCHPOINT_FIELDS.flatMap((field) => {
    const after = change[field];
    return after === undefined || after === before[field] ? [] : [{ field, before: before[field], after }];
  });
}

/** The change that restores the values from before. */
export const revert = (fields: readonly TouchpointFieldChange[]): ContentChange =>
  Object.fromEntries(fields.map(({ field, before }) => [field, before]));

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

/** With one decimal. */
export const speakingSeconds = (words: number, wordsPerMinute: number): number =>
  Math.round(secondsToSay(words, wordsPerMinute) * 10) / 10;
