import { randomBytes } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Objects, openObjects } from '../../src/platform/objects.ts';
import { openPages, type PageFixture } from '../pages/page-fixture.ts';
import { ACCESS_KEY, type Ceph, SECRET_KEY, startCeph } from './ceph.ts';

const BUCKET = 'foreword-pages';
const film = randomBytes(300_000);

let ceph: Ceph;
let objects: Objects;
let through: PageFixture;
let aside: PageFixture;

beforeAll(async () => {
  ceph = await startCeph();
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: 's3',
    region: 'us-east-1',
  });
  const made = await client.fetch(`http://${ceph.host}/${BUCKET}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`no bucket: ${made.status}`);
  objects = openObjects(ceph.url(BUCKET), { clock: () => new Date() });
  through = await openPages({ objects });
  aside = await openPages({ objects, redirectMedia: true });
});

afterAll(async () => {
  await through?.close();
  await aside?.close();
  await ceph?.stop();
});

const partOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a page whose files lie in S3', () => {
  test('gives its video, and parts of it, from its own address', async () => {
    const intro = await through.createIntro({ files: { 'video.mp4': film } });
    const whole = await fetch(through.url + intro.videoPath);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect((await partOf(whole)).equals(film)).toBe(true);
    const part = await fetch(through.url + intro.videoPath, { headers: { range: 'bytes=1000-1999' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${film.length}`]);
    expect((await partOf(part)).equals(film.subarray(1000, 2000))).toBe(true);
  });

  test('sends players to the store where that is wanted, lets only that host in, and sends nobody once it is closed', async () => {
    const intro = await aside.createIntro({ files: { 'video.mp4': film } });
    const page = await fetch(aside.url + intro.path);
    expect(page.headers.get('content-security-policy')).toContain(`media-src 'self' http://${ceph.host};`);
    expect(await page.text()).toContain(`src="${intro.videoPath}"`);
    const sent = await fetch(aside.url + intro.videoPath, { redirect: 'manual' });
    expect([sent.status, sent.headers.get('cache-control')]).toEqual([302, 'private, no-store']);
    expect(new URL(sent.headers.get('location') ?? '').host).toBe(ceph.host);
    const part = await fetch(aside.url + intro.videoPath, { headers: { range: 'bytes=0-9' } });
    expect([part.status, part.headers.get('content-type')]).toEqual([206, 'video/mp4']);
    expect((await partOf(part)).equals(film.subarray(0, 10))).toBe(true);
    await aside.database.query("update intros set status = 'cancelled' where id = $1", [intro.id]);
    const closed = await fetch(aside.url + intro.videoPath, { redirect: 'manual' });
    expect([closed.status, closed.headers.get('location')]).toEqual([410, null]);
  });
});
