import type { TouchpointEvent } from '@foreword/contract';
import type { Queryable } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { Tables, Tenant } from '../tables.ts';
import { presentEvent } from './present.ts';
import { findEvent } from './store.ts';

export async function retrieveEvent(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<TouchpointEvent> {
  const row = ID_PATTERN.test(id) ? await findEvent(db, tenant, id) : null;
  if (row === null) throw new ApiError('not_found', 'No event with this id in this organization and environment.');
  return presentEvent(row);
}
