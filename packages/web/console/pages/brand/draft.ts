import type { Brand, BrandDraft } from '@foreword/contract';

/** What stands in the form. */
export function draftOf({ version: _version, logo_url: _logo, ...draft }: Brand): BrandDraft {
  return draft;
}

const FIELDS = [
  'name',
  'accent',
  'office_phone',
  'license',
  'timezone',
  'texts_from',
  'texts_until',
] as const satisfies readonly (keyof BrandDraft)[];

export type BrandField = (typeof FIELDS)[number] | 'logo_url';

export const isChanged = (draft: BrandDraft, base: BrandDraft): boolean =>
  FIELDS.some((field) => draft[field] !== base[field]);

export const differences = (one: Brand, other: Brand): readonly BrandField[] =>
  ([...FIELDS, 'logo_url'] as const).filter((field) => one[field] !== other[field]);

export const emptyAsNull = (text: string): string | null => (text === '' ? null : text);
