import type { Brand, BrandDraft, BrandShades } from '@foreword/contract';
import type { Hours } from '../../delivery/index.ts';
import { contrastBetween, DEFAULT_ACCENT, pickBrand, type Shades } from '../../organizations/index.ts';
import type { OrganizationRow } from '../../tables.ts';
import { fileUrl } from '../session.ts';

export const presentBrand = (row: OrganizationRow, hours: Hours): Brand => ({
  ...pickBrand(row),
  version: row.version,
  texts_from: hours.from,
  texts_until: hours.until,
  logo_url: fileUrl(row.logo),
});

/** Trims the texts and lowercases the color, because colors are compared as text. */
export function normalize(draft: BrandDraft): BrandDraft {
  const license = draft.license?.trim() ?? '';
  return {
    ...draft,
    name: draft.name.trim(),
    accent: draft.accent?.toLowerCase() ?? null,
    license: license === '' ? null : license,
  };
}

export function presentShades({ accent, onAccent, accentText }: Shades, chosen: string | null): BrandShades {
  const wanted = chosen ?? DEFAULT_ACCENT;
  return {
    accent,
    on_accent: onAccent,
    accent_text: accentText,
    button_differs: accent !== wanted,
    text_differs: accentText !== wanted,
    contrast: Math.round(contrastBetween(onAccent, accent) * 10) / 10,
  };
}
