import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { stop } from '../children.ts';
import { atMost, type Finding, median, ms, print, times } from '../figures.ts';
import { readMemberLink, requestIntro, type Target } from '../intros.ts';
import { connectToDatabase, prepareDataDir, startService } from '../service.ts';
import { MAX_ENCODED_SHARE, TAKE_S, type Takes } from './takes.ts';

const MAX_COPIED_MS = 1_500;
const POLL_MS = 10;
const READY_LIMIT_MS = 120_000;
const SETTLE_POLL_MS = 250;
/** About a second of a take, which is left to upload at Stop. */
const PIECE_BYTES = 300_000;
const TUS = { 'tus-resumable': '1.0.0' };

async function expectStatus(response: Response, status: number): Promise<Response> {
  if (response.status === status) return response;
  throw new Error(`${response.url} returned ${response.status}: ${await response.text()}`);
}

/** Uploads like the recorder: in pieces, with the total length only in the last one. */
async function upload(link: string, take: Buffer, type: string): Promise<void> {
  const metadata = `filetype ${Buffer.from(type).toString('base64')}`;
  const created = await fetch(`${link}/uploads`, {
    method: 'POST',
    headers: { ...TUS, 'upload-defer-length': '1', 'upload-metadata': metadata },
  });
  const at = new URL((await expectStatus(created, 201)).headers.get('location') ?? '', link).pathname;
  for (let offset = 0; offset < take.length; offset += PIECE_BYTES) {
    const piece = take.subarray(offset, offset + PIECE_BYTES);
    const isLast = offset + piece.length === take.length;
    const response = await fetch(new URL(at, link), {
      method: 'PATCH',
      headers: {
        ...TUS,
        'upload-offset': `${offset}`,
        'content-type': 'application/offset+octet-stream',
        ...(isLast && { 'upload-length': `${take.length}` }),
      },
      body: new Uint8Array(piece),
    });
    await expectStatus(response, 204);
  }
}

/** Polls like an integration. A ready intro may already be sent at the next poll. */
export async function waitUntilReady({ service, key }: Pick<Target, 'service' | 'key'>, id: string): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < READY_LIMIT_MS) {
    const response = await fetch(`${service.url}/v1/intros/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const { status } = (await (await expectStatus(response, 200)).json()) as { status: string };
    if (status === 'ready' || status === 'sent') return;
    await sleep(POLL_MS);
  }
  throw new Error(`intro ${id} was not ready in time`);
}

/** The preview is made after `ready` and must not affect the next round. */
async function waitUntilPreviewed(database: pg.Client, id: string): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < READY_LIMIT_MS) {
    const { rowCount } = await database.query('select 1 from recordings where intro_id = $1 and has_preview', [id]);
    if (rowCount === 1) return;
    await sleep(SETTLE_POLL_MS);
  }
  throw new Error(`intro ${id} had no preview in time`);
}

/** Time from uploading the last piece, the only one left at Stop, to `ready` in the API. */
export async function measureStopToReady(options: {
  takes: Takes;
  rounds: number;
  environment: Record<string, string>;
}): Promise<Finding[]> {
  const { takes, rounds, environment } = options;
  const { dataDir, key } = await prepareDataDir(environment);
  const service = await startService({ dataDir, environment });
  const database = await connectToDatabase(dataDir);
  const target = { service, dataDir, key };
  const measure = async (name: string, file: string, type: string): Promise<number> => {
    const take = await readFile(file);
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const id = await requestIntro(target);
      await upload(await readMemberLink(target, id), take, type);
      const stopped = performance.now();
      await waitUntilReady(target, id);
      measured.push(performance.now() - stopped);
      await waitUntilPreviewed(database, id);
    }
    print(`  Stop to ready, ${name}: ${measured.map(ms).join(', ')}`);
    return median(measured);
  };
  const copied = await measure('copied', takes.copied, 'video/mp4');
  const encoded = await measure('encoded', takes.encoded, 'video/webm');
  await database.end();
  await stop(service.child);
  return [
    atMost('  Stop to ready in the API, copied', copied, MAX_COPIED_MS, ms),
    atMost('  Stop to ready in the API, encoded', encoded / (TAKE_S * 1000), MAX_ENCODED_SHARE, times),
  ];
}
