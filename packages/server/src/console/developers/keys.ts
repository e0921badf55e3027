import { type ApiKey, iso, type KeyScope } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { changeKey, createKey, type KeyLimits, listKeys, revokeKey } from '../../http/access/index.ts';
import { onceReplacing } from '../../http/idempotency/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

const presentKey = (row: Row<'api_keys'>): ApiKey => ({
  id: row.id,
  name: row.name,
  ending: row.ending,
  created_at: row.created_at.toISOString(),
  last_used_at: iso(row.last_used_at),
  revoked_at: iso(row.revoked_at),
  expires_at: iso(row.expires_at),
  allowed_ips: row.allowed_ips ?? [],
  scope: row.scope,
  recording_links: row.recording_links,
  agent_writes: row.agent_writes,
});

/** The limits that a request names. */
const readLimits = (body: {
  expires_at?: string | null;
  allowed_ips?: readonly string[];
  scope?: KeyScope;
  recording_links?: boolean;
  agent_writes?: boolean;
}): Partial<KeyLimits> => ({
  ...(body.expires_at !== undefined && { expiresAt: body.expires_at === null ? null : new Date(body.expires_at) }),
  ...(body.allowed_ips !== undefined && { allowedIps: body.allowed_ips.length === 0 ? null : body.allowed_ips }),
  ...(body.scope !== undefined && { scope: body.scope }),
  ...(body.recording_links !== undefined && { recordingLinks: body.recording_links }),
  ...(body.agent_writes !== undefined && { agentWrites: body.agent_writes }),
});

const noKey = () => new ApiError('not_found', 'No API key with this id in this organization.');

export function createKeyHandlers({
  db: database,
  clock,
  cell,
}: ConsoleDeps): Pick<ConsoleHandlers, 'listKeys' | 'createKey' | 'changeKey' | 'revokeKey'> {
  const { kysely: db } = database;
  return {
    async listKeys({ tenant }) {
      return { keys: (await listKeys(db, tenant.organizationId)).map(presentKey) };
    },
    createKey(user, { body, key }) {
      const { tenant } = user;
      const request = { tenant, key, method: 'POST', path: '/console/keys', body } as const;
      return onceReplacing(database, request, async (tx, previousId) => {
        // Only a key's hash is stored, so a secret lost with the response is gone. The retry replaces the key.
        if (previousId !== null) await revokeKey(tx, clock, tenant, previousId);
        const { key: secret, row } = await createKey(tx, clock, tenant, body.name, {
          ...readLimits(body),
          cell,
        });
        return { objectId: row.id, created: { key: presentKey(row), secret } };
      });
    },
    async changeKey({ tenant }, { params: { id }, body }) {
      if (!ID_PATTERN.test(id)) throw noKey();
      const change = readLimits(body);
      const row = await db.transaction().execute((tx) => changeKey(tx, clock, tenant, id, change));
      if (row === null) throw noKey();
      return presentKey(row);
    },
    async revokeKey({ tenant }, { params: { id } }) {
      const row = ID_PATTERN.test(id) ? await db.transaction().execute((tx) => revokeKey(tx, clock, tenant, id)) : null;
      if (row === null) throw noKey();
      return presentKey(row);
    },
  };
}
