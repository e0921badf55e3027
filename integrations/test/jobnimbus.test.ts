import { expect, test } from 'vitest';
import { forFile } from '../../packages/server/test/harness/index.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { openRecipe, readFixture } from './fixture.ts';

const SECRET = 'jobnimbus-path-secret';
const KEY = 'jobnimbus-api-key-1';
const HOOK = `/crm/${SECRET}`;

/** Changes to the records of the fixtures, by id, and the notes that were written. */
const changes = new Map<string, object>();
const notes: { primary: string; note: string }[] = [];

const recordOf = (name: string, id: string) => ({ ...readFixture('jobnimbus', name), jnid: id, ...changes.get(id) });

const routes: CrmRoute[] = [
  ...(['job', 'contact', 'task'] as const).map(
    (type): CrmRoute => ({
      method: 'GET',
      path: new RegExp(`^/${type}s/([^/]+)$`),
      answer: ({ groups: [id = ''] }) => (id === 'gone' ? { status: 404 } : { json: recordOf(type, id) }),
    }),
  ),
  { method: 'GET', path: /^\/account\/users$/, answer: () => ({ json: readFixture('jobnimbus', 'users') }) },
  {
    method: 'GET',
    path: /^\/activities$/,
    answer: ({ url }) => {
      const filter = JSON.parse(new URL(url, 'http://crm').searchParams.get('filter') ?? '');
      const id = filter.must[0].term['primary.id'];
      const activity = notes.filter(({ primary }) => primary === id).map(({ note }) => ({ note, type: 'activity' }));
      return { json: { count: activity.length, activity } };
    },
  },
  {
    method: 'POST',
    path: /^\/activities$/,
    answer: ({ body, headers }) => {
      if (headers['content-type'] !== 'application/json') throw new Error('the body must be JSON');
      if (body.record_type_name !== 'Note' || typeof body.note !== 'string' || typeof body.primary?.id !== 'string')
        throw new Error('note, record_type_name and primary.id are required');
      notes.push({ primary: body.primary.id, note: body.note });
      return { json: { jnid: 'act1' } };
    },
  },
];

const crm = await startCrmServer(routes, ({ headers }) => {
  if (headers.authorization !== `Bearer ${KEY}`) throw new Error('the API key is missing');
});
const fixture = await forFile(
  openRecipe('jobnimbus', crm, {
    JOBNIMBUS_API_KEY: KEY,
    JOBNIMBUS_API_URL: crm.url,
    JOBNIMBUS_WEBHOOK_SECRET: SECRET,
  }),
);

const webhook = (name: string, id: string) => ({ ...readFixture('jobnimbus', name), jnid: id });

test('a job in a mapped status becomes an intro for its contact, and its link one note on the job', async () => {
  expect(await fixture.send(HOOK, readFixture('jobnimbus', 'job'))).toBe(200);
  const [intro, ...others] = await fixture.intros('je8a91');
  expect(others).toEqual([]);
  expect(intro).toMatchObject({
    touchpoint: 'estimate_follow_up',
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Jane', last_name: 'Smith', phone: '+14155550123' },
    reference: { source: 'jobnimbus', type: 'job', id: 'je8a91' },
  });
  await fixture.sendReady('je8a91');
  expect(notes).toMatchObject([{ primary: 'je8a91', note: expect.stringMatching(/from Ana Ng is ready: http/) }]);
  // A repeat after a restart finds the note.
  await fixture.restart();
  await fixture.sendReady('je8a91');
  expect(notes).toHaveLength(1);
});

test('a batch and its repeat create one intro for each record, and ignore the others', async () => {
  const batch = [
    webhook('job', 'batch-1'),
    webhook('job', 'batch-2'),
    webhook('job', 'gone'),
    { type: 'file', jnid: 'f' },
  ];
  changes.set('batch-2', { status_name: 'Lead' });
  expect(await fixture.send(HOOK, batch)).toBe(200);
  changes.set('batch-1', { sales_rep: 'someone-else', date_status_change: 1773134999 });
  expect(await fixture.send(HOOK, batch)).toBe(200);
  expect(await fixture.intros('batch-1')).toHaveLength(1);
  expect(await fixture.intros('batch-2')).toEqual([]);
  expect(fixture.recipe.output()).toContain('status Lead is not mapped');
});

test('an appointment that moves gets a new intro, and one that is deleted loses it', async () => {
  expect(await fixture.send(HOOK, webhook('task', 'task-1'))).toBe(200);
  expect(await fixture.intros('task-1')).toMatchObject([{ touchpoint: 'new_appointment', status: 'requested' }]);
  changes.set('task-1', { date_start: 1899642600, date_updated: 1773139999 });
  expect(await fixture.send(HOOK, webhook('task', 'task-1'))).toBe(200);
  const moved = await fixture.intros('task-1');
  expect(moved.map(({ status }) => status)).toEqual(['requested', 'cancelled']);
  expect(moved[0].context.appointment).toEqual({
    starts_at: new Date(1899642600_000).toISOString(),
    timezone: 'America/Chicago',
  });
  changes.set('task-1', { is_active: false });
  expect(await fixture.send(HOOK, webhook('task', 'task-1'))).toBe(200);
  expect((await fixture.intros('task-1')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

test('a contact without a number leaves one note and no intro, even when JobNimbus limits the rate', async () => {
  changes.set('contact-1', { mobile_phone: '', home_phone: '555-0123', status_name: 'Signed Contract' });
  crm.interrupt('/contacts/contact-1', [{ status: 429, headers: { 'retry-after': '1' } }, { status: 500 }]);
  for (let times = 0; times < 2; times += 1)
    expect(await fixture.send(HOOK, webhook('contact', 'contact-1'))).toBe(200);
  expect(await fixture.intros('contact-1')).toEqual([]);
  const written = notes.filter(({ primary }) => primary === 'contact-1');
  expect(written).toHaveLength(1);
  expect(written[0]?.note).toContain('the phone number is not valid or is ambiguous');
});

test('a user without a member leaves a note and no intro', async () => {
  changes.set('job-unknown', { sales_rep: 'u2', primary: { id: 'contact-2', type: 'contact' } });
  expect(await fixture.send(HOOK, webhook('job', 'job-unknown'))).toBe(200);
  expect(await fixture.intros('job-unknown')).toEqual([]);
  expect(notes.find(({ primary }) => primary === 'job-unknown')?.note).toContain('no team member in Foreword matches');
});

test('rejects a wrong secret and bodies without a record, and reads nothing', async () => {
  const before = crm.calls.length;
  expect(await fixture.send('/crm/wrong', webhook('job', 'forged'))).toBe(401);
  for (const hostile of ['', '{}', 'null', '[1]', '{"type":"job"}', '{"type":"job","jnid":{}}'])
    expect(await fixture.send(HOOK, hostile)).toBe(400);
  expect(crm.calls).toHaveLength(before);
});
