/** Previews the erasure of a recipient, and shows the receipts. */

import type { ERASURES_OPERATIONS } from '@foreword/contract';
import { listErasures, previewErasure } from '../../privacy/erasure/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Shown in the settings; the activity page and the API have all of them. */
const SHOWN = 20;

export const createErasuresHandlers = ({
  db: { kysely: db },
}: Pick<ConsoleDeps, 'db'>): Pick<ConsoleHandlers, keyof typeof ERASURES_OPERATIONS> => ({
  listErasures: async ({ tenant }) => ({ erasures: await listErasures(db, tenant, SHOWN) }),
  previewErasure: ({ tenant }, { body: { phone } }) => previewErasure(db, tenant, phone),
});
