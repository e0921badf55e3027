import type { ConsoleBody } from '@foreword/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro, eventually, settled } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

let database: TestDatabase;
let service: Service;
let acme: TestOrganization;
let other: TestOrganization;
let ana: ConsoleClient;
let bo: ConsoleClient;
let elsewhere: ConsoleClient;
let keys = 0;

const environment = () => ({ DATABASE_URL: database.url });
const open = (org: string, email: string) =>
  openConsole({ url: service.url, environment: environment() }, { org, email });

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({ ...environment(), FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' });
  acme = await createTestOrganization(environment(), service.url);
  other = await createTestOrganization(environment(), service.url, { name: 'Other' });
  const name = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example'];
  await foreword(environment(), 'member', 'create', '--org', acme.id, ...name, '--lane', 'insurance');
  ana = await open(acme.id, 'ana@acme.example');
  bo = await open(acme.id, 'bo@acme.example');
  elsewhere = await open(other.id, 'ana@acme.example');
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const start = (changes: Partial<ConsoleBody<'POST /home/intros'>> = {}): ConsoleBody<'POST /home/intros'> => ({
  key: `test-key-of-a-page-${++keys}`,
  occurred_at: '2026-11-21T12:00:00.000Z',
  touchpoint: 'project_kickoff',
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  ...changes,
});

const followed = (client: ConsoleClient, id: string) =>
  eventually(
    async () => (await client.call('GET /home/events/:id', { params: { id } })).body,
    ({ status }) => status !== 'accepted',
  );

const cancelAll = async (): Promise<void> => {
  for (const { id } of (await acme.api.get('/v1/intros?status=requested&limit=100')).body.data) {
    await acme.api.post(`/v1/intros/${id}/cancel`);
  }
};

test('shows what a member has to record, the nearest deadline first, with a link that opens the recorder', async () => {
  await cancelAll();
  const late = await createIntro(acme.api, {
    recipient: { first_name: 'Late', phone: '+14155550124' },
    context: { appointment: { starts_at: '2031-03-12T14:30:00', timezone: 'America/Denver' } },
  });
  const soon = await createIntro(acme.api, {
    recipient: { first_name: 'Soon', last_name: 'Ng', phone: '+14155550125' },
  });
  const { body } = await ana.call('GET /home');
  expect(body.to_record.map(({ id }) => id)).toEqual([soon.id, late.id]);
  expect(body.has_more_to_record).toBe(false);
  expect(body.to_record[1]).toMatchObject({
    recipient: { first_name: 'Late', last_name: null },
    appointment: { starts_at: '2031-03-12T20:30:00.000Z', timezone: 'America/Denver' },
    deadline: '2031-03-12T20:30:00.000Z',
    state: 'to_record',
    reason: null,
  });
  const recorder = await fetch(service.url + new URL(body.to_record[0]?.record_url ?? '').pathname);
  expect(recorder.status).toBe(200);
  expect(await recorder.text()).toContain('Soon');
});

test('shows nobody what another member, or another organization, has to record', async () => {
  const { id } = await createIntro(acme.api);
  expect((await ana.call('GET /home')).body.to_record.map((task) => task.id)).toContain(id);
  expect((await bo.call('GET /home')).body.to_record).toEqual([]);
  expect((await elsewhere.call('GET /home')).body.to_record).toEqual([]);
});

test('tells of a take that is being processed, and why one was refused', async () => {
  await cancelAll();
  const { id } = await createIntro(acme.api);
  const take = (status: string, refusal: string | null) =>
    database.query(
      `insert into recordings (organization_id, environment, id, intro_id, status, media_type, progress, refusal_message,
         refusal_code, created_at, touched_at)
       select organization_id, environment, $2, id, $3, 'video/mp4', 40, $4, $4, now(), now() from intros where id = $1`,
      [id, `rec_${'0'.repeat(25)}${status === 'refused' ? 2 : 1}`, status, refusal],
    );
  await take('processing', null);
  expect((await ana.call('GET /home')).body.to_record[0]).toMatchObject({ id, state: 'processing', progress: 40 });
  await take('refused', 'There is no sound in it.');
  expect((await ana.call('GET /home')).body.to_record[0]).toMatchObject({
    id,
    state: 'refused',
    progress: 0,
    reason: 'There is no sound in it.',
  });
});

test('shows what was recorded newest first and page by page, with what became of it, and nothing that was closed', async () => {
  await cancelAll();
  const ids: string[] = [];
  for (let n = 0; n < 23; n++) ids.unshift((await createIntro(acme.api)).id);
  await database.query(`update intros set status = 'ready', recorded_at = now() where id = any($1)`, [ids]);
  const [newest, second, closed, , , sent] = ids;
  await database.query(
    `update intros set status = 'sent', sent_at = now(), opened_at = now(), watched_percent = 75 where id = any($1)`,
    [[second, sent]],
  );
  await database.query(`update intros set status = 'expired' where id = $1`, [closed]);
  const first = (await ana.call('GET /home/recorded')).body;
  expect(first.recorded).toHaveLength(20);
  expect(first.has_more).toBe(true);
  expect(first.recorded.slice(0, 2)).toMatchObject([
    { id: newest, status: 'ready', watched_percent: 0, opened_at: null },
    { id: second, status: 'sent', watched_percent: 75 },
  ]);
  const last = first.recorded.at(-1)?.id ?? '';
  const rest = (await ana.call('GET /home/recorded', { query: { starting_after: last } })).body;
  expect(rest.has_more).toBe(false);
  expect([...first.recorded, ...rest.recorded].map(({ id }) => id)).toEqual(ids.filter((id) => id !== closed));
  const foreign = await bo.call('GET /home/recorded', { query: { starting_after: last } });
  expect([foreign.status, foreign.error.field]).toEqual([422, 'starting_after']);
});

test('offers the active touchpoints of the member’s own lanes, and starts none of another', async () => {
  const names = async (client: ConsoleClient) =>
    (await client.call('GET /home/touchpoints')).body.touchpoints.map(({ slug }) => slug);
  const all = await names(ana);
  const own = await names(bo);
  expect(all).toContain('project_kickoff');
  const [row] = await database.query<{ slug: string }>(
    `select slug from touchpoints where organization_id = $1 and lane = 'retail' order by position limit 1`,
    [acme.id],
  );
  const retail = row?.slug ?? '';
  await foreword(environment(), 'touchpoint', 'set', '--org', acme.id, retail, '--active', 'true');
  expect(await names(ana)).toContain(retail);
  expect(await names(bo)).toEqual(own);
  const refused = await bo.call('POST /home/intros', { body: start({ touchpoint: retail }) });
  expect([refused.status, refused.error.code, refused.error.field]).toEqual([
    422,
    'touchpoint_not_found',
    'touchpoint',
  ]);
  await foreword(environment(), 'touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--active', 'false');
  expect(await names(ana)).not.toContain('project_kickoff');
  expect((await ana.call('POST /home/intros', { body: start() })).status).toBe(422);
  await foreword(environment(), 'touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--active', 'true');
});

test('starts an intro by hand as the same event that an integration would send, once for each key', async () => {
  await cancelAll();
  const body = start({ recipient: { first_name: 'Hand', last_name: 'Made', phone: '+14155550177' } });
  const [one, two] = await Promise.all([
    ana.call('POST /home/intros', { body }),
    ana.call('POST /home/intros', { body }),
  ]);
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body.id).toBe(one.body.id);
  const done = await followed(ana, one.body.id);
  expect(done).toMatchObject({ status: 'processed', problem: null });
  const event = await settled(acme.api, one.body.id);
  expect(event).toMatchObject({
    intro: done.intro_id,
    touchpoint: 'project_kickoff',
    reference: { source: 'foreword_console' },
  });
  const tasks = (await ana.call('GET /home')).body.to_record;
  expect(tasks).toHaveLength(1);
  expect(tasks[0]).toMatchObject({ id: done.intro_id, recipient: { first_name: 'Hand', last_name: 'Made' } });
  expect((await fetch(service.url + new URL(done.record_url ?? '').pathname)).status).toBe(200);
  // What another member began by the same key is theirs, and what this one began is not.
  const theirs = await bo.call('POST /home/intros', { body });
  expect(theirs.body.id).not.toBe(one.body.id);
  const params = { id: one.body.id };
  expect((await bo.call('GET /home/events/:id', { params })).status).toBe(404);
  expect((await elsewhere.call('GET /home/events/:id', { params })).status).toBe(404);
});

test('reads an appointment in the zone of the organization, and asks for one where the moment is about it', async () => {
  await foreword(environment(), 'touchpoint', 'set', '--org', acme.id, 'new_appointment', '--active', 'true');
  const without = await ana.call('POST /home/intros', { body: start({ touchpoint: 'new_appointment' }) });
  expect([without.status, without.error.field]).toEqual([422, 'appointment']);
  for (const appointment of ['2031-02-30T10:00:00', '2031-03-12T10:00:00Z', '2031-03-12T10:00:00-05:00', 'soon']) {
    const refused = await ana.call('POST /home/intros', {
      body: start({ touchpoint: 'new_appointment', appointment }),
    });
    expect([refused.status, refused.error.field]).toEqual([422, 'appointment']);
  }
  const body = start({ touchpoint: 'new_appointment', appointment: '2031-07-04T09:15:00' });
  const { intro_id } = await followed(ana, (await ana.call('POST /home/intros', { body })).body.id);
  const intro = (await acme.api.get(`/v1/intros/${intro_id}`)).body;
  expect(intro.context.appointment).toEqual({ starts_at: '2031-07-04T14:15:00.000Z', timezone: 'America/Chicago' });
});

test('says in words why an intro that was begun by hand did not come to be', async () => {
  await foreword(environment(), 'touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--delivery', 'service');
  await database.query(
    `insert into opt_outs (organization_id, environment, phone, source, opted_out_at) values ($1, 'test', $2, 'page', now())`,
    [acme.id, '+14155550199'],
  );
  const body = start({ recipient: { first_name: 'Opted', phone: '+14155550199' } });
  const failed = await followed(ana, (await ana.call('POST /home/intros', { body })).body.id);
  expect(failed).toMatchObject({ status: 'failed', intro_id: null, record_url: null });
  expect(failed.problem).toMatch(/opted out/);
});

test('refuses a recipient that the API would refuse, names the field, and stores nothing', async () => {
  const before = await database.query('select id from touchpoint_events');
  const refusals: [Partial<ConsoleBody<'POST /home/intros'>>, string][] = [
    [{ recipient: { first_name: 'Dana', phone: '4155550123' } }, 'recipient.phone'],
    [{ recipient: { first_name: '', phone: '+14155550123' } }, 'recipient.first_name'],
    [{ key: 'short' }, 'key'],
    [{ touchpoint: 'Not a slug' }, 'touchpoint'],
  ];
  for (const [changes, field] of refusals) {
    const { status, error } = await ana.call('POST /home/intros', { body: start(changes) });
    expect([status, error.field]).toEqual([422, field]);
  }
  expect(await database.query('select id from touchpoint_events')).toHaveLength(before.length);
});

test('lets members say how they are reached and how fast they speak, and nothing else of themselves', async () => {
  const changed = await bo.call('POST /home/settings', {
    body: { phone: '+14155550142', notify_by: 'both', words_per_minute: 120 },
  });
  expect(changed.body).toMatchObject({
    phone: '+14155550142',
    notify_by: 'both',
    words_per_minute: 120,
    first_name: 'Bo',
  });
  expect((await bo.call('POST /home/settings', { body: { phone: '' } })).body).toMatchObject({
    phone: null,
    words_per_minute: 120,
  });
  const refusals: [object, string][] = [
    [{ phone: '415' }, 'phone'],
    [{ notify_by: 'pigeon' }, 'notify_by'],
    [{ words_per_minute: 59 }, 'words_per_minute'],
    [{ words_per_minute: 221 }, 'words_per_minute'],
    [{ role: 'owner' }, 'role'],
    [{ first_name: 'Queen' }, 'first_name'],
  ];
  for (const [body, field] of refusals) {
    const { status, error } = await bo.call('POST /home/settings', { body });
    expect([status, error.field]).toEqual([422, field]);
  }
  expect((await bo.call('GET /home/settings')).body).toMatchObject({
    first_name: 'Bo',
    phone: null,
    notify_by: 'both',
  });
  expect((await ana.call('GET /home/settings')).body).toMatchObject({ first_name: 'Ana', words_per_minute: null });
});

test('keeps a photo as pages show it, gives it to its own organization alone, and takes it away again', async () => {
  const photo = makePng({ width: 320, height: 320 }, [44, 102, 82], [250, 248, 244]).toString('base64');
  const { body } = await bo.call('POST /home/photo', { body: { photo } });
  const url = body.photo_url ?? '';
  const own = await ana.get(url);
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect((await elsewhere.get(url)).status).toBe(404);
  expect((await fetch(service.url + url)).status).toBe(401);
  const refused = await bo.call('POST /home/photo', {
    body: { photo: Buffer.from('no picture at all').toString('base64') },
  });
  expect([refused.status, refused.error.field]).toEqual([422, 'photo']);
  expect((await bo.call('GET /home/settings')).body.photo_url).toBe(url);
  expect((await bo.call('DELETE /home/photo')).body.photo_url).toBe(null);
});

test('can be put on a home screen: a manifest, and icons of the sizes that it names', async () => {
  const response = await fetch(`${service.url}/console/manifest.webmanifest`);
  const manifest = (await response.json()) as { icons: { src: string; sizes: string }[] };
  expect(manifest).toMatchObject({ name: 'Foreword', start_url: '/console/home', display: 'standalone' });
  for (const { src, sizes } of manifest.icons) {
    const icon = await fetch(service.url + src);
    expect(icon.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});
