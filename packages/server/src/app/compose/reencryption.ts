import { reencryptColumn, type SealedColumn } from '../../db/reencryption.ts';
import type { Database } from '../../db/tenancy.ts';
import { deliveryColumns } from '../../delivery/index.ts';
import { sealWith } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { reencryptResponses, SEAL_PURPOSE, webhookColumns } from '../../webhooks/index.ts';

/**
 * The columns that are encrypted with a key derived from the server key. The number of an erasure is left out: it is deleted when
 * the erasure completes.
 */
const sealedColumns = (key: ServerKey): SealedColumn[] => [
  ...webhookColumns(key),
  ...deliveryColumns(sealWith(key, SEAL_PURPOSE)),
];

/** Encrypts everything stored with the current server key. May stop at any point and run again. */
export async function reencryptAll(
  db: Database,
  key: ServerKey,
  onProgress: (values: number) => void,
): Promise<number> {
  let total = 0;
  const count = (values: number) => {
    total += values;
    onProgress(total);
  };
  for (const column of sealedColumns(key)) await reencryptColumn(db, column, key.current(SEAL_PURPOSE), count);
  count(await reencryptResponses(db, key));
  return total;
}
