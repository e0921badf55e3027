/** Erases a recipient and shows the receipts. */

import type { ConsoleErasure, ERASURES_OPERATIONS, RecipientErasure } from '@foreword/contract';
import { listErasures, previewErasure } from '../../erasure/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, callerOf, retryKey } from '../operations.ts';

/** Shown in the settings; the activity page and the API have all of them. */
const SHOWN = 20;

const present = ({
  id,
  status,
  removed,
  opt_out_kept,
  created_at,
  completed_at,
}: RecipientErasure): ConsoleErasure => ({
  id,
  status,
  removed,
  opt_out_kept,
  created_at,
  completed_at,
});

/** Owners erase a recipient by number. */
export function createErasuresHandlers({
  db,
  use,
}: Pick<ConsoleDeps, 'db' | 'use'>): Pick<ConsoleHandlers, keyof typeof ERASURES_OPERATIONS> {
  return {
    async 'GET /erasures'({ user: { tenant } }) {
      return { erasures: (await listErasures(db.kysely, tenant, SHOWN)).map(present) };
    },
    'POST /erasures/preview': ({ user: { tenant }, body: { phone } }) => previewErasure(db.kysely, tenant, phone),
    async 'POST /erasures'({ user, body: { key, phone } }) {
      return present(await use('eraseRecipient', callerOf(user), { key: retryKey(user, key), body: { phone } }));
    },
  };
}
