import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { stop } from '../children.ts';
import { atMost, type Finding, median, ms, print, times } from '../figures.ts';
import { askIntro, linkOf, type Tenancy } from '../intros.ts';
import { connectBeside, prepareDataDir, startService } from '../service.ts';
import { TAKE_S, type Takes, WANTED_ENCODED_SHARE } from './takes.ts';

const WANTED_COPIED_MS = 1_500;
const POLL_MS = 10;
const READY_LIMIT_MS = 120_000;
const SETTLE_POLL_MS = 250;
/** About a second of a take: what is left to be sent at Stop. */
const PIECE_BYTES = 300_000;
const TUS = { 'tus-resumable': '1.0.0' };

async function expectStatus(answer: Response, status: number): Promise<Response> {
  if (answer.status === status) return answer;
  throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
}

/** As the recorder does it: in pieces while the member speaks, the length told with the last one. */
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
    const answer = await fetch(new URL(at, link), {
      method: 'PATCH',
      headers: {
        ...TUS,
        'upload-offset': `${offset}`,
        'content-type': 'application/offset+octet-stream',
        ...(isLast && { 'upload-length': `${take.length}` }),
      },
      body: new Uint8Array(piece),
    });
    await expectStatus(answer, 204);
  }
}

/** What the integration sees; an intro that is ready may be sent before the next look. */
async function untilReady({ service, key }: Tenancy, id: string): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < READY_LIMIT_MS) {
    const answer = await fetch(`${service.url}/v1/intros/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const { status } = (await (await expectStatus(answer, 200)).json()) as { status: string };
    if (status === 'ready' || status === 'sent') return;
    await sleep(POLL_MS);
  }
  throw new Error(`intro ${id} was not ready in time`);
}

/** The preview follows `ready`, and must not get in the way of the next round. */
async function untilPreviewed(database: pg.Client, id: string): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < READY_LIMIT_MS) {
    const { rowCount } = await database.query('select 1 from recordings where intro_id = $1 and has_preview', [id]);
    if (rowCount === 1) return;
    await sleep(SETTLE_POLL_MS);
  }
  throw new Error(`intro ${id} got no preview in time`);
}

/** From the answer to the last piece, which is all that is left to send at Stop, to `ready` by API. */
export async function measureStopToReady(options: {
  takes: Takes;
  rounds: number;
  environment: Record<string, string>;
}): Promise<Finding[]> {
  const { takes, rounds, environment } = options;
  const { dataDir, key } = await prepareDataDir(environment);
  const service = await startService({ dataDir, environment });
  const database = await connectBeside(dataDir);
  const tenancy = { service, dataDir, key };
  const measure = async (what: string, file: string, type: string): Promise<number> => {
    const take = await readFile(file);
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const id = await askIntro(tenancy);
      await upload(await linkOf(tenancy, id), take, type);
      const stopped = performance.now();
      await untilReady(tenancy, id);
      measured.push(performance.now() - stopped);
      await untilPreviewed(database, id);
    }
    print(`  Stop to ready, ${what}: ${measured.map(ms).join(', ')}`);
    return median(measured);
  };
  const copied = await measure('copied', takes.copied, 'video/mp4');
  const encoded = await measure('encoded', takes.encoded, 'video/webm');
  await database.end();
  await stop(service.child);
  return [
    atMost('  Stop to ready by API, copied', copied, WANTED_COPIED_MS, ms),
    atMost('  Stop to ready by API, encoded', encoded / (TAKE_S * 1000), WANTED_ENCODED_SHARE, times),
  ];
}
