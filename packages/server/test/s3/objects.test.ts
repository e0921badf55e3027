import { execFile } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { checkObjects, type Objects, ObjectsError, openObjects, watchSpace } from '../../src/platform/objects/index.ts';
import { forFile, isLong } from '../harness/index.ts';
import { openPages } from '../pages/page-fixture.ts';
import { breakingStream, bytesOf, digest, MIB, read, streamOf } from '../platform/objects.bodies.ts';
import { describeObjects } from '../platform/objects.conformance.ts';
import { SECRET_KEY, startCeph } from './ceph.ts';
import { type Fate, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';

const run = promisify(execFile);
const CHILD = path.join(import.meta.dirname, 'objects.child.ts');
const BUCKET = 'foreword-test';
const TYPE = { type: 'video/mp4' };
const MINUTE_MS = 60_000;
const systemTime = () => new Date();

const ceph = await forFile(startCeph(), (opened) => opened.stop());
await ceph.createBucket(BUCKET);
const objects = openObjects(ceph.url(BUCKET), { clock: systemTime });
const pages = await forFile(openPages({ objects, redirectMedia: true }));

const bytesIn = async (response: Response) => Buffer.from(await response.arrayBuffer());
/** Queries the store directly, bypassing the code under test. */
const query = async (parameters: string) =>
  (await ceph.client.fetch(`http://${ceph.host}/${BUCKET}?${parameters}`)).text();

describeObjects('S3', () => openObjects(ceph.url(BUCKET), { clock: systemTime }));

describe('S3', () => {
  test('stores the type of an object', async () => {
    await objects.put('typed/small', Buffer.from('x'), { type: 'text/vtt' });
    await objects.put('typed/large', bytesOf(9 * MIB), { type: 'video/webm' });
    for (const [key, type] of Object.entries({ small: 'text/vtt', large: 'video/webm' })) {
      const head = await ceph.client.fetch(`http://${ceph.host}/${BUCKET}/typed/${key}`, { method: 'HEAD' });
      expect(head.headers.get('content-type')).toBe(type);
    }
  });

  test('leaves no partial upload when its stream breaks', async () => {
    await expect(objects.put('half', breakingStream(bytesOf(30 * MIB), new Error('gone')), TYPE)).rejects.toThrow(
      'gone',
    );
    expect(await query('uploads')).not.toContain('<Key>half</Key>');
  });

  test('buffers at most two parts of a stream while the store is slow', async () => {
    let isSlow = true;
    const proxy = await startFaultyProxy(ceph.host, (request) =>
      isSlow && request.includes('partNumber') ? 'stalls' : 'passes',
    );
    let readBytes = 0;
    const source = Readable.from(
      (function* () {
        for (let piece = 0; piece < 1_000; piece++) {
          readBytes += 100_000;
          yield Buffer.alloc(100_000);
        }
      })(),
      { objectMode: false },
    );
    const slow = openObjects(ceph.url(BUCKET).replace(ceph.host, proxy.host), { clock: systemTime });
    const put = slow.put('held', source, TYPE);
    await expect.poll(() => readBytes).toBeGreaterThan(8 * MIB);
    // It would read more now.
    await sleep(500);
    expect(readBytes).toBeLessThan(17 * MIB);
    isSlow = false;
    proxy.cut();
    await put;
    expect((await objects.open('held'))?.size).toBe(100_000_000);
    await proxy.close();
  });

  test('stays within the prefix of its URL', async () => {
    const below = openObjects(ceph.url(`${BUCKET}/tenants/one`), { clock: systemTime });
    await below.put('x/video', Buffer.from('x'), TYPE);
    await objects.put('x/video', Buffer.from('other'), TYPE);
    expect((await read(await objects.open('tenants/one/x/video'))).toString()).toBe('x');
    await below.deleteAll('x/');
    expect(await below.open('x/video')).toBeNull();
    expect((await read(await objects.open('x/video'))).toString()).toBe('other');
  });

  test('deletes keys with special characters below a prefix', async () => {
    for (const name of ['A & B <c>.mp4', "it's 100% +1", 'ä/"ü"']) {
      const url = `http://${ceph.host}/${BUCKET}/foreign/${encodeURIComponent(name)}`;
      expect((await ceph.client.fetch(url, { method: 'PUT', body: 'x' })).status).toBe(200);
    }
    expect(await query('list-type=2&prefix=foreign/')).toContain('<KeyCount>3</KeyCount>');
    await objects.deleteAll('foreign/');
    expect(await query('list-type=2&prefix=foreign/')).toContain('<KeyCount>0</KeyCount>');
  });

  test('does not keep the process alive after its last request', async () => {
    const { stdout } = await run(process.execPath, [CHILD, ceph.url(BUCKET)]);
    expect(stdout).toBe('[]\n');
  });
});

describe('S3 with wrong credentials or configuration', () => {
  const check = (url: string, clock: Clock = systemTime) => checkObjects(openObjects(url, { clock }));

  test('reports which of key, secret, bucket or clock is wrong, and never reveals the secret', async () => {
    const secret = 'a-secret-to-hide';
    const refusals: [() => Promise<void>, string, RegExp][] = [
      [() => check(ceph.url(BUCKET, { secret })), 'denied', /the secret does not match the access key/],
      [() => check(ceph.url(BUCKET, { key: 'UNKNOWN', secret })), 'denied', /does not know the access key/],
      [() => check(ceph.url('no-such-bucket')), 'failed', /there is no such bucket/],
      [() => check(ceph.url(BUCKET), () => new Date(Date.now() - 3_600_000)), 'denied', /its clock and ours differ/],
    ];
    for (const [refusal, code, reason] of refusals) {
      const error = await refusal().then(
        () => null,
        (fault: unknown) => fault,
      );
      expect(error).toMatchObject({ name: 'ObjectsError', code, message: expect.stringMatching(reason) });
      expect((error as Error).message).toMatch(/^cannot write check\/\S+ at http:\/\/127\.0\.0\.1:\d+\/\S+: /);
      for (const hidden of [secret, SECRET_KEY, encodeURIComponent(SECRET_KEY)]) {
        expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(hidden);
      }
    }
    expect(inspect(objects, { depth: 10 })).not.toContain(SECRET_KEY);
  });

  test('fails to open, instead of reporting the object as missing', async () => {
    const stranger = openObjects(ceph.url(BUCKET, { secret: 'wrong' }), { clock: systemTime });
    await expect(stranger.open('any')).rejects.toMatchObject({ code: 'denied' });
    await expect(stranger.delete('any')).rejects.toMatchObject({ code: 'denied' });
    await expect(stranger.deleteAll('any/')).rejects.toMatchObject({ code: 'denied' });
  });

  test('reports an unreachable server after a few attempts', async () => {
    const proxy = await startFaultyProxy(ceph.host, () => 'passes');
    await proxy.close();
    const lost = openObjects(ceph.url(BUCKET).replace(ceph.host, proxy.host), { clock: systemTime });
    await expect(lost.open('any')).rejects.toMatchObject({
      code: 'unreachable',
      message: `cannot open any at http://${proxy.host}/${BUCKET}: no response (ECONNREFUSED)`,
    });
  });
});

describe('a presigned S3 URL', () => {
  const content = bytesOf(100_000);
  const signAt = async (when: number, seconds: number, type = 'video/mp4'): Promise<URL> => {
    const past = openObjects(ceph.url(BUCKET), { clock: () => new Date(when) });
    return new URL((await past.presign('presigned/video.mp4', { seconds, type })) ?? '');
  };

  beforeAll(async () => {
    await objects.put('presigned/video.mp4', content, { type: 'application/octet-stream' });
    await objects.put('presigned/other.mp4', content, TYPE);
  });

  test('serves the object with its type and ranges without credentials, and does not contain the secret', async () => {
    const url = await signAt(Date.now(), 600, 'text/vtt; charset=utf-8');
    const whole = await fetch(url);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(digest(await bytesIn(whole))).toBe(digest(content));
    const piece = await fetch(url, { headers: { range: 'bytes=10-19' } });
    expect(piece.status).toBe(206);
    expect((await bytesIn(piece)).equals(content.subarray(10, 20))).toBe(true);
    expect(decodeURIComponent(url.href)).not.toContain(SECRET_KEY);
  });

  test('works until it expires', async () => {
    expect((await fetch(await signAt(Date.now() - 50 * MINUTE_MS, 3_600))).status).toBe(200);
    expect((await fetch(await signAt(Date.now() - 70 * MINUTE_MS, 3_600))).status).toBe(403);
  });

  test.each<[string, (url: URL) => unknown, RequestInit]>([
    ['another key', (url) => (url.pathname = url.pathname.replace('video', 'other')), {}],
    ['a longer lifetime', (url) => url.searchParams.set('X-Amz-Expires', '6000'), {}],
    ['another type', (url) => url.searchParams.set('response-content-type', 'text/html'), {}],
    ['an extra parameter', (url) => url.searchParams.set('response-content-disposition', 'attachment'), {}],
    ['no signature', (url) => url.searchParams.delete('X-Amz-Signature'), {}],
    ['a wrong signature', (url) => url.searchParams.set('X-Amz-Signature', '0'.repeat(64)), {}],
    ['the DELETE method', () => undefined, { method: 'DELETE' }],
    ['a PUT body', () => undefined, { method: 'PUT', body: 'x' }],
  ])('is refused with %s', async (_, tamper, init) => {
    const url = await signAt(Date.now(), 600);
    tamper(url);
    expect((await fetch(url, init)).status).toBe(403);
    expect((await read(await objects.open('presigned/video.mp4'))).equals(content)).toBe(true);
  });

  test.each([0, -1, 1.5, 604_801, Number.NaN])('cannot be valid for %d seconds', async (seconds) => {
    await expect(objects.presign('a', { seconds, type: 'video/mp4' })).rejects.toThrow(RangeError);
  });
});

describe('S3 over an unreliable network', () => {
  let proxy: FaultyProxy | undefined;
  let tests = 0;

  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  /** The store behind a proxy that disturbs requests. */
  async function behind(fate: (request: string, number: number) => Fate): Promise<Objects> {
    proxy = await startFaultyProxy(ceph.host, fate);
    return openObjects(ceph.url(BUCKET).replace(ceph.host, proxy.host), { clock: systemTime });
  }

  /** Each request fails the first time only. */
  const firstTime = (fate: Fate) => {
    const seen = new Set<string>();
    return (request: string): Fate => {
      if (seen.has(request)) return 'passes';
      seen.add(request);
      return fate;
    };
  };

  test.each<Fate>(['is reset', 'is refused', 'is lost'])(
    'succeeds when each request %s the first time',
    async (fate) => {
      const at = `network/${++tests}`;
      const unreliable = await behind(firstTime(fate));
      const [small, large] = [bytesOf(1_000), bytesOf(20 * MIB)];
      await unreliable.put(`${at}/small`, small, TYPE);
      await unreliable.put(`${at}/large`, streamOf(large), TYPE);
      expect(digest(await read(await unreliable.open(`${at}/small`)))).toBe(digest(small));
      expect(digest(await read(await unreliable.open(`${at}/large`)))).toBe(digest(large));
      await unreliable.delete(`${at}/small`);
      await unreliable.deleteAll(`${at}/`);
      expect(await objects.open(`${at}/large`)).toBeNull();
      expect(proxy?.requests.length).toBeGreaterThan(15);
    },
  );

  test('gives up after five attempts with the reason, and leaves nothing behind', async () => {
    const unreliable = await behind((request) => (request.includes('partNumber=2') ? 'is refused' : 'passes'));
    await expect(unreliable.put('network/refused', streamOf(bytesOf(30 * MIB)), TYPE)).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot write network\/refused at .*Please reduce.*\(503 SlowDown\)$/),
    });
    expect(proxy?.requests.filter((request) => request.includes('partNumber=2'))).toHaveLength(5);
    expect(await objects.open('network/refused')).toBeNull();
    expect(await query('uploads')).not.toContain('network/refused');
  });

  test('deletes the keys that a bulk deletion left behind', async () => {
    const isDeletion = (request: string): boolean => /^POST .*\?delete/.test(request);
    const disturb = firstTime('is refused in part');
    const unreliable = await behind((request) => (isDeletion(request) ? disturb(request) : 'passes'));
    for (const name of ['a', 'b']) await unreliable.put(`network/many/${name}`, Buffer.from(name), TYPE);
    await unreliable.deleteAll('network/many/');
    expect(proxy?.requests.filter(isDeletion)).toHaveLength(2);
    for (const name of ['a', 'b']) expect(await objects.open(`network/many/${name}`)).toBeNull();
  });

  test('does not retry errors that are permanent', async () => {
    const unreliable = await behind(() => 'passes');
    expect(await unreliable.open('network/none')).toBeNull();
    const stranger = openObjects(ceph.url(BUCKET, { secret: 'wrong' }).replace(ceph.host, proxy?.host ?? ''), {
      clock: systemTime,
    });
    await expect(stranger.put('network/none', Buffer.from('x'), TYPE)).rejects.toMatchObject({ code: 'denied' });
    expect(proxy?.requests).toHaveLength(2);
  });

  test.each<Fate>(['breaks off', 'ends early'])(
    'fails the stream of an object that %s like any other request, instead of ending it early',
    async (fate) => {
      await objects.put('network/long', bytesOf(5 * MIB), TYPE);
      const unreliable = await behind((request) => (request.startsWith('GET') ? fate : 'passes'));
      const stored = await unreliable.open('network/long');
      const broken = await stored
        ?.stream()
        .then(buffer)
        .catch((error: unknown) => error);
      expect(broken).toBeInstanceOf(ObjectsError);
      const message = expect.stringMatching(/^cannot read network\/long at /);
      expect(broken).toMatchObject({ code: 'unreachable', message });
    },
  );

  test.runIf(isLong)('retries when there is no response within 20 seconds', async () => {
    await objects.put('network/silent', Buffer.from('x'), TYPE);
    const unreliable = await behind(firstTime('stalls'));
    expect((await unreliable.open('network/silent'))?.size).toBe(1);
    expect(proxy?.requests).toHaveLength(2);
  });

  test('completes an upload again when only that response is lost', async () => {
    const content = bytesOf(9 * MIB);
    const disturb = firstTime('is lost');
    const unreliable = await behind((request) => (/^POST .*uploadId/.test(request) ? disturb(request) : 'passes'));
    await unreliable.put('network/finished', content, TYPE);
    expect(proxy?.requests.filter((request) => /^POST .*uploadId/.test(request))).toHaveLength(2);
    expect(digest(await read(await objects.open('network/finished')))).toBe(digest(content));
  });
});

