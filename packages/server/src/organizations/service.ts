import { DEFAULT_LANGUAGE, ORGANIZATION_BRAND_FIELDS, type OrganizationBrand } from '@foreword/contract';
import type { Row, Tenant, Tx } from '../db/tenancy.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { changedFields, recordChange } from '../privacy/audit/index.ts';
import { insertStartingTouchpoints } from '../touchpoints/index.ts';
import { findOrganization, insertOrganization, type OrganizationChange, updateOrganization } from './store.ts';

export const testTenant = (organizationId: string): Tenant => ({ organizationId, environment: 'test' });

/** Runs in a transaction, so that no one sees an organization without its touchpoints. */
export async function createOrganization(
  tx: Tx,
  clock: Clock,
  organization: Pick<Row<'organizations'>, 'name' | 'industry' | 'lanes' | 'timezone'> & Partial<OrganizationBrand>,
): Promise<Row<'organizations'>> {
  const now = clock();
  const defaults = { version: 1, language: DEFAULT_LANGUAGE } as const;
  const row = await insertOrganization(tx, { id: newId('org', now), ...defaults, ...organization, created_at: now });
  await insertStartingTouchpoints(tx, testTenant(row.id), row);
  await recordChange(tx, testTenant(row.id), { action: 'organization.created', object: row.id });
  return row;
}

/**
 * Changes what recipients see. Null when the organization does not exist or is no longer at version `edited`. `otherFields`
 * are settings that the same form changes, and that are stored elsewhere.
 */
export async function changeBrand(
  tx: Tx,
  id: string,
  change: OrganizationChange,
  { edited, otherFields = [] }: { readonly edited?: number; readonly otherFields?: readonly string[] } = {},
): Promise<Row<'organizations'> | null> {
  const before = await findOrganization(tx, id);
  if (before === null) return null;
  const row = await updateOrganization(tx, id, change, edited);
  if (row === null) return null;
  const fields = [...changedFields<Row<'organizations'>>(before, change), ...otherFields];
  if (fields.length > 0) await recordChange(tx, testTenant(id), { action: 'brand.changed', object: id, fields });
  return row;
}

// Adjusts an organization's accent color so that it meets WCAG 2 contrast on every background of the pages.

export interface Shades {
  /** The background of a button: in light mode exactly the chosen color, so that a light color keeps its hue. */
  readonly accent: string;
  /** The outline of a button, and of the focus. The same as `accent` if that stands out from the page. */
  readonly edge: string;
  /** Text on that background. */
  readonly onAccent: string;
  /** The accent as a text color. */
  readonly accentText: string;
}

interface BrandColors {
  readonly light: Shades;
  readonly dark: Shades;
}

type Rgb = readonly [red: number, green: number, blue: number];

const DEFAULT_ACCENT = '#2c6652';
/** As in the style sheets of the console and the recorder, so that a button has one color everywhere. */
const DEFAULT_DARK: Shades = { accent: '#8ccbb2', edge: '#8ccbb2', onAccent: '#10231b', accentText: '#8ccbb2' };
const TEXT_CONTRAST = 4.5;
const SHAPE_CONTRAST = 3;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The style sheets' page and surface colors. */
const LIGHT_BACKGROUNDS: readonly Rgb[] = [
  [250, 248, 244],
  [255, 255, 255],
];
const DARK_BACKGROUNDS: readonly Rgb[] = [
  [21, 20, 18],
  [31, 29, 26],
];
const STEPS = 50;

function parse(color: string): Rgb {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(color) ?? [];
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

const toHex = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Rgb, b: Rgb): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** The color closest to `color`, on the way to white or black, with at least `minContrast` against each background. */
function adjust(color: Rgb, backgrounds: readonly Rgb[], towards: Rgb, minContrast: number): Rgb {
  for (let step = 0; step < STEPS; step++) {
    // Rounded first, because the page shows the rounded color.
    const candidate = parse(toHex(mix(color, towards, step / STEPS)));
    if (backgrounds.every((background) => contrast(candidate, background) >= minContrast)) return candidate;
  }
  return towards;
}

function shadesOn(
  color: Rgb,
  { backgrounds, towards, fill }: { backgrounds: readonly Rgb[]; towards: Rgb; fill: 'chosen' | 'adjusted' },
): Shades {
  const edge = adjust(color, backgrounds, towards, SHAPE_CONTRAST);
  const accent = fill === 'chosen' ? color : edge;
  // One of the two always reaches 4.5. White is preferred, as on most buttons.
  const onAccent = contrast(WHITE, accent) >= TEXT_CONTRAST ? WHITE : BLACK;
  return {
    accent: toHex(accent),
    edge: toHex(edge),
    onAccent: toHex(onAccent),
    accentText: toHex(adjust(color, backgrounds, towards, TEXT_CONTRAST)),
  };
}

/** Every email and page has colors, and an organization has one accent. */
const known = new BoundedMap<string, BrandColors>({ maxSize: 500 });

/** Expects `accent` as `#rrggbb`; anything else means the default accent. */
export function brandColors(accent: string | null): BrandColors {
  const chosen = accent !== null && /^#[0-9a-f]{6}$/i.test(accent) ? accent : DEFAULT_ACCENT;
  let colors = known.get(chosen);
  if (colors === undefined) {
    const color = parse(chosen);
    colors = {
      light: shadesOn(color, { backgrounds: LIGHT_BACKGROUNDS, towards: BLACK, fill: 'chosen' }),
      // A dark button with a light outline would look disabled on a dark page.
      dark:
        chosen === DEFAULT_ACCENT
          ? DEFAULT_DARK
          : shadesOn(color, { backgrounds: DARK_BACKGROUNDS, towards: WHITE, fill: 'adjusted' }),
    };
    known.set(chosen, colors);
  }
  return colors;
}

/** Returns exactly the brand fields of a row or a draft. */
export const pickBrand = (from: OrganizationBrand): OrganizationBrand =>
  Object.fromEntries(ORGANIZATION_BRAND_FIELDS.map((field) => [field, from[field]])) as unknown as OrganizationBrand;
