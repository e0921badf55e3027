import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Services } from '../app/services.ts';
import { isTransient } from '../db/pools.ts';
import { type Tenant, type Tx, tenantOf } from '../db/tenancy.ts';
import { moveToReady, requireIntro } from '../intros/index.ts';
import { findCurrentHost } from '../organizations/link-domains/index.ts';
import { monotonicMs } from '../platform/clock.ts';
import { type Objects, ObjectsError } from '../platform/objects/index.ts';
import { endSpan, type Span, type SpanResult } from '../platform/tracing.ts';
import { trimOf } from './edits.ts';
import { deleteIfWithdrawn, keyOf, originalPrefixOf, RECORDING_FILES, type RecordingFile } from './files.ts';
import { type Encoder, EncoderInterrupted, type TakeDetails, TakeRefused } from './media/index.ts';
import { MAX_FAILURES, PROCESSING_FAILED, retryDelayMs } from './rules.ts';
import { markPreviewed, type Outcome, recordHeartbeat, settle } from './store/processing.ts';
import { isWithdrawn, type RecordingRow } from './store/uploads.ts';

const HEARTBEAT_MS = 500;

export interface ProcessingDeps
  extends Pick<
    Services,
    'db' | 'objects' | 'workFolders' | 'links' | 'clock' | 'testClocks' | 'log' | 'metrics' | 'traces'
  > {
  readonly encoder: Encoder;
  /** Runs in the transaction that makes an intro ready: schedules its delivery and publishes the event. */
  onReady(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<void>;
}

/** The work stopped early: another worker claimed the take, or its intro closed. */
class Stopped extends Error {}

/** The take waits for another slot, or for another worker because this one is shutting down. This is not its fault. */
export class Postponed extends Error {}

/** A claimed take that is being processed. */
export interface ActiveTake {
  readonly row: RecordingRow;
  readonly stop: AbortController;
  /** Null until it has been inspected. */
  isHeavy: boolean | null;
  /** Sum over all attempts. */
  cpuMs: number;
  /** Called once it has been inspected; may stop it. */
  onInspected(): void;
}

async function fetchOriginal(objects: Objects, row: RecordingRow, file: string): Promise<void> {
  async function* bytes() {
    for (const part of row.parts) {
      const object = await objects.open(originalPrefixOf(row) + part);
      if (object === null) throw new Error(`part ${part} of recording ${row.id} is missing from the object store`);
      yield* await object.stream();
    }
  }
  await pipeline(Readable.from(bytes()), createWriteStream(file));
}

/** A store that does not respond must not keep a worker from stopping. Files that it still stores are those of the same take. */
function orAborted<T>({ signal }: AbortController, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** Records progress regularly; aborts the work when the claim is lost or the intro has closed. */
function startHeartbeat(deps: ProcessingDeps, take: ActiveTake) {
  const { row, stop } = take;
  let percent = 0;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last
      .then(() => recordHeartbeat(deps.db.kysely, row, { progress: percent, cpu_ms: take.cpuMs }, deps.clock()))
      .then((isWanted) => {
        if (!isWanted) stop.abort(new Stopped());
      })
      // The database may be back by the next heartbeat. If not, the claim is lost and the final write changes nothing.
      .catch(() => undefined);
  }, HEARTBEAT_MS);
  return {
    onProgress(value: number) {
      percent = Math.max(0, Math.min(99, Math.round(value)));
    },
    async end() {
      clearInterval(timer);
      await last;
    },
  };
}

async function storeFiles(
  deps: ProcessingDeps,
  row: RecordingRow,
  folder: string,
  names: readonly RecordingFile[],
): Promise<void> {
  await Promise.all(
    names.map((name) =>
      deps.objects.put(keyOf(row, name), { file: path.join(folder, name) }, { type: RECORDING_FILES[name] }),
    ),
  );
}

