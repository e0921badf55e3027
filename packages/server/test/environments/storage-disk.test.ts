import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually, introOfEvent } from '../acceptance/support/actions.ts';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  forFile,
  nextKey,
  startService,
} from '../harness/index.ts';

// A disk of 40 MB for videos. Mounting it requires root.

const DISK_MB = 40;
const MB = 1024 ** 2;
const ENCODED_WITHIN_MS = 60_000;
const TUS = { 'tus-resumable': '1.0.0', 'upload-length': '1000', 'upload-metadata': `filetype ${btoa('video/mp4')}` };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-storage-'));
const disk = path.join(folder, 'disk');
fs.mkdirSync(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk]);
const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const environment = {
  DATABASE_URL: database.url,
  OBJECTS_URL: `file://${path.join(disk, 'objects')}`,
  FOREWORD_DEMO: 'off',
  RATE_LIMIT: 'off',
};
const service = await forFile(startService(environment), (opened) => opened.stop());
const { api } = await createTestOrganization(environment, service.url);

afterAll(async () => {
  execFileSync('umount', ['--lazy', disk]);
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Leaves so much free, in a file that is not the service's. */
function fillUpTo(freeBytes: number): void {
  const { bavail, bsize } = fs.statfsSync(disk);
  try {
    fs.appendFileSync(path.join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
  } catch (error) {
    // The service wrote something at the same time, so the disk is full now.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

const record = (id: string) => api.post(`/v1/test_helpers/intros/${id}/record`, undefined, { key: nextKey() });
const readStorage = async () => ((await (await fetch(`${service.url}/readyz`)).json()) as { storage: string }).storage;
const readMetric = async (name: string) =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]);

async function createIntro() {
  const intro = await introOfEvent(api);
  const { url } = await foreword(environment, 'intro', 'link', intro.id);
  return { intro, uploads: `${service.url}${new URL(url).pathname}/uploads` };
}

test('space is reported before it is used up; then new takes are refused with a reason, and work again once there is space', async () => {
  const { intro, uploads } = await createIntro();
  expect(await readStorage()).toBe('ok');
  expect(await readMetric('foreword_storage_free_bytes')).toBeGreaterThan(30 * MB);

  fillUpTo(5 * MB);
  expect(await readStorage()).toBe('low');
  expect((await fetch(uploads, { method: 'POST', headers: TUS })).status).toBe(201);

  fillUpTo(MB);
  expect(await readStorage()).toBe('full');
  expect(await readMetric('foreword_storage_full')).toBe(1);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const refused = await record(intro.id);
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'storage_full' } } });
  expect(refused.headers.get('retry-after')).toBe('30');
  const upload = await fetch(uploads, { method: 'POST', headers: TUS });
  expect([upload.status, upload.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await upload.json()).toMatchObject({ error: { code: 'storage_full' } });

  fs.rmSync(path.join(disk, 'filler'));
  expect((await record(intro.id)).status).toBe(202);
  await eventually(
    async () => (await api.get(`/v1/intros/${intro.id}`)).body.status,
    (status) => status === 'ready',
    ENCODED_WITHIN_MS,
  );
  expect(await readMetric('foreword_storage_full')).toBe(0);
});

test('a disk that is really full: writing is 503, and nothing half-written remains', async () => {
  const { uploads } = await createIntro();
  const length = 2 * MB;
  const created = await fetch(uploads, { method: 'POST', headers: { ...TUS, 'upload-length': `${length}` } });
  const at = new URL(created.headers.get('location') ?? '', service.url);
  const send = () =>
    fetch(at, {
      method: 'PATCH',
      headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(length),
    });
  const unfinished = () => fs.readdirSync(path.join(disk, 'objects/.tmp'));
  const list = () => fs.readdirSync(path.join(disk, 'objects'), { encoding: 'utf8', recursive: true });
  // The last file of the take above.
  await eventually(
    () => Promise.resolve(list()),
    (files) => files.some((file) => file.endsWith('preview.webp')),
    ENCODED_WITHIN_MS,
  );
  const before = list().length;
  fillUpTo(0);
  const failed = await send();
  expect(failed.status).toBe(503);
  expect(await failed.json()).toMatchObject({ error: { code: 'storage_full' } });
  expect(unfinished()).toEqual([]);
  expect(list()).toHaveLength(before);

  fs.rmSync(path.join(disk, 'filler'));
  expect((await send()).status).toBe(204);
});
