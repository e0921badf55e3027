import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createApi, foreword, forewordProgram, nextKey, type Service, sleep, startService } from '../harness/index.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');
const PIECES = 4;
const TUS = { 'tus-resumable': '1.0.0' };
const READY_WITHIN_MS = 90_000;

let service: Service;

const start = () => startService(environment);

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-crash-'));
const clip = await fs.readFile(CLIP);
const environment = {
  DATA_DIR: folder,
  OBJECTS_URL: `file://${path.join(folder, 'objects')}`,
  FOREWORD_DEMO: 'off',
  RATE_LIMIT: 'off',
};
service = await start();
const { id } = await foreword(environment, 'org', 'create', '--name', 'Acme Roofing', '--industry', 'real_estate');
const member = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
await foreword(environment, 'member', 'create', '--org', id, ...member);
const { key } = await foreword(environment, 'key', 'create', '--org', id);
afterAll(async () => {
  await service.stop();
  await fs.rm(folder, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  await service.kill();
  service = await start();
}

/** Uploads like a phone: continues from the server's offset, and only trusts a 204. */
async function sendPieces(at: string, until: number): Promise<void> {
  const size = Math.ceil(clip.length / PIECES);
  for (;;) {
    const head = await fetch(service.url + at, { method: 'HEAD', headers: TUS });
    const offset = Number(head.headers.get('upload-offset'));
    if (offset >= Math.min(until, clip.length)) return;
    const response = await fetch(service.url + at, {
      method: 'PATCH',
      headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(clip.subarray(offset, offset + size)),
    });
    expect(response.status).toBe(204);
  }
}

/** Leftovers of interrupted work: takes in progress, and half-written objects. */
const leftovers = async () => {
  const folders = ['work', 'objects/.tmp'].map((name) => fs.readdir(path.join(folder, name)));
  return (await Promise.all(folders)).flat();
};

test.each([
  ['during the upload', 0.5, []],
  ['as soon as its last byte is acknowledged', 1, [0]],
  ['while its video is processed', 1, [400]],
  ['three times while its video is processed', 1, [150, 300, 900]],
])(
  'no take is lost if the service is killed %s',
  async (_when, share, pauses) => {
    const api = createApi(service.url, key);
    const intro = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+14155550123' } };
    const { id } = (await api.post('/v1/intros', intro, { key: nextKey() })).body;
    const { url } = await forewordProgram(environment, 'intro', 'link', id);
    const begun = await fetch(`${service.url}${new URL(url).pathname}/uploads`, {
      method: 'POST',
      headers: { ...TUS, 'upload-length': String(clip.length), 'upload-metadata': `filetype ${btoa('video/mp4')}` },
    });
    expect(begun.status).toBe(201);
    const at = String(begun.headers.get('location'));
    await sendPieces(at, clip.length * share);
    if (share < 1) {
      await restart();
      await sendPieces(at, clip.length);
    }
    for (const pause of pauses) {
      await sleep(pause);
      await restart();
    }
    const end = performance.now() + READY_WITHIN_MS;
    let status = '';
    while (status !== 'ready' && performance.now() < end) {
      await sleep(100);
      status = (await createApi(service.url, key).get(`/v1/intros/${id}`)).body?.status;
    }
    expect(status).toBe('ready');
    const shown = (await createApi(service.url, key).get(`/v1/intros/${id}`)).body;
    expect(shown.version).toBe(2);
    const page = await fetch(service.url + new URL(shown.delivery.recipient_url).pathname);
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(await page.text()) ?? [];
    expect((await fetch(service.url + video)).status).toBe(200);
    // Only the last preview may still be in progress.
    await expect.poll(() => leftovers(), { timeout: 60_000 }).toEqual([]);
  },
  180_000,
);
