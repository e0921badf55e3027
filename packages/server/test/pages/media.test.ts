import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages } from './page-fixture.ts';

const SIZE = 3_000_000;
const video = randomBytes(SIZE);

const fixture = await forFile(openPages());
const intro = await fixture.createIntro({ files: { 'video.mp4': video } });

/** Reads the whole response; another test covers clients that do not. */
async function request(headers: Record<string, string> = {}, method = 'GET', path = intro.videoPath) {
  const response = await fetch(fixture.url + path, { method, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function expectPart(range: string, start: number, end: number): Promise<void> {
  const response = await request({ range });
  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${SIZE}`);
  expect(response.headers.get('content-length')).toBe(String(end - start + 1));
  expect(response.bytes.equals(video.subarray(start, end + 1))).toBe(true);
}

/** Requests a file, and reads only the start of it. */
async function startReading(url: string, file: string): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

describe('the video', () => {
  test('has its type, length and ETag, and must be revalidated by caches', async () => {
    const response = await request();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(SIZE),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'",
      etag: expect.stringMatching(/^"[^"]+"$/),
    });
    expect(response.bytes.equals(video)).toBe(true);
  });

  test('is served in the requested range', async () => {
    await expectPart('bytes=0-1', 0, 1);
    await expectPart('bytes=1000-1999', 1000, 1999);
    await expectPart('bytes=2999990-', 2_999_990, SIZE - 1);
    await expectPart('bytes=-10', SIZE - 10, SIZE - 1);
    await expectPart('bytes=2999999-9999999', SIZE - 1, SIZE - 1);
    await expectPart('bytes=-99999999', 0, SIZE - 1);
  });

  test('answers 416 for a range beyond its end', async () => {
    for (const range of [`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0']) {
      const response = await request({ range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${SIZE}`);
      expect(response.bytes).toHaveLength(0);
    }
  });

  test('is served whole for an invalid range or multiple ranges', async () => {
    for (const range of ['bytes=5-2', 'bytes=-', 'bytes=a-b', 'chunks=0-1', 'bytes=0-1,5-9']) {
      const response = await request({ range });
      expect(response.status).toBe(200);
      expect(response.bytes).toHaveLength(SIZE);
    }
  });

  test('honors If-None-Match and If-Range', async () => {
    const etag = (await request({}, 'HEAD')).headers.get('etag') ?? '';
    expect((await request({ 'if-none-match': etag })).status).toBe(304);
    expect((await request({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
    expect((await request({ 'if-none-match': '"other"' })).status).toBe(200);
    expect((await request({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await request({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await request({ range: 'bytes=0-1', 'if-range': 'Thu, 05 Mar 2026 10:00:00 GMT' })).status).toBe(200);
  });

  test('answers HEAD without a body', async () => {
    const response = await request({ range: 'bytes=0-1' }, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(SIZE)]);
    expect(response.bytes).toHaveLength(0);
  });

  test('of zero bytes is served as an empty response', async () => {
    const empty = await fixture.createIntro({ files: { 'video.mp4': Buffer.alloc(0) } });
    const response = await request({}, 'GET', empty.videoPath);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
    expect((await request({ range: 'bytes=0-' }, 'GET', empty.videoPath)).status).toBe(416);
  });

  test('whose object is missing answers 404', async () => {
    const lost = await fixture.createIntro();
    await fixture.objects.deleteAll(lost.folder);
    expect((await request({}, 'GET', lost.videoPath)).status).toBe(404);
  });

  test('closes its file when the client disconnects', async () => {
    const big = await fixture.createIntro({ files: { 'video.mp4': Buffer.alloc(60_000_000) } });
    const isOpen = async () => {
      const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
      return (await Promise.all(links)).some((target) => target.endsWith(`${big.folder}video.mp4`));
    };
    const socket = await startReading(fixture.url, big.videoPath);
    // The client reads nothing, so the file stays open.
    expect(await isOpen()).toBe(true);
    socket.destroy();
    await expect.poll(isOpen).toBe(false);
  });

  test('does not delay shutdown for a client that reads nothing', async () => {
    const other = await openPages();
    const big = await other.createIntro({ files: { 'video.mp4': Buffer.alloc(60_000_000) } });
    const socket = await startReading(other.url, big.videoPath);
    await other.close();
    socket.destroy();
  });
});

describe('the other files of a page', () => {
  test('include the poster at the address of the preview until that is made', async () => {
    const video = { width: 2, height: 2, durationMs: 1, captions: false, preview: false };
    const setup = await fixture.createIntro({ video });
    const [preview, poster] = [
      await request({}, 'GET', `${setup.path}/preview.webp`),
      await request({}, 'GET', `${setup.path}/poster.jpg`),
    ];
    expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(preview.headers.get('etag')).toBe(poster.headers.get('etag'));
  });

  test('have their types and a policy that prevents them from running as documents', async () => {
    const setup = await fixture.createIntro({
      organization: { logo: Buffer.from('png') },
      member: { photo: Buffer.from('jpg') },
    });
    const types: Record<string, string> = {
      'poster.jpg': 'image/jpeg',
      'card.jpg': 'image/jpeg',
      'thumbnail.jpg': 'image/jpeg',
      'preview.webp': 'image/webp',
      'captions.vtt': 'text/vtt; charset=utf-8',
      'logo.png': 'image/png',
      'photo.jpg': 'image/jpeg',
      'icon.svg': 'image/svg+xml',
      'appointment.ics': 'text/calendar; charset=utf-8',
    };
    for (const [name, type] of Object.entries(types)) {
      const response = await request({}, 'GET', `${setup.path}/${name}`);
      expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, type]);
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; sandbox$/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
