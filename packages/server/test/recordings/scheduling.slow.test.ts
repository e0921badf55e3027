import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Encoder, TakeRefused } from '../../src/recordings/media/index.ts';
import { MAX_FAILURES, RETRY_PATIENCE_MS, slotsFor } from '../../src/recordings/rules.ts';
import type { RecordingProcessor } from '../../src/recordings/scheduling.ts';
import { claimNext } from '../../src/recordings/store/processing.ts';
import { forFile } from '../harness/index.ts';
import { makeFolder, makeSample, OPUS, VP8 } from '../media/media-fixture.ts';
import type { PageIntro, PageSetup } from '../pages/page-fixture.ts';
import { openRecordings } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600_000;

const running: RecordingProcessor[] = [];
const fixture = await forFile(openRecordings());
afterAll(async () => {
  for (const worker of running) await worker.stop();
});
beforeEach(() => fixture.pages.database.query('delete from recordings'));

/** An encoder that finishes a take only when told to. A take is named by its content; `4K` in it makes it heavy. */
function manualEncoder() {
  const started: string[] = [];
  const open = new Map<string, () => void>();
  const encoder: Encoder = {
    ...fixture.encoder,
    async process({ file, signal, onInspected }) {
      const name = await readFile(file, 'utf8');
      started.push(name);
      onInspected?.(name.includes('4K'));
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        open.set(name, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }).finally(() => open.delete(name));
      throw new TakeRefused('broken');
    },
  };
  return {
    encoder,
    started,
    encoding: () => [...open.keys()].sort(),
    finish(name: string) {
      const end = open.get(name);
      if (end === undefined) throw new Error(`${name} is not being encoded`);
      end();
    },
  };
}

function start(encoder: Encoder): RecordingProcessor {
  const worker = fixture.processor(encoder);
  running.push(worker);
  return worker;
}

async function startManual() {
  const manual = manualEncoder();
  const worker = start(manual.encoder);
  await worker.startWaiting();
  return { manual, worker };
}

async function receive(intro: PageIntro, name: string): Promise<string> {
  fixture.pass(SECOND_MS);
  return fixture.receive(intro, Buffer.from(name));
}

const organization = () => fixture.pages.createIntro(REQUESTED);
const encodes = (manual: { encoding(): string[] }, names: string[]) =>
  expect.poll(() => manual.encoding()).toEqual(names);

describe('with two cores', () => {
  test.each([
    ['4K takes', 'flood 4K'],
    ['ordinary takes', 'flood'],
  ])("a flood of %s uses one slot, and another organization's take starts at once", async (_takes, flood) => {
    const [flooding, other] = [await organization(), await organization()];
    for (let n = 1; n <= 5; n++) await receive(flooding, `${flood} ${n}`);
    const { manual, worker } = await startManual();
    await encodes(manual, [`${flood} 1`]);
    await receive(other, 'other');
    await worker.startWaiting();
    await encodes(manual, [`${flood} 1`, 'other']);
    await worker.stop();
  });

  test('an ordinary take passes the 4K takes of its own organization', async () => {
    const intro = await organization();
    for (let n = 1; n <= 3; n++) await receive(intro, `4K ${n}`);
    await receive(intro, 'ordinary');
    const { manual, worker } = await startManual();
    await encodes(manual, ['4K 1', 'ordinary']);
    manual.finish('4K 1');
    await encodes(manual, ['4K 2', 'ordinary']);
    await worker.stop();
  });

  test('organizations take turns, each with its oldest take', async () => {
    const [first, second] = [await organization(), await organization()];
    for (const name of ['4K a1', '4K a2', '4K a3']) await receive(first, name);
    for (const name of ['4K b1', '4K b2']) await receive(second, name);
    // Their sizes are known, as after an inspection.
    await fixture.pages.database.query('update recordings set heavy = true');
    const { manual, worker } = await startManual();
    for (const name of ['4K a1', '4K b1', '4K a2', '4K b2', '4K a3']) {
      await encodes(manual, [name]);
      manual.finish(name);
    }
    await worker.finished();
    expect(manual.started).toEqual(['4K a1', '4K b1', '4K a2', '4K b2', '4K a3']);
  });

  test('a second attempt waits behind first attempts, but not longer than ten minutes', async () => {
    const [first, second] = [await organization(), await organization()];
    const failed = await receive(first, '4K failed');
    for (const name of ['4K 1', '4K 2', '4K 3']) await receive(second, name);
    await fixture.pages.database.query('update recordings set heavy = true');
    await fixture.pages.database.sql`update recordings set failures = 1, retry_at = ${fixture.now()}
      where id = ${failed}`;
    const { manual, worker } = await startManual();
    await encodes(manual, ['4K 1']);
    manual.finish('4K 1');
    await encodes(manual, ['4K 2']);
    fixture.pass(RETRY_PATIENCE_MS);
    manual.finish('4K 2');
    await encodes(manual, ['4K failed']);
    await worker.stop();
  });

  test('two workers never encode the same take, and together all of them', async () => {
    const intros = await Promise.all(Array.from({ length: 6 }, organization));
    for (const [n, intro] of intros.entries()) await receive(intro, `take ${n}`);
    const manual = manualEncoder();
    const workers = [start(manual.encoder), start(manual.encoder)];
    await Promise.all(workers.map((worker) => worker.startWaiting()));
    await encodes(manual, ['take 0', 'take 1', 'take 2', 'take 3', 'take 4', 'take 5']);
    expect(manual.started).toHaveLength(6);
    for (const worker of workers) await worker.stop();
  });
});

