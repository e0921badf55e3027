import type { Tenant } from '../../src/db/tenancy.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { createTraces } from '../../src/intros/traces/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { Objects } from '../../src/platform/objects/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import { originalPrefixOf } from '../../src/recordings/files.ts';
import { builtInClip, createEncoder, createRecordingProcessor, slotsFor } from '../../src/recordings/index.ts';
import type { Encoder } from '../../src/recordings/media/index.ts';
import { appendPart, insertRecording } from '../../src/recordings/store/uploads.ts';
import { createTestClocks } from '../../src/testing/clock/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { NOW, openPages, type PageIntro } from '../pages/page-fixture.ts';

const log = createLogger('silent');

export const tenantOf = ({ organizationId }: PageIntro): Tenant => ({ organizationId, environment: 'test' });
export const recordingIdOf = ({ folder }: PageIntro): string => folder.split('/').at(-2) ?? '';

/** A media worker with a manual clock, and the pages that show its videos. */
export async function openRecordings() {
  const pages = await openPages();
  const { db, database, objects: folder } = pages;
  let now = NOW;
  let failure: Error | null = null;
  let silent: 'open' | 'put' | null = null;
  const respond = (method: 'open' | 'put') => (silent === method ? new Promise<never>(() => undefined) : undefined);
  const clock = () => now;
  const objects: Objects = {
    async put(key, ...rest) {
      if (failure !== null) throw failure;
      await respond('put');
      return folder.put(key, ...rest);
    },
    async open(key) {
      await respond('open');
      return folder.open(key);
    },
    delete: (key) => folder.delete(key),
    deleteAll: (prefix) => folder.deleteAll(prefix),
    presign: (...args) => folder.presign(...args),
  };
  const dataDir = temporaryFolder();
  const workFolders = openWorkFolders({ dataDir });
  const encoder = createEncoder({ ffmpegPath: 'off', log, workFolders, isolate: true, limits: { niceness: 0 } });
  const links = createLinks(toServerKey(Buffer.alloc(32, 7)), 'https://acme.example');
  /** Ids of intros that became ready, in order, with repeats. */
  const ready: string[] = [];
  const onReady = async (_tx: unknown, _tenant: Tenant, introId: string) => void ready.push(introId);
  const clip = (await builtInClip()).bytes;
  /** Starts an upload without any bytes and returns its id. */
  async function begin(intro: PageIntro, bytes = clip): Promise<string> {
    const id = newId('rec', now);
    const take = { id, introId: intro.id, mediaType: 'video/mp4', length: bytes.length };
    await insertRecording(db.kysely, tenantOf(intro), take, now);
    return id;
  }
  /** Uploads all bytes, so that the take waits for processing. */
  async function finish(intro: PageIntro, id: string, bytes = clip): Promise<void> {
    const tenant = tenantOf(intro);
    const key = `${originalPrefixOf({ organization_id: tenant.organizationId, id })}0-a`;
    await folder.put(key, bytes, { type: 'application/octet-stream' });
    await appendPart(db.kysely, tenant, id, { name: '0-a', offset: 0, size: bytes.length }, now);
  }
  const processor = (chosen = encoder) => {
    const testClocks = createTestClocks({ db, clock });
    const deps = { db, objects, workFolders, encoder: chosen, links, onReady, clock, testClocks, log };
    return createRecordingProcessor({
      ...deps,
      metrics: createMetrics(),
      traces: createTraces(undefined),
      slots: slotsFor(2),
    });
  };
  return {
    pages,
    encoder,
    ready,
    now: clock,
    pass(ms: number) {
      now = new Date(now.getTime() + ms);
      pages.setTime(now);
    },
    /** Makes the object store fail each write. Null: it works again. */
    failStore(error: Error | null) {
      failure = error;
    },
    /** Makes the object store not respond to this method any more. */
    silenceStore(method: typeof silent) {
      silent = method;
    },
    processor,
    /** Runs a worker until nothing is due, and counts what it did. With an id, other takes are not due. */
    async process({ only, encoder: chosen = encoder }: { only?: string; encoder?: Encoder } = {}) {
      const done = { takes: 0, previews: 0 };
      const counting: Encoder = {
        ...chosen,
        process(take) {
          done.takes += 1;
          return chosen.process(take);
        },
        preview(video) {
          done.previews += 1;
          return chosen.preview(video);
        },
      };
      const [later, soon] = ["'infinity'", 'null'];
      const setDue = (at: string | undefined, due: string | undefined) =>
        only &&
        database.query(
          `update recordings set retry_at = ${at} where status = 'uploaded' and id <> $1 and retry_at ${due}`,
          [only],
        );
      await setDue(later, 'is null');
      const worker = processor(counting);
      await worker.startWaiting();
      await worker.finished();
      await setDue(soon, "= 'infinity'");
      return done;
    },
    async recording(id: string) {
      const [row] = await database.sql<Record<string, unknown>>`select * from recordings where id = ${id}`;
      if (row === undefined) throw new Error(`no recording ${id}`);
      return row;
    },
    begin,
    finish,
    /** Begins and finishes an upload; uses the built-in clip by default. */
    async receive(intro: PageIntro, bytes?: Buffer) {
      const id = await begin(intro, bytes);
      await finish(intro, id, bytes);
      return id;
    },
    async close() {
      await pages.close();
    },
  };
}
