/** Edits the brand, with a preview of the recipient page. */

import type { BRAND_OPERATIONS, Brand } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { readSettings } from '../../delivery/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';
import { createPreview } from './preview.ts';
import { changeLogo, presentBrand, saveBrand } from './service.ts';

async function readBrand(db: Db, tenant: Tenant): Promise<Brand> {
  return presentBrand(await requireOrganization(db, tenant), await readSettings(db, tenant));
}

export function createBrandHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof BRAND_OPERATIONS> {
  const preview = createPreview(deps);
  return {
    readBrand: (user) => readBrand(deps.db.kysely, user.tenant),
    changeBrand: (user, { body }) => saveBrand(deps, user.tenant, body),
    previewBrand: (user, { body }) => preview.describe(user, body),
    uploadLogo: (user, { body }) =>
      changeLogo(deps, user.tenant, { edited: body.version, bytes: Buffer.from(body.file, 'base64') }),
    removeLogo: (user, { body }) => changeLogo(deps, user.tenant, { edited: body.version, bytes: null }),
  };
}