test('a worker that shuts down returns its takes, which keep their place and their attempts', async () => {
  const intro = await organization();
  const id = await receive(intro, 'take');
  const { manual, worker } = await startManual();
  await encodes(manual, ['take']);
  await worker.stop();
  const returned = { status: 'uploaded', failures: 0, worker_deaths: 0, retry_at: null };
  expect(await fixture.recording(id)).toMatchObject(returned);
});

test.each(['open', 'put'] as const)(
  'a worker that shuts down does not wait for a store that does not respond to %s, and returns its takes',
  async (method) => {
    const id = await fixture.receive(await organization());
    fixture.silenceStore(method);
    const worker = start(fixture.encoder);
    await worker.startWaiting();
    const { status, progress } = { status: 'processing', progress: method === 'open' ? 0 : 99 };
    await expect.poll(() => fixture.recording(id)).toMatchObject({ status, progress });
    expect(await Promise.race([worker.stop().then(() => 'stopped'), sleep(5_000, 'waits')])).toBe('stopped');
    fixture.silenceStore(null);
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', failures: 0, worker_deaths: 0 });
  },
);

test('a take whose worker dies twenty times is processed, later each time, up to five minutes', async () => {
  const intro = await organization();
  const id = await fixture.receive(intro);
  const room = { allowsHeavy: true, fullOrganizations: [] };
  const delays: number[] = [];
  for (let death = 1; death <= 20; death++) {
    const now = fixture.now();
    expect(await claimNext(fixture.pages.db.kysely, room, { now, patientSince: now })).toMatchObject({ id });
    fixture.pass(20 * SECOND_MS);
    // The next worker finds the take without a heartbeat.
    await fixture.process();
    const row = await fixture.recording(id);
    expect(row).toMatchObject({ status: 'uploaded', failures: 0, worker_deaths: death, refusal_code: null });
    const delay = (row.retry_at as Date).getTime() - fixture.now().getTime();
    delays.push(delay / SECOND_MS);
    fixture.pass(delay);
  }
  expect(delays.slice(0, 4)).toEqual([2, 4, 8, 16]);
  expect(Math.max(...delays)).toBe(300);
  await fixture.process();
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready' });
});

test('a take whose encoder dies each time is refused after five attempts, whatever happened to workers before', async () => {
  const intro = await organization();
  const id = await fixture.receive(intro);
  await fixture.pages.database.sql`update recordings set worker_deaths = 9, attempts = 9 where id = ${id}`;
  const dying: Encoder = { ...fixture.encoder, process: () => Promise.reject(new Error('exited with 137')) };
  for (let attempt = 1; attempt < MAX_FAILURES; attempt++) {
    await fixture.process({ encoder: dying });
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', failures: attempt });
    fixture.pass(DAY_MS);
  }
  await fixture.process({ encoder: dying });
  expect(await fixture.recording(id)).toMatchObject({ status: 'refused', refusal_code: 'processing_failed' });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
});

test('the CPU time of a take is stored while it is encoded, not counted for a worker that stops, and limits the next attempt', async () => {
  const intro = await organization();
  const format = { name: 'take.webm', video: VP8, audio: OPUS };
  const sample = await makeSample(await makeFolder(), { size: '1280x720', seconds: 8, rate: 15, ...format });
  const id = await fixture.receive(intro, await readFile(sample));
  const worker = start(fixture.encoder);
  await worker.startWaiting();
  await expect.poll(async () => (await fixture.recording(id)).cpu_ms, { timeout: 120_000 }).toBeGreaterThan(0);
  await worker.stop();
  const stopped = await fixture.recording(id);
  expect(stopped).toMatchObject({ status: 'uploaded', cpu_ms: 0 });
  // As much as attempts that failed or were killed may have used: half a second is left of 20 s + 4 x 8 s.
  await fixture.pages.database.sql`update recordings set cpu_ms = 51500 where id = ${id}`;
  await fixture.process({ only: id });
  expect(await fixture.recording(id)).toMatchObject({ status: 'refused', refusal_code: 'too_demanding' });
}, 300_000);

test('machines with more cores have more slots, and every one keeps slots for other organizations', () => {
  expect(slotsFor(1)).toEqual({ all: 3, heavy: 1, perOrganization: 1 });
  expect(slotsFor(2)).toEqual({ all: 3, heavy: 1, perOrganization: 1 });
  expect(slotsFor(8)).toEqual({ all: 6, heavy: 2, perOrganization: 3 });
});
