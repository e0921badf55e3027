// Run by objects-folder.test.ts as a separate process, to be killed or to run as another user.
import { createHash, randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { checkObjects, openObjects } from '../../src/platform/objects/index.ts';

const [task = '', root = '', user] = process.argv.slice(2);
const objects = openObjects(pathToFileURL(root).href, { clock: () => new Date() });
const type = 'application/octet-stream';
const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Verifiable content: the first 32 bytes are the hash of the rest. */
function verifiable(size: number): Buffer {
  const rest = randomBytes(size);
  return Buffer.concat([createHash('sha256').update(rest).digest(), rest]);
}

async function putForever(): Promise<void> {
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let round = 0; ; round++) {
      const key = `org/${writer}/take-${round % 7}`;
      await objects.put(key, verifiable(writer * 700_000 + 1), { type });
      print(key);
    }
  });
  await Promise.all(writers);
}

async function tryAll(): Promise<void> {
  if (user !== undefined) process.setuid?.(Number(user));
  const attempts = {
    put: () => objects.put('a/b', randomBytes(4_000_000), { type }),
    open: () => objects.open('kept'),
    delete: () => objects.delete('kept'),
    deleteAll: () => objects.deleteAll('folder/'),
    check: () => checkObjects(objects),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const outcome = await attempt().then(
      () => ({ code: 'done', message: '' }),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    );
    print({ name, ...outcome });
  }
}

await (task === 'put' ? putForever() : tryAll());
