import { keySource, readConfig } from '../app/config/index.ts';
import { type Rotation, reencryptColumn, rotateServerKey, type SealedColumn } from '../db/key-rotation.ts';
import { openKeyring } from '../db/keyring.ts';
import type { Database } from '../db/tenancy.ts';
import { deliveryColumns } from '../delivery/index.ts';
import { sealWith } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import { reencryptResponses, SEAL_PURPOSE, webhookColumns } from '../webhooks/index.ts';
import { longCommand } from './database-command.ts';
import { complain, withProgress } from './terminal.ts';

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

const count = (values: number): string => `${values.toLocaleString('en-US')} ${values === 1 ? 'value' : 'values'}`;

const describe = ({ status, reencrypted }: Rotation): string => {
  const encrypted = `${count(reencrypted)} ${reencrypted === 1 ? 'was' : 'were'} encrypted with it.`;
  switch (status) {
    case 'unchanged':
      return 'SERVER_KEY is already in use, and everything is encrypted with it. To rotate it, put a new one first on every node: SERVER_KEY=NEW,CURRENT.';
    case 'resumed':
      return `The rotation is finished. ${encrypted}`;
    case 'rotated':
      return `The new server key is in use. ${encrypted} Links that were sent still work.`;
  }
};

export const rotateCommand = longCommand({
  name: 'server-key rotate',
  summary:
    'Replace the server key, while the service runs or not, and encrypt everything stored with the new one. Links that were sent still work. Run it again if it was interrupted.',
  input: {},
  async run({ db }) {
    const source = keySource(readConfig());
    await openKeyring(db.kysely, source);
    const rotate = (update: (values: number) => void) =>
      rotateServerKey({
        db,
        source,
        onWait: complain,
        // Opened again, because the key has changed.
        reencrypt: async () => reencryptAll(db, await openKeyring(db.kysely, source), update),
      });
    return withProgress('Encrypting', rotate, count);
  },
  show: (rotation) => ({ json: { object: 'server_key_rotation', ...rotation }, text: describe(rotation) }),
});
