import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { deletingUnlessHeld, withoutDeletions } from '../../src/db/copy.ts';
import { connectAlone } from '../../src/db/requirements.ts';
import { openObjects } from '../../src/platform/objects/index.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile, sleep } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const SHORT_MS = 150;
const folder = temporaryFolder();
const { database, db } = await forFile(openTestPool());
const objects = deletingUnlessHeld(openObjects(`file://${folder}`, { clock: () => new Date() }), db);

test.each([
  ['ends', async () => undefined],
  ['dies', (client: Client) => client.end()],
])('an object is deleted only after the hold %s', async (_how, end) => {
  const client = await connectAlone({ connectionString: database.url }, 'holder');
  await objects.put('org/video.mp4', Buffer.from('video'), { type: 'video/mp4' });
  let deletion: Promise<void> | undefined;
  let kept: unknown = null;
  // The holder that dies cannot release the lock.
  await withoutDeletions(client, async () => {
    deletion = objects.deleteAll('org/');
    await sleep(SHORT_MS);
    kept = await objects.open('org/video.mp4');
    await end(client);
  }).catch(() => undefined);
  expect(kept).not.toBeNull();
  await deletion;
  expect(await objects.open('org/video.mp4')).toBeNull();
  await client.end();
});
