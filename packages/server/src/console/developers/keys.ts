import type { ApiKey } from '@foreword/contract';
import { createKey, listKeys, revokeKey } from '../../access/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { ApiKeyRow } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

const presentKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  ending: row.ending,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
});

export function createKeyHandlers({
  db: { kysely: db },
  clock,
}: ConsoleDeps): Pick<ConsoleHandlers, 'GET /keys' | 'POST /keys' | 'POST /keys/:id/revoke'> {
  return {
    async 'GET /keys'({ who: { tenant } }) {
      return { keys: (await listKeys(db, tenant.organizationId)).map(presentKey) };
    },
    async 'POST /keys'({ who: { tenant }, body }) {
      const { key, row } = await createKey(db, clock, tenant, body.name);
      return { key: presentKey(row), secret: key };
    },
    async 'POST /keys/:id/revoke'({ who: { tenant }, params: { id } }) {
      const row = ID_PATTERN.test(id) ? await db.transaction().execute((tx) => revokeKey(tx, clock, id, tenant)) : null;
      if (row === null) throw new ApiError('not_found', 'There is no such key in this organization.');
      return presentKey(row);
    },
  };
}
