import type { ApiKey } from '@foreword/contract';
import { createKey, listKeys, revokeKey } from '../../access/index.ts';
import { onceReplacing } from '../../idempotency/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { ApiKeyRow } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, retryKey } from '../operations.ts';

const presentKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  ending: row.ending,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
});

export function createKeyHandlers({
  db: database,
  clock,
}: ConsoleDeps): Pick<ConsoleHandlers, 'GET /keys' | 'POST /keys' | 'POST /keys/:id/revoke'> {
  const { kysely: db } = database;
  return {
    async 'GET /keys'({ user: { tenant } }) {
      return { keys: (await listKeys(db, tenant.organizationId)).map(presentKey) };
    },
    'POST /keys'({ user, body: { key, ...body } }) {
      const { tenant } = user;
      const request = { tenant, key: retryKey(user, key), method: 'POST', path: '/console/keys', body } as const;
      return onceReplacing(database, request, async (tx, previousId) => {
        // Only a key's hash is stored, so a secret lost with the response is gone. The retry replaces the key.
        if (previousId !== null) await revokeKey(tx, clock, previousId, tenant);
        const { key: secret, row } = await createKey(tx, clock, tenant, body.name);
        return { objectId: row.id, created: { key: presentKey(row), secret } };
      });
    },
    async 'POST /keys/:id/revoke'({ user: { tenant }, params: { id } }) {
      const row = ID_PATTERN.test(id) ? await db.transaction().execute((tx) => revokeKey(tx, clock, id, tenant)) : null;
      if (row === null) throw new ApiError('not_found', 'No API key with this id in this organization.');
      return presentKey(row);
    },
  };
}
