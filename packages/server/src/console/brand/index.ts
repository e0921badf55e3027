import type { BRAND_OPERATIONS, Brand } from '@foreword/contract';
import { readHours } from '../../delivery/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { presentBrand } from './present.ts';
import { createPreview } from './preview.ts';
import { changeLogo, saveBrand } from './service.ts';

async function readBrand(db: Queryable<Tables>, tenant: Tenant): Promise<Brand> {
  const row = await findOrganization(db, tenant.organizationId);
  if (row === null) throw new ApiError('not_found', 'This organization is gone.');
  return presentBrand(row, await readHours(db, tenant));
}

export function createBrandHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof BRAND_OPERATIONS> {
  const preview = createPreview(deps);
  return {
    'GET /brand': ({ who }) => readBrand(deps.db.kysely, who.tenant),
    'POST /brand': ({ who, body }) => saveBrand(deps, who.tenant, body),
    'POST /brand/preview': ({ who, body }) => preview.describe(who, body),
    'POST /brand/logo': ({ who, body }) =>
      changeLogo(deps, who.tenant, { edited: body.version, bytes: Buffer.from(body.file, 'base64') }),
    'POST /brand/logo/remove': ({ who, body }) => changeLogo(deps, who.tenant, { edited: body.version, bytes: null }),
  };
}