/** Publishes the take with its page link in one transaction. Returns false if a newer take or a closed intro discards it. */
async function publish(
  deps: ProcessingDeps,
  { row, cpuMs }: ActiveTake,
  details: TakeDetails,
  captioned: boolean,
): Promise<boolean> {
  const { db, testClocks, links, onReady } = deps;
  const tenant = tenantOf(row);
  return db.kysely.transaction().execute(async (tx) => {
    const now = await testClocks.nowWithin(tx, tenant);
    const take = { recordingId: row.id, linkHost: await findCurrentHost(tx, tenant) };
    const intro = await moveToReady(tx, tenant, row.intro_id, take, now);
    if (intro === null) {
      await settle(tx, row, { status: 'discarded' }, now);
      return false;
    }
    await links.activate(tx, tenant, row.intro_id, intro.link_host === null ? ['page'] : ['page', 'short']);
    const outcome = {
      status: 'ready',
      progress: 100,
      // From here on, the column counts repeated attempts at the preview.
      attempts: 0,
      cpu_ms: cpuMs,
      ready_at: now,
      width: details.width,
      height: details.height,
      duration_ms: details.durationMs,
      bytes: details.bytes,
      has_audio: details.hasAudio,
      has_captions: captioned,
    } as const;
    // Another worker has claimed the take: roll back what this transaction wrote about the intro.
    if (!(await settle(tx, row, outcome, now))) throw new Stopped();
    await onReady(tx, tenant, row.intro_id, now);
    return true;
  });
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}

async function processTake(deps: ProcessingDeps, take: ActiveTake, folder: string): Promise<void> {
  const { row, stop } = take;
  const { db, objects, encoder, log, metrics } = deps;
  const startedMs = monotonicMs();
  const original = path.join(folder, 'original');
  // Covers fetching and storing too: a slow object store must not make the take look abandoned.
  const heartbeat = startHeartbeat(deps, take);
  let details: TakeDetails;
  let captioned: boolean;
  try {
    await orAborted(stop, fetchOriginal(objects, row, original));
    stop.signal.throwIfAborted();
    const { script } = await requireIntro(db.kysely, tenantOf(row), row.intro_id);
    details = await encoder.process({
      file: original,
      into: folder,
      script,
      captions: row.captions,
      trim: trimOf(row),
      signal: stop.signal,
      onProgress: heartbeat.onProgress,
      cpu: { spentMs: row.cpu_ms, workerDeaths: row.worker_deaths },
      onCpuTime(ms) {
        take.cpuMs = row.cpu_ms + ms;
      },
      onInspected(isHeavy) {
        take.isHeavy = isHeavy;
        take.onInspected();
      },
    });
    captioned = await exists(path.join(folder, 'captions.vtt'));
    const optional = captioned ? (['captions.vtt'] as const) : [];
    const names = ['video.mp4', 'poster.jpg', 'card.jpg', 'thumbnail.jpg', ...optional] as const;
    await orAborted(stop, storeFiles(deps, row, folder, names));
  } finally {
    await heartbeat.end();
  }
  stop.signal.throwIfAborted();
  if (!(await publish(deps, take, details, captioned))) return;
  const seconds = (monotonicMs() - startedMs) / 1000;
  metrics.recordingsSettled.inc({ status: 'ready' });
  log.info(
    { recording: row.id, organization: row.organization_id, copied: details.copied, seconds },
    'recording ready',
  );
  await makePreview(deps, take, folder);
}

async function fetchVideo(objects: Objects, row: RecordingRow, file: string): Promise<void> {
  const video = await objects.open(keyOf(row, 'video.mp4'));
  if (video === null) throw new Error(`the video of recording ${row.id} is missing from the object store`);
  await pipeline(await video.stream(), createWriteStream(file));
}

