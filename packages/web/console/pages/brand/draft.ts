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

/** What of the draft is not as it was in another one. */
export const differing = (draft: BrandDraft, other: BrandDraft): Partial<BrandDraft> =>
  Object.fromEntries(FIELDS.filter((field) => draft[field] !== other[field]).map((field) => [field, draft[field]]));

export const isChanged = (draft: BrandDraft, base: BrandDraft): boolean =>
  FIELDS.some((field) => draft[field] !== base[field]);

/** Whether all of it is there already, written as the server keeps it: without spaces around, colours in small letters. */
export function standsIn(draft: BrandDraft, brand: Brand): boolean {
  const license = draft.license?.trim() ?? '';
  const kept = {
    ...draft,
    name: draft.name.trim(),
    accent: draft.accent?.toLowerCase() ?? null,
    license: license === '' ? null : license,
  };
  return !isChanged(kept, draftOf(brand));
}

export const differences = (one: Brand, other: Brand): readonly BrandField[] =>
  ([...FIELDS, 'logo_url'] as const).filter((field) => one[field] !== other[field]);

export const emptyAsNull = (text: string): string | null => (text === '' ? null : text);
