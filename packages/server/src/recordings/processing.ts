import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
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
import type { Tables, Tenant } from '../tables.ts';
import { keyOf, originalPrefixOf, RECORDING_FILES, type RecordingFile } from './keys.ts';
import { type Encoder, type TakeFacts, TakeRefused } from './media/index.ts';
import { ABANDONED_AFTER_MS, MAX_ATTEMPTS, PROCESSING_FAILED, retryDelayMs, UNQUEUED_AFTER_MS } from './rules.ts';
import { claim, findRecording, markPreviewed, type RecordingRow, settle, touch } from './store.ts';
import { lacksPreview } from './unpreviewed.ts';

const SIGN_OF_LIFE_MS = 500;

export interface ProcessingDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly encoder: Encoder;
  readonly links: Links;
  /** What else has to happen when an intro gets ready, in the same commit: it is delivered, and told. */
  onReady(tx: Transaction<Tables>, tenant: Tenant, introId: string, now: Date): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Why the work on a take stopped before its end: somebody else has it, its intro closed, or the service stops. */
class Dropped extends Error {}

const tenantOf = ({ organization_id, environment }: RecordingRow): Tenant => ({
  organizationId: organization_id,
  environment,
});

async function fetchOriginal(objects: Objects, row: RecordingRow, file: string): Promise<void> {
  async function* bytes() {
    for (const part of row.parts) {
      const object = await objects.open(originalPrefixOf(row) + part);
      if (object === null) throw new Error(`a piece of recording ${row.id} is not in the store`);
      yield* await object.stream();
    }
  }
  await pipeline(Readable.from(bytes()), createWriteStream(file));
}

/** Tells the database that the work goes on, and how far it is; ends it when there is nothing left to work for. */
function showLife(deps: ProcessingDeps, row: RecordingRow, stop: AbortController) {
  let percent = 0;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last
      .then(() => touch(deps.db.kysely, row, percent, deps.clock()))
      .then((isWanted) => {
        if (!isWanted) stop.abort(new Dropped());
      })
      // The database may be back at the next sign of life; when it is not, the claim is lost and the last word is refused.
      .catch(() => undefined);
  }, SIGN_OF_LIFE_MS);
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

async function store(deps: ProcessingDeps, row: RecordingRow, folder: string, names: RecordingFile[]): Promise<void> {
  await Promise.all(
    names.map((name) =>
      deps.objects.put(keyOf(row, name), { file: path.join(folder, name) }, { type: RECORDING_FILES[name] }),
    ),
  );
}