/** The page works without a preview. If this fails, it is retried later. */
async function makePreview(deps: ProcessingDeps, { row, stop }: ActiveTake, folder: string) {
  const { db, objects, encoder, log } = deps;
  const file = path.join(folder, 'video.mp4');
  try {
    if (!(await exists(file))) await orAborted(stop, fetchVideo(objects, row, file));
    await encoder.preview({ file, into: folder, signal: stop.signal });
    if (await isWithdrawn(db.kysely, row)) return;
    await orAborted(stop, storeFiles(deps, row, folder, ['preview.webp']));
    // The take may have been erased while its preview was made.
    if (!(await markPreviewed(db.kysely, tenantOf(row), row.id))) await objects.delete(keyOf(row, 'preview.webp'));
  } catch (err) {
    log.warn({ err, recording: row.id }, 'preview failed');
  }
}

/** A failed system call, an unreachable store or an operator who ends the encoder says nothing about the take. */
const isSystemFault = (fault: unknown): boolean =>
  isTransient(fault) ||
  fault instanceof ObjectsError ||
  fault instanceof EncoderInterrupted ||
  (fault instanceof Error && 'syscall' in fault);

/** After a failure, refuses the take, discards it, or returns it to the queue. */
async function settleFailure(deps: ProcessingDeps, take: ActiveTake, fault: unknown): Promise<void> {
  const { db, clock, log, metrics } = deps;
  const { row, isHeavy, cpuMs } = take;
  const end = (outcome: Outcome, spentMs = cpuMs) =>
    settle(db.kysely, row, { ...outcome, heavy: isHeavy ?? row.heavy, cpu_ms: spentMs }, clock());
  const refuse = async (code: string, message: string) => {
    metrics.recordingsSettled.inc({ status: 'refused' });
    await end({ status: 'refused', refusal_code: code, refusal_message: message });
  };
  const retry = (failures: number, delayMs: number, spentMs = cpuMs) =>
    end({ status: 'uploaded', failures, retry_at: new Date(clock().getTime() + delayMs) }, spentMs);
  if (fault instanceof TakeRefused) return refuse(fault.code, fault.message);
  // Keeps its place: it counts neither as failed nor as tried.
  if (fault instanceof Postponed)
    return void (await end({ status: 'uploaded', failures: row.failures, retry_at: row.retry_at }, row.cpu_ms));
  if (fault instanceof Stopped) return void (await end({ status: 'discarded' }));
  log.error({ err: fault, recording: row.id, organization: row.organization_id }, 'recording failed');
  // Without the CPU time of this attempt: a disk that stays full would use up all that the take may cost.
  if (isSystemFault(fault)) return void (await retry(row.failures, retryDelayMs(row.attempts), row.cpu_ms));
  const failures = row.failures + 1;
  if (failures >= MAX_FAILURES) return refuse(PROCESSING_FAILED.code, PROCESSING_FAILED.message);
  await retry(failures, retryDelayMs(failures));
}

const describeTake = ({ row, cpuMs }: ActiveTake, error: string | null): SpanResult => ({
  attributes: {
    'foreword.recording.id': row.id,
    'foreword.intro.id': row.intro_id,
    'foreword.cpu_ms': Math.round(cpuMs),
  },
  error,
});

/** Works on a claimed take in a folder of its own, until it is settled. */
export async function work(deps: ProcessingDeps, take: ActiveTake): Promise<void> {
  const { row } = take;
  let span: Span | undefined;
  let error: string | null = null;
  try {
    const key = { tenant: tenantOf(row), id: row.intro_id };
    const name = row.status === 'ready' ? 'preview take' : 'process take';
    span = await deps.traces.startFor(deps.db.pool, key, name, 'consumer');
    await deps.workFolders.use('take', (folder) =>
      row.status === 'ready' ? makePreview(deps, take, folder) : processTake(deps, take, folder),
    );
  } catch (fault) {
    const reason: unknown = take.stop.signal.aborted ? take.stop.signal.reason : fault;
    error = reason instanceof TakeRefused ? reason.code : 'not processed';
    await settleFailure(deps, take, reason);
  }
  endSpan(span, describeTake(take, error));
  // The member may have withdrawn consent while files were stored.
  await deleteIfWithdrawn(deps, row);
}
