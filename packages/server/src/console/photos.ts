import { findMember } from '../members/index.ts';
import { deletePicture } from '../recordings/index.ts';
import type { Tenant } from '../tables.ts';
import type { ConsoleDeps } from './deps.ts';

/**
 * A face that nothing shows any more is not kept. Whose it is, is read again: the same picture may have been chosen anew
 * meanwhile, and its key is the same.
 */
export async function dropUnlessShown(
  { db, objects, log }: Pick<ConsoleDeps, 'db' | 'objects' | 'log'>,
  tenant: Tenant,
  memberId: string,
  photo: string | null,
): Promise<void> {
  if (photo === null) return;
  const row = await findMember(db.kysely, tenant, memberId);
  if (row?.photo === photo) return;
  await deletePicture(objects, photo).catch((err: unknown) => {
    log.warn({ err, organization: tenant.organizationId }, 'a photo that nothing shows was not deleted');
  });
}
