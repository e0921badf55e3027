import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Transaction } from 'kysely';
import { moveToReady, requireIntro } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { type Database, isTransient } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Objects, ObjectsError } from '../platform/objects.ts';
import type { WorkFolders } from '../platform/work-folders.ts';
import type { Tables, Tenant } from '../tables.ts';
import { keyOf, originalPrefixOf, RECORDING_FILES, type RecordingFile } from './keys.ts';
import { type Encoder, type TakeDetails, TakeRefused } from './media/index.ts';
import {
  ABANDONED_AFTER_MS,
  lacksPreview,
  MAX_ATTEMPTS,
  PROCESSING_FAILED,
  retryDelayMs,
  UNQUEUED_AFTER_MS,
} from './rules.ts';
import { claim, markPreviewed, recordHeartbeat, settle } from './store/processing.ts';
import { findRecording, type RecordingRow, tenantOf } from './store/recordings.ts';

const HEARTBEAT_MS = 500;

export interface ProcessingDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly encoder: Encoder;
  readonly workFolders: WorkFolders;
  readonly links: Links;
  /** Runs in the transaction that makes an intro ready: schedules its delivery and publishes the event. */
  onReady(tx: Transaction<Tables>, tenant: Tenant, introId: string, now: Date): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The work stopped early: another worker claimed the take, its intro closed, or the service is shutting down. */
class Stopped extends Error {}

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

