import fs from 'node:fs';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db.ts';
import { deletingUnlessHeld, withoutDeletions } from '../../src/platform/deletion-hold.ts';
import { type Objects, openObjects } from '../../src/platform/objects.ts';
import { connectAlone } from '../../src/platform/requirements.ts';
import type { Tables } from '../../src/tables.ts';
import { createTestDatabase, sleep, type TestDatabase } from '../harness/index.ts';
import { newFolder } from './service.ts';

const SHORT_MS = 150;
let database: TestDatabase;
let db: Database<Tables>;
let objects: Objects;
const folder = newFolder();

beforeAll(async () => {
  database = await createTestDatabase();
  const connection = { connectionString: database.url };
  db = openDatabase<Tables>(connection, { max: 2, name: 'test', onError: () => undefined });
  objects = deletingUnlessHeld(openObjects(`file://${folder}`, { clock: () => new Date() }), db);
});
afterAll(async () => {
  await db.close();
  await database.drop();
  fs.rmSync(folder, { recursive: true });
});

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