/** The take becomes what the page shows, in one commit with the link to the page; or it came too late, and is thrown away. */
async function publish(
  deps: ProcessingDeps,
  row: RecordingRow,
  facts: TakeFacts,
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
    await links.give(tx, tenant, row.intro_id, 'page');
    const outcome = {
      status: 'ready',
      progress: 100,
      // From here on they are those of the sweeper, at the preview.
      attempts: 0,
      ready_at: now,
      width: facts.width,
      height: facts.height,
      duration_ms: facts.durationMs,
      bytes: facts.bytes,
      has_audio: facts.hasAudio,
      has_captions: captioned,
    } as const;
    // The claim was lost: another worker is at it, and what we wrote about the intro goes with this transaction.
    if (!(await settle(tx, row, outcome, now))) throw new Dropped();
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

async function make(deps: ProcessingDeps, row: RecordingRow, folder: string, stop: AbortController): Promise<void> {
  const { db, objects, encoder, log, metrics } = deps;
  const begunMs = monotonicMs();
  const original = path.join(folder, 'original');
  // From the first byte fetched to the last one stored: a slow store must not make it look abandoned.
  const life = showLife(deps, row, stop);
  let facts: TakeFacts;
  let captioned: boolean;
  try {
    await fetchOriginal(objects, row, original);
    stop.signal.throwIfAborted();
    const { script } = await requireIntro(db.kysely, tenantOf(row), row.intro_id);
    facts = await encoder.process({
      file: original,
      into: folder,
      script,
      signal: stop.signal,
      onProgress: life.onProgress,
    });
    captioned = await exists(path.join(folder, 'captions.vtt'));
    const optional = captioned ? (['captions.vtt'] as const) : [];
    await store(deps, row, folder, ['video.mp4', 'poster.jpg', 'card.jpg', ...optional]);
  } finally {
    await life.end();
  }
  stop.signal.throwIfAborted();
  if (!(await publish(deps, row, facts, captioned))) return;
  const seconds = (monotonicMs() - begunMs) / 1000;
  metrics.recordingsSettled.inc({ status: 'ready' });
  log.info({ recording: row.id, organization: row.organization_id, copied: facts.copied, seconds }, 'recording ready');
  await makePreview(deps, row, folder, stop);
}

/** The page does without a preview until it is there. One that was not made now is what the sweeper looks for. */
async function makePreview(deps: ProcessingDeps, row: RecordingRow, folder: string, stop: AbortController) {
  const { db, objects, encoder, log } = deps;
  const file = path.join(folder, 'video.mp4');
  try {
    if (!(await exists(file))) {
      const video = await objects.open(keyOf(row, 'video.mp4'));
      if (video === null) throw new Error(`the video of recording ${row.id} is not in the store`);
      await pipeline(await video.stream(), createWriteStream(file));
    }
    await encoder.preview({ file, into: folder, signal: stop.signal });
    await store(deps, row, folder, ['preview.webp']);
    await markPreviewed(db.kysely, tenantOf(row), row.id);
  } catch (err) {
    log.warn({ err, recording: row.id }, 'no preview for this recording');
  }
}

const OUR_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE']);

/** A full disk or a store that does not answer says nothing about the take: that attempt does not count. */
const isOurs = (fault: unknown): boolean =>
  isTransient(fault) ||
  fault instanceof ObjectsError ||
  OUR_CODES.has((fault as NodeJS.ErrnoException | null)?.code ?? '');

/** What becomes of a take that was not made: at fault itself, of no use any more, or to be tried again. */
async function giveUp(deps: ProcessingDeps, row: RecordingRow, fault: unknown, isStopping: boolean): Promise<void> {
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
      // As if its job had been lost so long ago that the sweeper looks for it then.
      new Date(clock().getTime() + afterMs - UNQUEUED_AFTER_MS),
    );
  if (fault instanceof TakeRefused) return refuse(fault.code, fault.message);
  if (isStopping) return void (await retry(0, false));
  if (fault instanceof Dropped) return void (await settle(db.kysely, row, { status: 'discarded' }, clock()));
  log.error({ err: fault, recording: row.id, organization: row.organization_id }, 'recording failed');
  if (!isOurs(fault) && row.attempts >= MAX_ATTEMPTS) return refuse(PROCESSING_FAILED.code, PROCESSING_FAILED.message);
  await retry(retryDelayMs(row.attempts), !isOurs(fault));
}

export interface RecordingProcessor {
  process(tenant: Tenant, id: string): Promise<void>;
  /** What is under way goes back to the queue. */
  stop(): Promise<void>;
}

export function createRecordingProcessor(deps: ProcessingDeps): RecordingProcessor {
  const underWay = new Map<AbortController, Promise<void>>();
  let isStopping = false;

  async function work(row: RecordingRow, stop: AbortController): Promise<void> {
    let folder: string | undefined;
    try {
      folder = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-take-'));
      if (row.status === 'ready') await makePreview(deps, row, folder, stop);
      else await make(deps, row, folder, stop);
    } catch (fault) {
      await giveUp(deps, row, stop.signal.aborted ? stop.signal.reason : fault, isStopping);
    } finally {
      if (folder !== undefined) await fs.rm(folder, { recursive: true, force: true });
    }
  }

  async function findWork(tenant: Tenant, id: string): Promise<RecordingRow | null> {
    const { db, clock } = deps;
    const now = clock();
    const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const claimed = await claim(db.kysely, tenant, id, { now, abandonedBefore });
    if (claimed !== null) return claimed;
    const made = await findRecording(db.kysely, tenant, id);
    return made !== null && lacksPreview(made) ? made : null;
  }

  return {
    async process(tenant, id) {
      if (isStopping) return;
      const row = await findWork(tenant, id);
      if (row === null) return;
      if (row.attempts > MAX_ATTEMPTS) return giveUp(deps, row, new Error('its worker ended each time'), false);
      const stop = new AbortController();
      const done = work(row, stop).finally(() => underWay.delete(stop));
      underWay.set(stop, done);
      await done;
    },
    async stop() {
      isStopping = true;
      for (const stop of underWay.keys()) stop.abort(new Dropped());
      await Promise.allSettled(underWay.values());
    },
  };
}