/** Records progress regularly; aborts the work when the claim is lost or the intro has closed. */
function startHeartbeat(deps: ProcessingDeps, row: RecordingRow, stop: AbortController) {
  let percent = 0;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last
      .then(() => recordHeartbeat(deps.db.kysely, row, percent, deps.clock()))
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
  names: RecordingFile[],
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
  row: RecordingRow,
  details: TakeDetails,
  captioned: boolean,
): Promise<boolean> {
  const { db, clock, links, onReady } = deps;
  const tenant = tenantOf(row);
  return db.kysely.transaction().execute(async (tx) => {
    const now = clock();
    if (!(await moveToReady(tx, tenant, row.intro_id, row.id, now))) {
      await settle(tx, row, { status: 'discarded' }, now);
      return false;
    }
    await links.activate(tx, tenant, row.intro_id, 'page');
    const outcome = {
      status: 'ready',
      progress: 100,
      // From here on, the column counts the sweeper's attempts at the preview.
      attempts: 0,
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

async function processTake(
  deps: ProcessingDeps,
  row: RecordingRow,
  folder: string,
  stop: AbortController,
): Promise<void> {
  const { db, objects, encoder, log, metrics } = deps;
  const startedMs = monotonicMs();
  const original = path.join(folder, 'original');
  // Covers fetching and storing too: a slow object store must not make the take look abandoned.
  const heartbeat = startHeartbeat(deps, row, stop);
  let details: TakeDetails;
  let captioned: boolean;
  try {
    await fetchOriginal(objects, row, original);
    stop.signal.throwIfAborted();
    const { script } = await requireIntro(db.kysely, tenantOf(row), row.intro_id);
    details = await encoder.process({
      file: original,
      into: folder,
      script,
      signal: stop.signal,
      onProgress: heartbeat.onProgress,
    });
    captioned = await exists(path.join(folder, 'captions.vtt'));
    const optional = captioned ? (['captions.vtt'] as const) : [];
    await storeFiles(deps, row, folder, ['video.mp4', 'poster.jpg', 'card.jpg', ...optional]);
  } finally {
    await heartbeat.end();
  }
  stop.signal.throwIfAborted();
  if (!(await publish(deps, row, details, captioned))) return;
  const seconds = (monotonicMs() - startedMs) / 1000;
  metrics.recordingsSettled.inc({ status: 'ready' });
  log.info(
    { recording: row.id, organization: row.organization_id, copied: details.copied, seconds },
    'recording ready',
  );
  await makePreview(deps, row, folder, stop);
}

/** The page works without a preview. If this fails, the sweeper retries it later. */
async function makePreview(deps: ProcessingDeps, row: RecordingRow, folder: string, stop: AbortController) {
  const { db, objects, encoder, log } = deps;
  const file = path.join(folder, 'video.mp4');
  try {
    if (!(await exists(file))) {
      const video = await objects.open(keyOf(row, 'video.mp4'));
      if (video === null) throw new Error(`the video of recording ${row.id} is missing from the object store`);
      await pipeline(await video.stream(), createWriteStream(file));
    }
    await encoder.preview({ file, into: folder, signal: stop.signal });
    await storeFiles(deps, row, folder, ['preview.webp']);
    await markPreviewed(db.kysely, tenantOf(row), row.id);
  } catch (err) {
    log.warn({ err, recording: row.id }, 'preview failed');
  }
}

const SYSTEM_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE']);

/** A full disk or an unreachable store says nothing about the take, so that attempt does not count. */
const isSystemFault = (fault: unknown): boolean =>
  isTransient(fault) ||
  fault instanceof ObjectsError ||
  SYSTEM_CODES.has((fault as NodeJS.ErrnoException | null)?.code ?? '');

/** After a failure, refuses the take, discards it, or returns it to the queue. */
async function settleFailure(
  deps: ProcessingDeps,
  row: RecordingRow,
  fault: unknown,
  isStopping: boolean,
): Promise<void> {
  const { db, clock, log, metrics } = deps;
  const refuse = async (code: string, message: string) => {
    metrics.recordingsSettled.inc({ status: 'refused' });
    await settle(db.kysely, row, { status: 'refused', refusal_code: code, refusal_message: message }, clock());
  };
  const retry = (afterMs: number, counts: boolean) =>
    settle(
      db.kysely,
      row,
      { status: 'uploaded', attempts: counts ? row.attempts : row.attempts - 1 },
      // Backdated so that the sweeper finds it exactly when the retry is due.
      new Date(clock().getTime() + afterMs - UNQUEUED_AFTER_MS),
    );
  if (fault instanceof TakeRefused) return refuse(fault.code, fault.message);
  if (isStopping) return void (await retry(0, false));
  if (fault instanceof Stopped) return void (await settle(db.kysely, row, { status: 'discarded' }, clock()));
  log.error({ err: fault, recording: row.id, organization: row.organization_id }, 'recording failed');
  if (!isSystemFault(fault) && row.attempts >= MAX_ATTEMPTS)
    return refuse(PROCESSING_FAILED.code, PROCESSING_FAILED.message);
  await retry(retryDelayMs(row.attempts), !isSystemFault(fault));
}

export interface RecordingProcessor {
  process(tenant: Tenant, id: string): Promise<void>;
  /** Returns takes in progress to the queue. */
  stop(): Promise<void>;
}

export function createRecordingProcessor(deps: ProcessingDeps): RecordingProcessor {
  const inFlight = new Map<AbortController, Promise<void>>();
  let isStopping = false;

  async function work(row: RecordingRow, stop: AbortController): Promise<void> {
    try {
      await deps.workFolders.use('take', (folder) =>
        row.status === 'ready' ? makePreview(deps, row, folder, stop) : processTake(deps, row, folder, stop),
      );
    } catch (fault) {
      await settleFailure(deps, row, stop.signal.aborted ? stop.signal.reason : fault, isStopping);
    }
  }

  async function findWork(tenant: Tenant, id: string): Promise<RecordingRow | null> {
    const { db, clock } = deps;
    const now = clock();
    const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const claimed = await claim(db.kysely, tenant, id, { now, abandonedBefore });
    if (claimed !== null) return claimed;
    const recording = await findRecording(db.kysely, tenant, id);
    return recording !== null && lacksPreview(recording) ? recording : null;
  }

  return {
    async process(tenant, id) {
      if (isStopping) return;
      const row = await findWork(tenant, id);
      if (row === null) return;
      if (row.attempts > MAX_ATTEMPTS)
        return settleFailure(deps, row, new Error('its worker died on every attempt'), false);
      const stop = new AbortController();
      const done = work(row, stop).finally(() => inFlight.delete(stop));
      inFlight.set(stop, done);
      await done;
    },
    async stop() {
      isStopping = true;
      for (const stop of inFlight.keys()) stop.abort(new Stopped());
      await Promise.allSettled(inFlight.values());
    },
  };
}
