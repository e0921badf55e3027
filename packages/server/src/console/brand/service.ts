import { type Brand, type BrandDraft, type BrandShades, PICTURE_MAX_BYTES, REPLY_TYPES } from '@foreword/contract';
import type { Row, Tenant } from '../../db/tenancy.ts';
import { changeSettings, type DeliverySettings, readSettings } from '../../delivery/index.ts';
import {
  changeBrand,
  contrastBetween,
  DEFAULT_ACCENT,
  findOrganization,
  pickBrand,
  type Shades,
} from '../../organizations/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { changedFields } from '../../privacy/audit/index.ts';
import { deletePicture, storePicture } from '../../recordings/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { fileUrl } from '../session.ts';

type Hours = Pick<DeliverySettings, 'texts_from' | 'texts_until'>;

export const presentBrand = (row: Row<'organizations'>, { texts_from, texts_until }: Hours): Brand => ({
  ...pickBrand(row),
  version: row.version,
  texts_from,
  texts_until,
  logo_url: fileUrl(row.logo),
});

/** Trims the texts and lowercases the color, because colors are compared as text. */
export function normalize(draft: BrandDraft): BrandDraft {
  const license = draft.license?.trim() ?? '';
  const replies = REPLY_TYPES.map((type) => [`reply_${type}`, draft[`reply_${type}`]?.trim() || null]);
  return {
    ...draft,
    name: draft.name.trim(),
    accent: draft.accent?.toLowerCase() ?? null,
    license: license === '' ? null : license,
    ...Object.fromEntries(replies),
  };
}

export function presentShades({ accent, edge, onAccent, accentText }: Shades, chosen: string | null): BrandShades {
  const wanted = chosen ?? DEFAULT_ACCENT;
  return {
    accent,
    edge,
    on_accent: onAccent,
    accent_text: accentText,
    button_differs: accent !== wanted,
    text_differs: accentText !== wanted,
    contrast: Math.round(contrastBetween(onAccent, accent) * 10) / 10,
  };
}

const conflict = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Someone else changed the brand while you were editing. Your changes were not saved. Review the new version first.',
  );

/** Checks rules that a schema cannot express. */
function requireValid({ name, texts_from, texts_until }: BrandDraft): void {
  if (name === '') throw invalid('name', 'must not be empty');
  if (texts_from >= texts_until) throw invalid('texts_until', 'must be later than texts_from');
}

export async function saveBrand(
  { db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>,
  tenant: Tenant,
  { version, ...given }: BrandDraft & { readonly version: number },
): Promise<Brand> {
  const draft = normalize(given);
  requireValid(draft);
  const { texts_from, texts_until, ...change } = draft;
  const hours = { texts_from, texts_until };
  return db.kysely.transaction().execute(async (tx) => {
    const before = await readSettings(tx, tenant);
    const otherFields = changedFields({ texts_from: before.texts_from, texts_until: before.texts_until }, hours);
    const row = await changeBrand(tx, tenant.organizationId, change, { edited: version, otherFields });
    if (row === null) throw conflict();
    if (otherFields.length > 0) await changeSettings(tx, tenant, hours, clock());
    return presentBrand(row, hours);
  });
}

type LogoDeps = Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>;

async function uploadLogo(deps: LogoDeps, { organizationId }: Tenant, bytes: Buffer): Promise<string> {
  if (bytes.length > PICTURE_MAX_BYTES) throw invalid('file', `is larger than ${PICTURE_MAX_BYTES / 1e6} MB`);
  const keyFor = (hash: string): string => `${organizationId}/logo-${hash}.png`;
  const stored = await storePicture(deps, { bytes, shape: 'logo', keyFor });
  if ('refused' in stored) throw invalid('file', stored.refused);
  return stored.key;
}

/** Deletes a replaced logo. Reads the row again, because the same picture (the same key) may have been set meanwhile. */
async function deleteLogoIfUnused(
  { db, objects, log }: LogoDeps,
  { organizationId }: Tenant,
  key: string,
): Promise<void> {
  const row = await findOrganization(db.kysely, organizationId);
  if (row?.logo === key) return;
  await deletePicture(objects, key).catch((err: unknown) => {
    log.warn({ err, organization: organizationId }, 'an unused logo was not deleted');
  });
}

/** Without bytes, removes the logo. */
export async function changeLogo(
  deps: LogoDeps,
  tenant: Tenant,
  { edited, bytes }: { readonly edited: number; readonly bytes: Buffer | null },
): Promise<Brand> {
  const { kysely } = deps.db;
  const before = await findOrganization(kysely, tenant.organizationId);
  // Fails early, before the picture is decoded. The update below decides.
  if (before === null || before.version !== edited) throw conflict();
  const logo = bytes === null ? null : await uploadLogo(deps, tenant, bytes);
  const row: Row<'organizations'> | null = await kysely
    .transaction()
    .execute((tx) => changeBrand(tx, tenant.organizationId, { logo }, { edited }));
  const unused = row === null ? logo : before.logo;
  if (unused !== null && unused !== row?.logo) await deleteLogoIfUnused(deps, tenant, unused);
  if (row === null) throw conflict();
  return presentBrand(row, await readSettings(kysely, tenant));
}
