import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openObjects } from '../../src/platform/objects.ts';
import { forFile } from '../harness/index.ts';
import { openPages } from '../pages/page-fixture.ts';
import { startCeph } from './ceph.ts';

const BUCKET = 'foreword-pages';
const video = randomBytes(300_000);

const ceph = await forFile(startCeph(), (opened) => opened.stop());
await ceph.createBucket(BUCKET);
const objects = openObjects(ceph.url(BUCKET), { clock: () => new Date() });
const direct = await forFile(openPages({ objects }));
const redirecting = await forFile(openPages({ objects, redirectMedia: true }));

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a page whose files are in S3', () => {
  test('serves its video and ranges of it from its own address', async () => {
    const intro = await direct.createIntro({ files: { 'video.mp4': video } });
    const whole = await fetch(direct.url + intro.videoPath);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect((await bytesOf(whole)).equals(video)).toBe(true);
    const part = await fetch(direct.url + intro.videoPath, { headers: { range: 'bytes=1000-1999' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${video.length}`]);
    expect((await bytesOf(part)).equals(video.subarray(1000, 2000))).toBe(true);
  });

  test('redirects players to S3 when configured, allows only that host, and stops once the intro is closed', async () => {
    const intro = await redirecting.createIntro({ files: { 'video.mp4': video } });
    const page = await fetch(redirecting.url + intro.path);
    expect(page.headers.get('content-security-policy')).toContain(`media-src 'self' http://${ceph.host};`);
    expect(await page.text()).toContain(`src="${intro.videoPath}"`);
    const sent = await fetch(redirecting.url + intro.videoPath, { redirect: 'manual' });
    expect([sent.status, sent.headers.get('cache-control')]).toEqual([302, 'private, no-store']);
    expect(new URL(sent.headers.get('location') ?? '').host).toBe(ceph.host);
    const part = await fetch(redirecting.url + intro.videoPath, { headers: { range: 'bytes=0-9' } });
    expect([part.status, part.headers.get('content-type')]).toEqual([206, 'video/mp4']);
    expect((await bytesOf(part)).equals(video.subarray(0, 10))).toBe(true);
    await redirecting.database.query("update intros set status = 'cancelled' where id = $1", [intro.id]);
    const closed = await fetch(redirecting.url + intro.videoPath, { redirect: 'manual' });
    expect([closed.status, closed.headers.get('location')]).toEqual([410, null]);
  });
});
