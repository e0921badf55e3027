import type { Brand, BrandDraft } from '@foreword/contract';
import { BRAND_FIELDS, REPLY_TYPES } from '@foreword/contract/plain';
import { ApiFailure } from '../../failure.ts';

export const fieldsOf = ({ version: _version, logo_url: _logo, ...fields }: Brand): BrandDraft => fields;

/** Whether the brand already has these values, in the form the server stores them: trimmed, colors in lower case. */
export function isSavedIn(changes: Partial<BrandDraft>, brand: Brand): boolean {
  const replies = REPLY_TYPES.map((type) => `reply_${type}` as const)
    .filter((field) => changes[field] !== undefined)
    .map((field) => [field, emptyAsNull(changes[field]?.trim() ?? '')]);
  const stored: Partial<BrandDraft> = {
    ...changes,
    ...Object.fromEntries(replies),
    ...(changes.name !== undefined && { name: changes.name.trim() }),
    ...(changes.accent !== undefined && { accent: changes.accent?.toLowerCase() ?? null }),
    ...(changes.license !== undefined && { license: emptyAsNull(changes.license?.trim() ?? '') }),
  };
  return BRAND_FIELDS.every((field) => stored[field] === undefined || stored[field] === brand[field]);
}

/** The fields of `other` that differ from `one`. */
export const listDifferences = (one: Brand, other: Brand): readonly (keyof BrandDraft | 'logo_url')[] =>
  ([...BRAND_FIELDS, 'logo_url'] as const).filter((field) => one[field] !== other[field]);

export const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

export const emptyAsNull = (text: string): string | null => (text === '' ? null : text);
