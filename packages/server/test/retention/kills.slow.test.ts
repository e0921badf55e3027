import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { eventually, sendEvent } from '../acceptance/support/actions.ts';
import { forFile, isLong, openService, type Service, startService } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openRows, type Rows } from './old-rows.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
/** Beyond every default period, and within all of them. */
const [OLD, RECENT] = [ago(1_500), ago(3)];
/** Several batches of each rule. */
const COPIES = 900;
const TAKES = 30;
const KILLS = isLong ? 6 : 1;
const SWEPT_WITHIN_MS = 60_000;

const folder = temporaryFolder();
const settings = { OBJECTS_URL: pathToFileURL(folder).href };
const fixture = await forFile(openService({ ...settings, FOREWORD_ROLE: 'api' }));

const startWorker = (): Promise<Service> =>
  startService({ ...fixture.environment, ...settings, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker,media' });

const TABLES = ['intros', 'touchpoint_events', 'messages', 'request_log', 'webhook_messages', 'webhook_deliveries'];

/** Repeats a row with other ids, which sort after its own. */
async function copyRow(table: string, id: string): Promise<void> {
  const columns = await fixture.database.query<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_name = $1 and table_schema = 'public' and column_name <> 'id' and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await fixture.database.query(
    `insert into ${table} (id, ${names})
     select left(t.id, 14) || lpad((50000 + n)::text, 16, '0'), ${names}
     from ${table} t, generate_series(1, ${COPIES}) n where t.id = $1`,
    [id],
  );
}

const fileOf = (organizationId: string, take: string, name: string) => path.join(folder, organizationId, take, name);

async function addTake(rows: Rows, organizationId: string, at: Date): Promise<string> {
  const intro = await rows.intro(at);
  const take = await rows.take(at, intro, { parts: ['0-11'] });
  await fixture.database.query('update intros set recording_id = $2 where id = $1', [intro, take]);
  for (const name of ['video.mp4', 'poster.jpg']) {
    await fs.mkdir(path.dirname(fileOf(organizationId, take, name)), { recursive: true });
    await fs.writeFile(fileOf(organizationId, take, name), name);
  }
  return take;
}

/** Rows of each kind and this age. Returns the takes, whose intros are kept: their video is only 200 days old. */
async function addRows(rows: Rows, organizationId: string, at: Date): Promise<string[]> {
  const intro = await rows.intro(at);
  await copyRow('intros', intro);
  await rows.message(at, intro);
  await copyRow('touchpoint_events', await rows.event(at));
  await copyRow('request_log', await rows.request(at));
  await rows.webhook(at);
  await rows.key(at);
  const recorded = at === OLD ? ago(200) : at;
  return Promise.all(Array.from({ length: TAKES }, () => addTake(rows, organizationId, recorded)));
}

async function snapshot(organizationId: string, where: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES) {
    const rows = await fixture.database.query<{ line: string }>(
      `select row_to_json(t)::text as line from ${table} t where organization_id = $1 and ${where} order by 1`,
      [organizationId],
    );
    found[table] = rows.map(({ line }) => line);
  }
  return found;
}

const countOld = async (organizationId: string): Promise<number> => {
  const found = await snapshot(organizationId, "created_at < now() - interval '1460 days'");
  return Object.values(found).flat().length;
};

test('kills of two workers during a sweep leave nothing old behind, and remove nothing else', async () => {
  const { database, organization, api } = fixture;
  const other = await fixture.newOrganization();
  const rows = openRows(database, organization.id);
  const oldTakes = await addRows(rows, organization.id, OLD);
  const newTakes = await addRows(rows, organization.id, RECENT);
  const othersTakes = await addRows(openRows(database, other.id), other.id, RECENT);
  // The recent rows of both, and the intros of the old videos.
  const kept = "created_at > now() - interval '250 days'";
  const before = [await snapshot(organization.id, kept), await snapshot(other.id, kept)];
  expect(before[0]?.intros?.length).toBe(COPIES + 1 + 2 * TAKES);
  const total = await countOld(organization.id);
  expect(total).toBeGreaterThan(3 * COPIES);

  // Until then nothing is swept, and events keep arriving during the sweep.
  const accepted: string[] = [];
  let isSending = true;
  const sending = (async () => {
    while (isSending) accepted.push((await sendEvent(api)).id);
  })();
  let workers = await Promise.all([startWorker(), startWorker()]);
  for (let kill = 0, left = total; kill < KILLS; kill++) {
    // Each kill interrupts the sweep, unless a busy machine finishes it first.
    left = await eventually(
      () => countOld(organization.id),
      (rest) => rest < left || rest === 0,
      SWEPT_WITHIN_MS,
    );
    await Promise.all(workers.map((worker) => worker.kill()));
    workers = await Promise.all([startWorker(), startWorker()]);
  }
  await eventually(
    () => countOld(organization.id),
    (rest) => rest === 0,
    SWEPT_WITHIN_MS,
  );
  isSending = false;
  await sending;
  const isMarked = `select count(*)::int as n from recordings where id = any($1) and files_check_at > now() and deleted_at is null`;
  await eventually(
    async () => (await database.query<{ n: number }>(isMarked, [oldTakes]))[0]?.n,
    (n) => n === 0,
    SWEPT_WITHIN_MS,
  );
  // The next sweep of files; kills may have interrupted the first.
  await Promise.all(workers.map((worker) => worker.kill()));
  workers = await Promise.all([startWorker(), startWorker()]);
  const isDeleted = 'select count(*)::int as n from recordings where id = any($1) and deleted_at is not null';
  await eventually(
    async () => (await database.query<{ n: number }>(isDeleted, [oldTakes]))[0]?.n,
    (n) => n === TAKES,
    SWEPT_WITHIN_MS,
  );
  await Promise.all(workers.map((worker) => worker.stop()));

  // More rows may exist, of the events that arrived.
  const after = await snapshot(organization.id, kept);
  for (const table of TABLES) {
    const found = new Set(after[table]);
    expect(
      before[0]?.[table]?.filter((line) => !found.has(line)),
      table,
    ).toEqual([]);
  }
  expect(await snapshot(other.id, kept)).toEqual(before[1]);
  expect(accepted.length).toBeGreaterThan(0);
  for (const id of accepted) expect((await api.get(`/v1/events/${id}`)).status).toBe(200);
  const files = async (id: string) => (await fs.readdir(path.join(folder, id)).catch(() => [])).sort();
  expect(await files(organization.id)).toEqual([...newTakes].sort());
  expect(await files(other.id)).toEqual([...othersTakes].sort());
}, 240_000);
