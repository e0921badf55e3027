import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { libraryEngine } from '../packages/server/src/recordings/media/engine/node-av.ts';
import { atMost, type Finding, info, median, ms, print, times } from './figures.ts';
import { postEvents } from './load.ts';
import { makeFolder } from './processes.ts';
import { call, openSite, prepare, readMemberPath, readNumber, requestIntro, type Site } from './service.ts';

const TAKE_S = 15;
const SIZE = '720x1280';
/** From Stop to ready: upload of the last piece, queue, encoder and commit. */
const MAX_COPIED_MS = 1_500;
/** Time to encode a take, as a share of its length. */
const MAX_ENCODED_SHARE = 0.6;
const MAX_P99_MS = 50;
/** About a second of a take, which is left to upload at Stop. */
const PIECE_BYTES = 300_000;
const TUS = { 'tus-resumable': '1.0.0' };
const POLL_MS = 10;
const READY_LIMIT_MS = 120_000;

interface Take {
  readonly bytes: Buffer;
  readonly type: string;
}

/** Noise over a moving picture, about as hard to encode as a face in a room: H.264 to copy, and VP8 to encode. */
async function makeTakes(): Promise<{ copied: Take; encoded: Take }> {
  const folder = makeFolder();
  const engine = await libraryEngine({ folder });
  const picture = `testsrc2=s=${SIZE}:r=30:d=${TAKE_S},noise=alls=6:allf=t,format=yuv420p[out0]`;
  const sound = `aevalsrc='0.1*sin(220*2*PI*t)*gt(mod(t,0.6),0.15)':s=48000:d=${TAKE_S}[out1]`;
  const input = { file: `${picture};${sound}`, demuxer: 'lavfi' };
  const make = async (muxer: string, codecs: [string, string], format: string, options: Record<string, string>) => {
    const file = `take.${muxer}`;
    await engine.run({
      input,
      video: { index: 0, filter: 'null', codec: codecs[0], options },
      audio: { index: 0, filter: `aformat=sample_fmts=${format}`, codec: codecs[1], options: {} },
      output: { file, muxer, ...(muxer === 'webm' && { options: { live: '1' } }) },
    });
    return { bytes: readFileSync(join(folder, file)), type: `video/${muxer}` };
  };
  const h264 = { preset: 'veryfast', b: '2M', maxrate: '2500k', bufsize: '2M', profile: 'main', g: '30' };
  const vp8 = { deadline: 'realtime', 'cpu-used': '8', b: '2500k', g: '100' };
  return {
    copied: await make('mp4', ['libx264', 'aac'], 'fltp', h264),
    encoded: await make('webm', ['libvpx', 'libopus'], 'flt', vp8),
  };
}

async function expectStatus(response: Response, status: number): Promise<Response> {
  if (response.status === status) return response;
  throw new Error(`${response.url} returned ${response.status}: ${await response.text()}`);
}

/** Uploads like the recorder: in pieces, with the total length only in the last one. */
async function upload(link: string, { bytes, type }: Take): Promise<void> {
  const metadata = `filetype ${Buffer.from(type).toString('base64')}`;
  const headers = { ...TUS, 'upload-defer-length': '1', 'upload-metadata': metadata };
  const created = await expectStatus(await fetch(`${link}/uploads`, { method: 'POST', headers }), 201);
  const at = new URL(new URL(created.headers.get('location') ?? '', link).pathname, link);
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    const place = { 'upload-offset': `${offset}`, 'content-type': 'application/offset+octet-stream' };
    const end = offset + piece.length === bytes.length ? { 'upload-length': `${bytes.length}` } : {};
    const request = { method: 'PATCH', headers: { ...TUS, ...place, ...end }, body: new Uint8Array(piece) };
    await expectStatus(await fetch(at, request), 204);
  }
}

async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + READY_LIMIT_MS; !(await isTrue()); await sleep(POLL_MS))
    if (performance.now() > end) throw new Error(`${what}: not in time`);
}

/** From the upload of the last piece, the only one left at Stop, to `ready` in the API. */
async function measureStopToReady(site: Site, take: Take, rounds: number): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const id = await requestIntro(site);
    await upload(site.url + (await readMemberPath(site, id)), take);
    const stopped = performance.now();
    // A ready intro may already be sent at the next poll.
    await waitUntil(`${id} is ready`, async () =>
      ['ready', 'sent'].includes((await call<{ status: string }>(site, 'GET', `/v1/intros/${id}`)).status),
    );
    took.push(performance.now() - stopped);
    // The preview is made after `ready` and must not affect the next round.
    const previews = `select count(*)::int as n from recordings where intro_id = '${id}' and has_preview`;
    await waitUntil(`${id} has a preview`, async () => (await readNumber(site.database, previews)) === 1);
  }
  print(`  ${take.type}: ${took.map(ms).join(', ')}`);
  return median(took);
}

/** Measures the API while the encoder works through takes of simulated members. */
async function measureQueued(site: Site, { bytes, type }: Take, quick: boolean): Promise<Finding[]> {
  const [takes, seconds] = quick ? [10, 3] : [100, 20];
  const load = () => postEvents({ url: site.url, key: site.key, connections: 8, seconds, perSecond: 200 });
  const waiting = "select count(*)::int as n from recordings where status in ('uploaded', 'processing')";
  const without = await load();
  for (let n = 0; n < takes; n++) {
    await call(site, 'POST', `/v1/test_helpers/intros/${await requestIntro(site)}/record`, bytes, type);
  }
  const during = await load();
  if ((await readNumber(site.database, waiting)) === 0) throw new Error('the takes were done before the load was over');
  return [
    info('p99 of 200 events a second with nothing to encode', ms(without.p99Ms)),
    atMost(`  with ${takes} takes of ${TAKE_S} s queued`, during.p99Ms, MAX_P99_MS, ms),
  ];
}

/** A take from Stop to ready, copied and encoded; and the API while the encoder is busy. */
export async function measureMedia(quick: boolean): Promise<Finding[]> {
  const { copied, encoded } = await makeTakes();
  print(`from Stop to ready, ${TAKE_S} s of ${SIZE}`);
  const site = await openSite(await prepare());
  const copiedMs = await measureStopToReady(site, copied, quick ? 1 : 3);
  const encodedMs = await measureStopToReady(site, encoded, quick ? 1 : 3);
  const queued = await measureQueued(site, encoded, quick);
  await site.close();
  return [
    atMost('Stop to ready, H.264 and AAC, copied', copiedMs, MAX_COPIED_MS, ms),
    atMost('  VP8 and Opus, encoded, of its length', encodedMs / (TAKE_S * 1000), MAX_ENCODED_SHARE, times),
    ...queued,
  ];
}
