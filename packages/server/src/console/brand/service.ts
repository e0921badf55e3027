import type { Brand, BrandDraft } from '@foreword/contract';
import { changeSettings, readHours } from '../../delivery/index.ts';
import { findOrganization, updateOrganization } from '../../organizations/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { deletePicture, PICTURE_MAX_BYTES, storePicture } from '../../recordings/index.ts';
import type { OrganizationRow, Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import { normalize, presentBrand } from './present.ts';

const conflict = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Somebody else changed the brand while you were editing. Nothing of yours was saved. Look at their version first.',
  );

/** Throws for what a field alone cannot tell. */
function refuse({ name, texts_from, texts_until }: BrandDraft): void {
  if (name === '') throw invalid('name', 'must not be empty');
  if (texts_from >= texts_until) throw invalid('texts_until', 'must be later than the beginning');
}

export async function saveBrand(
  { db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>,
  tenant: Tenant,
  { version, ...given }: BrandDraft & { readonly version: number },
): Promise<Brand> {
  const draft = normalize(given);
  refuse(draft);
  const { name, accent, office_phone, license, timezone } = draft;
  const hours = { from: draft.texts_from, until: draft.texts_until };
  return db.kysely.transaction().execute(async (tx) => {
    const change = { name, accent, office_phone, license, timezone };
    const row = await updateOrganization(tx, tenant.organizationId, change, version);
    if (row === null) throw conflict();
    const before = await readHours(tx, tenant);
    if (before.from !== hours.from || before.until !== hours.until)
      await changeSettings(tx, tenant, { hours }, clock());
    return presentBrand(row, hours);
  });
}

type LogoDeps = Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>;

async function keepLogo(deps: LogoDeps, { organizationId }: Tenant, bytes: Buffer): Promise<string> {
  if (bytes.length > PICTURE_MAX_BYTES) throw invalid('file', `is larger than ${PICTURE_MAX_BYTES / 1e6} MB`);
  const keyFor = (hash: string): string => `${organizationId}/logo-${hash}.png`;
  const kept = await storePicture(deps, { bytes, shape: 'logo', keyFor });
  if ('refused' in kept) throw invalid('file', kept.refused);
  return kept.key;
}

/** Read again, because the same picture may have been chosen anew meanwhile: its key is the same. */
async function dropUnlessShown({ db, objects, log }: LogoDeps, { organizationId }: Tenant, key: string): Promise<void> {
  const row = await findOrganization(db.kysely, organizationId);
  if (row?.logo === key) return;
  await deletePicture(objects, key).catch((err: unknown) => {
    log.warn({ err, organization: organizationId }, 'a logo that nothing shows was not deleted');
  });
}

/** Without bytes: none from now on. */
export async function changeLogo(
  deps: LogoDeps,
  tenant: Tenant,
  { edited, bytes }: { readonly edited: number; readonly bytes: Buffer | null },
): Promise<Brand> {
  const { kysely } = deps.db;
  const before = await findOrganization(kysely, tenant.organizationId);
  // Before any work; the statement below decides.
  if (before === null || before.version !== edited) throw conflict();
  const logo = bytes === null ? null : await keepLogo(deps, tenant, bytes);
  const row: OrganizationRow | null = await updateOrganization(kysely, tenant.organizationId, { logo }, edited);
  const unused = row === null ? logo : before.logo;
  if (unused !== null && unused !== row?.logo) await dropUnlessShown(deps, tenant, unused);
  if (row === null) throw conflict();
  return presentBrand(row, await readHours(kysely, tenant));
}
