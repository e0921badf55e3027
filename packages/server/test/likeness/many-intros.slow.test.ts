import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { listObjects } from './object-store.ts';

const INTROS = 164;
const WITHIN_MS = 60_000;

const folder = temporaryFolder();
const settings = { OBJECTS_URL: pathToFileURL(folder).href, FOREWORD_ROLE: 'api,media' };
const fixture = await forFile(openService(settings));

/** A sent intro of the member, with its files. */
async function send(memberId: string): Promise<{ id: string; recording: string }> {
  const recipient = { first_name: 'Dana', phone: '+15005550123' };
  const { id } = (await fixture.api.post('/v1/intros', { member: { id: memberId }, recipient })).body;
  await fixture.api.post(`/v1/test_helpers/intros/${id}/record`);
  const read = async () => (await fixture.api.get(`/v1/intros/${id}`)).body;
  await eventually(read, { status: 'ready' }, WITHIN_MS);
  await fixture.api.post(`/v1/intros/${id}/mark_sent`);
  const [row] = await fixture.database.sql`select recording_id from intros where id = ${id}`;
  return { id, recording: row?.recording_id };
}

/** Copies of an intro, its take and the files, because encoding so many takes too long. Every second one is not sent. */
async function copy({ id, recording }: { id: string; recording: string }, count: number): Promise<void> {
  const { database, organization } = fixture;
  const copied = { intro: id.slice(0, -4), take: recording.slice(0, -4) };
  for (const [table, key, changes] of [
    ['recordings', recording, { id: copied.take, intro_id: copied.intro }],
    ['intros', id, { id: copied.intro, recording_id: copied.take }],
  ] as const) {
    await database.query(
      `insert into ${table} select (jsonb_populate_record(t, (
         select jsonb_object_agg(name, prefix || lpad(n::text, 4, '0')) from jsonb_each_text($2::jsonb) as c(name, prefix)
       ))).* from ${table} t cross join generate_series(1, $3::int) n where t.id = $1`,
      [key, JSON.stringify(changes), count],
    );
  }
  await database.sql`update intros set status = 'ready', sent_at = null where id like ${copied.intro} || '%'
    and id <> ${id} and right(id, 1)::int % 2 = 0`;
  const root = path.join(folder, organization.id);
  for (let n = 1; n <= count; n += 1) {
    const name = copied.take + String(n).padStart(4, '0');
    await fs.cp(path.join(root, recording), path.join(root, name), { recursive: true });
  }
}

test('all files of a member with many intros are removed, although the worker is killed meanwhile', async () => {
  const { api, organization, database, run } = fixture;
  await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' });
  const names = ['--first-name', 'Bo', '--last-name', 'Lee', '--email', 'bo@acme.example'];
  const { id: otherId } = await run('member', 'create', '--org', organization.id, ...names);
  const other = await send(otherId);
  await copy(await send(organization.memberId), INTROS - 1);
  const startWorker = () => fixture.newNode({ FOREWORD_ROLE: 'worker' });
  const first = await startWorker();
  const takes = async () => {
    const keys = await listObjects(organization.id, folder);
    return new Set(keys.map((key) => key.split('/')[1]));
  };
  expect((await takes()).size).toBe(INTROS + 1);

  await run('member', 'withdraw-consent', organization.memberId);
  const hasDeleted = 'select from likeness_removals where videos > 0';
  await eventually(
    () => database.query(hasDeleted),
    (rows) => rows.length > 0,
    WITHIN_MS,
  );
  await first.kill();
  // Instead of waiting until its claim counts as abandoned.
  await database.query("update likeness_removals set claimed_at = claimed_at - interval '15 s'");
  await Promise.all([startWorker(), startWorker()]);
  const read = () => run('member', 'consent', organization.memberId);
  const { removal } = await eventually(read, (found) => found.removal.finished_at !== null, WITHIN_MS);

  expect([...(await takes())]).toEqual([other.recording]);
  expect(removal).toMatchObject({ closed: expect.any(Number), reassigned: 0 });
  expect(removal.closed + removal.taken_down).toBe(INTROS);
  expect(removal.videos).toBe(INTROS);
  const events = await database.query(
    `select type, count(*)::int as sent, count(distinct object_id)::int as intros from webhook_messages
     where type in ('intro.cancelled', 'intro.taken_down') group by type order by type`,
  );
  expect(events).toEqual([
    { type: 'intro.cancelled', sent: removal.closed, intros: removal.closed },
    { type: 'intro.taken_down', sent: removal.taken_down, intros: removal.taken_down },
  ]);
  const left = await database.sql`select id from intros where member_id = ${organization.memberId}
    and likeness_withdrawn_at is null`;
  expect(left).toEqual([]);
  expect((await api.get(`/v1/intros/${other.id}`)).body).toMatchObject({ status: 'sent', likeness_withdrawn_at: null });
}, 240_000);