test('a page redirects players to S3 when configured, allows only that host, and stops once the intro is closed', async () => {
  const video = bytesOf(300_000);
  const intro = await pages.createIntro({ files: { 'video.mp4': video } });
  const page = await fetch(pages.url + intro.path);
  expect(page.headers.get('content-security-policy')).toContain(`media-src 'self' http://${ceph.host};`);
  expect(await page.text()).toContain(`src="${intro.videoPath}"`);
  const sent = await fetch(pages.url + intro.videoPath, { redirect: 'manual' });
  expect([sent.status, sent.headers.get('cache-control')]).toEqual([302, 'private, no-store']);
  expect(new URL(sent.headers.get('location') ?? '').host).toBe(ceph.host);
  const part = await fetch(pages.url + intro.videoPath, { headers: { range: 'bytes=0-9' } });
  expect([part.status, part.headers.get('content-type')]).toEqual([206, 'video/mp4']);
  expect((await bytesIn(part)).equals(video.subarray(0, 10))).toBe(true);
  await pages.database.sql`update intros set status = 'cancelled' where id = ${intro.id}`;
  const closed = await fetch(pages.url + intro.videoPath, { redirect: 'manual' });
  expect([closed.status, closed.headers.get('location')]).toEqual([410, null]);
});

test('a store whose quota is used up is reported as full, in one or several parts, and keeps nothing half-written', async () => {
  await ceph.createBucket('limited');
  await ceph.limitBucket('limited', 2 * MIB);
  const stored = openObjects(ceph.url('limited'), { clock: systemTime });
  let now = 0;
  const { objects: limited, space } = watchSpace(stored, null, () => now);
  await limited.put('small', Buffer.alloc(1_000), TYPE);
  expect(await space.state()).toBe('ok');
  for (const bytes of [3 * MIB, 20 * MIB]) {
    await expect(limited.put('large', bytesOf(bytes), TYPE)).rejects.toMatchObject({ code: 'full' });
  }
  expect(await limited.open('large')).toBeNull();
  const parts = await ceph.client.fetch(`http://${ceph.host}/limited?uploads`);
  expect(await parts.text()).not.toContain('<Upload>');
  expect(await space.state()).toBe('full');
  await expect(space.require()).rejects.toMatchObject({ code: 'full' });
  now += 15_000;
  expect(await space.state()).toBe('ok');
});
