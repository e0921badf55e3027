import type { SealedColumn } from '../db/reencryption.ts';
import type { Database } from '../db/tenancy.ts';
import { listSecretResponses, replaceResponse } from '../http/idempotency/index.ts';
import { rowSealWith, type Seal, sealWith } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import { CONTENTS_PURPOSE, contentPlace } from './contents.ts';
import { renewResponse, SEAL_PURPOSE, secretPlace } from './signing.ts';

/** The encrypted columns of this module. */
export function webhookColumns(key: ServerKey): SealedColumn[] {
  const endpoints = {
    table: 'webhook_endpoints',
    key: ['organization_id', 'id'],
    seal: sealWith(key, SEAL_PURPOSE),
    placeOf: ({ organization_id = '', id = '' }: Readonly<Record<string, string>>) =>
      secretPlace({ organization_id, id }),
  };
  const contents = rowSealWith(key, CONTENTS_PURPOSE);
  return [
    { ...endpoints, column: 'secret' },
    { ...endpoints, column: 'previous_secret' },
    {
      table: 'webhook_messages',
      column: 'sealed_payload',
      key: ['organization_id', 'id'],
      seal: contents,
      placeOf: ({ organization_id = '', id = '' }) => contentPlace('payload', { organization_id, id }),
    },
    {
      table: 'webhook_attempts',
      column: 'sealed_answer',
      key: ['organization_id', 'endpoint_id', 'id'],
      seal: contents,
      placeOf: ({ organization_id = '', id = '' }) => contentPlace('answer', { organization_id, id }),
    },
  ];
}

/** Responses for an Idempotency-Key contain the secrets of endpoints that were created or rotated. */
export async function reencryptResponses(db: Database, key: ServerKey): Promise<number> {
  const seal: Seal = sealWith(key, SEAL_PURPOSE);
  const current = key.current(SEAL_PURPOSE);
  let renewed = 0;
  for (const row of await listSecretResponses(db.kysely)) {
    const response = renewResponse(seal, current, row.organization_id, row.response);
    if (response === null) continue;
    await replaceResponse(db.kysely, row, response);
    renewed += 1;
  }
  return renewed;
}
