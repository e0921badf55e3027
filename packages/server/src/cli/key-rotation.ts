import { Type } from 'typebox';
import { reencryptAll } from '../compose/reencryption.ts';
import { keySource, readConfig } from '../config.ts';
import { openKeyring, type Rotation, rotateServerKey } from '../platform/server-key.ts';
import { longCommand } from './command.ts';
import { createProgress } from './progress.ts';

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
  path: ['server-key', 'rotate'],
  summary:
    'Replace the server key, while the service runs or not, and encrypt everything stored with the new one. Links that were sent still work. Run it again if it was interrupted.',
  input: Type.Object({}),
  example: 'foreword server-key rotate',
  async run(db) {
    const source = keySource(readConfig());
    await openKeyring(db.kysely, source);
    const progress = createProgress('Encrypting', process.stderr, count);
    try {
      return await rotateServerKey({
        db,
        source,
        onWait: (reason) => process.stderr.write(`foreword: ${reason}\n`),
        // Opened again, because the key has changed.
        reencrypt: async () => reencryptAll(db, await openKeyring(db.kysely, source), progress.update),
      });
    } finally {
      progress.end();
    }
  },
  show: (rotation) => ({ json: { object: 'server_key_rotation', ...rotation }, text: describe(rotation) }),
});
