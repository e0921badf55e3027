import { findMember } from '../members/index.ts';
import { deletePicture } from '../recordings/index.ts';
import type { Tenant } from '../tables.ts';
import type { ConsoleDeps } from './deps.ts';

/** Deletes a replaced photo. The member is read again, because the same picture (the same key) may have been set meanwhile. */
export async function deletePhotoIfUnused(
  { db, objects, log }: Pick<ConsoleDeps, 'db' | 'objects' | 'log'>,
  tenant: Tenant,
  memberId: string,
  photo: string | null,
): Promise<void> {
  if (photo === null) return;
  const row = await findMember(db.kysely, tenant, memberId);
  if (row?.photo === photo) return;
  await deletePicture(objects, photo).catch((err: unknown) => {
    log.warn({ err, organization: tenant.organizationId }, 'an unused photo was not deleted');
  });
}
