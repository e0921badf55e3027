import type { Database } from '../db/tenancy.ts';
import type { Handlers } from '../http/index.ts';
import { presentTouchpoint, retrieveTouchpoint } from './service.ts';
import { listTouchpoints } from './store.ts';

export const touchpointOperations = ({ db: { kysely } }: { readonly db: Database }) =>
  ({
    listTouchpoints: async (caller) => ({
      object: 'list',
      data: (await listTouchpoints(kysely, caller)).map(presentTouchpoint),
      has_more: false,
    }),
    retrieveTouchpoint: (caller, { params }) => retrieveTouchpoint(kysely, caller, params.id),
  }) satisfies Partial<Handlers>;
