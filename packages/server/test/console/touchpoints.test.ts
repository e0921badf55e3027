import type { TouchpointDetail } from '@foreword/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  forewordProgram,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

let database: TestDatabase;
let service: Service;
let environment: Record<string, string>;
let acme: TestOrganization;
let other: TestOrganization;
let owner: ConsoleClient;
let manager: ConsoleClient;
let member: ConsoleClient;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off' };
  service = await startService(environment);
  acme = await createTestOrganization(environment, service.url);
  other = await createTestOrganization(environment, service.url, { name: 'Other Homes', industry: 'real_estate' });
  owner = await signIn(acme.id, 'owner', 'Olga');
  manager = await signIn(acme.id, 'manager', 'Max');
  member = await openConsole({ url: service.url, environment }, { org: acme.id, email: 'ana@acme.example' });
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function signIn(org: string, role: string, first: string): Promise<ConsoleClient> {
  const email = `${role}@acme.example`;
  const names = ['--first-name', first, '--last-name', 'Reed', '--email', email, '--role', role];
  await foreword(environment, 'member', 'create', '--org', org, ...names);
  return openConsole({ url: service.url, environment }, { org, email });
}

const read = async (slug: string, client = manager): Promise<TouchpointDetail> =>
  (await client.call('GET /touchpoints/:slug', { params: { slug } })).body;

const historyOf = async (slug: string) =>
  (await manager.call('GET /touchpoints/:slug/history', { params: { slug } })).body.changes;

const orderInApi = async (): Promise<string[]> =>
  (await acme.api.get('/v1/touchpoints')).body.data.map(({ slug }: { slug: string }) => slug);

/** All that is kept about touchpoints, to see that nothing was written. */
const everything = () =>
  database.query(
    `select (select json_agg(t order by id) from touchpoints t) as touchpoints,
       (select json_agg(c order by id) from touchpoint_changes c) as changes`,
  );

async function make(name: string): Promise<TouchpointDetail> {
  const { status, body } = await manager.call('POST /touchpoints', { body: { name, context: 'none', lane: null } });
  expect(status).toBe(200);
  return body;
}

const appointment = { starts_at: '2031-03-12T14:30:00-05:00', timezone: 'America/Chicago' };
const event = (touchpoint: string) => ({
  touchpoint,
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  context: { appointment },
});

describe('the list', () => {
  test('stands in the order of the API, with words, seconds and what is open', async () => {
    await acme.api.post('/v1/touchpoint-events', event('new_appointment'));
    await expect
      .poll(async () => (await acme.api.get('/v1/intros?limit=1')).body.data.length, { timeout: 10_000 })
      .toBe(1);
    const { body } = await owner.call('GET /touchpoints');
    expect(body.touchpoints.map(({ slug }) => slug)).toEqual(await orderInApi());
    expect(body.lanes).toEqual(['retail', 'insurance']);
    const first = body.touchpoints.find(({ slug }) => slug === 'new_appointment');
    expect(first?.open_intros).toEqual({ count: 1, more: false });
    expect(first?.waiting_events).toEqual({ count: 0, more: false });
    expect(first?.seconds).toBeCloseTo(((first?.words ?? 0) / 150) * 60, 0);
    for (const { words } of body.touchpoints) expect(words).toBeGreaterThan(20);
  });
});

describe('saving', () => {
  test('is seen by the API and by event acceptance within a second, and grows the version', async () => {
    const before = await read('appointment_confirmation');
    const saved = await manager.call('POST /touchpoints/:slug', {
      params: { slug: before.slug },
      body: { version: before.version, name: 'See you soon', context: 'status' },
    });
    expect(saved.status).toBe(200);
    expect(saved.body.version).toBe(before.version + 1);
    const listed = (await acme.api.get('/v1/touchpoints')).body.data;
    expect(listed.find(({ slug }: { slug: string }) => slug === before.slug)).toMatchObject({
      name: 'See you soon',
      context: 'status',
    });
    const { context: _, ...withoutAppointment } = event(before.slug);
    expect((await acme.api.post('/v1/touchpoint-events', withoutAppointment)).status).toBe(202);
  });

  test('tells who, when and what, field by field, in the history', async () => {
    const [last] = await historyOf('appointment_confirmation');
    expect(last).toMatchObject({
      kind: 'changed',
      by: { name: 'Max Reed' },
      fields: [
        { field: 'name', before: 'Appointment confirmation', after: 'See you soon' },
        { field: 'context', before: 'appointment', after: 'status' },
      ],
    });
    expect((await read('appointment_confirmation')).last_change).toEqual({ at: last?.at, by: last?.by });
  });

  test('refuses what was made from an older version, names who was quicker, and writes nothing', async () => {
    const { version, slug } = await make('Two people');
    const save = (client: ConsoleClient, name: string) =>
      client.call('POST /touchpoints/:slug', { params: { slug }, body: { version, name } });
    expect((await save(owner, 'Mine')).status).toBe(200);
    const before = await everything();
    const second = await save(manager, 'No, mine');
    expect(second.status).toBe(409);
    expect(second.error.code).toBe('edit_conflict');
    expect(second.error.message).toContain('Olga Reed changed this touchpoint');
    expect(await everything()).toEqual(before);
  });

  test('lets exactly one of many at once win', async () => {
    const { version, slug } = await make('Many people');
    const statuses = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        manager.call('POST /touchpoints/:slug', { params: { slug }, body: { version, name: `Try ${i}` } }),
      ),
    );
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await read(slug)).version).toBe(version + 1);
  });

  test('writes nothing when nothing is different', async () => {
    const { name, slug, version } = await read('new_inspection');
    const before = await everything();
    const { status, body } = await manager.call('POST /touchpoints/:slug', {
      params: { slug },
      body: { version, name },
    });
    expect([status, body.version]).toEqual([200, version]);
    expect(await everything()).toEqual(before);
  });

  test.each([
    ['a script that is empty', { script: ' ' }, 'script'],
    ['a script that names what there is not', { script: 'Hi\n{{ recipient.name }}' }, 'script'],
    ['a script that comes out too long', { script: 'word '.repeat(250) }, 'script'],
    ['a title that comes out too long', { page_title: 'x'.repeat(121) }, 'page_title'],
    ['a title of two lines', { page_title: 'a\nb' }, 'page_title'],
    ['a text message that is not whole', { text_message: '{% if trade %}' }, 'text_message'],
    ['a button without an address', { action_label: 'Call us' }, 'action_url'],
    ['a button without words', { action_url: 'https://acme.example' }, 'action_label'],
    ['an address that runs a script', { action_label: 'Call', action_url: 'javascript:alert(1)' }, 'action_url'],
    ['no day to record', { days_to_record: 0 }, 'days_to_record'],
    ['an empty name', { name: '' }, 'name'],
    ['a lane that there is not', { lane: 'wholesale' as never }, 'lane'],
    ['another slug', { slug: 'other' } as never, 'slug'],
  ])('refuses %s, says in which field, and writes nothing', async (_what, change, field) => {
    const { slug, version } = await read('new_inspection');
    const before = await everything();
    const { status, error } = await manager.call('POST /touchpoints/:slug', {
      params: { slug },
      body: { version, ...(change as object) },
    });
    expect([status, error.code, error.field]).toEqual([422, 'validation_failed', field]);
    expect(error.message.startsWith(field)).toBe(true);
    expect(await everything()).toEqual(before);
  });

  test('says the line of a problem', async () => {
    const { slug, version } = await read('new_inspection');
    const body = { version, script: 'Hi\nthere {{ recipient.frist_name }}' };
    const { error } = await manager.call('POST /touchpoints/:slug', { params: { slug }, body });
    expect(error.message).toBe(
      'script line 2: unknown variable recipient.frist_name; did you mean recipient.first_name?',
    );
  });

  test('knows no lanes in real estate', async () => {
    const boss = await signIn(other.id, 'owner', 'Pia');
    const { body } = await boss.call('GET /touchpoints');
    expect(body.lanes).toEqual([]);
    const refused = await boss.call('POST /touchpoints', { body: { name: 'Lane', context: 'none', lane: 'retail' } });
    expect([refused.status, refused.error.field]).toEqual([422, 'lane']);
  });
});

describe('on and off', () => {
  test('turned off, its events are refused within a second and open intros go on', async () => {
    const slug = 'new_appointment';
    const off = await manager.call('POST /touchpoints/:slug/active', { params: { slug }, body: { active: false } });
    expect(off.status).toBe(200);
    const refused = await acme.api.post('/v1/touchpoint-events', event(slug));
    expect([refused.status, refused.body.error.code]).toEqual([422, 'touchpoint_not_found']);
    expect(off.body.open_intros.count).toBe(1);
    await manager.call('POST /touchpoints/:slug/active', { params: { slug }, body: { active: true } });
    expect((await acme.api.post('/v1/touchpoint-events', event(slug))).status).toBe(202);
  });

  test('turning off twice is told once', async () => {
    const { slug } = await make('Twice');
    const set = (active: boolean) =>
      manager.call('POST /touchpoints/:slug/active', { params: { slug }, body: { active } });
    await set(true);
    await Promise.all([set(false), set(false)]);
    expect((await historyOf(slug)).filter(({ kind }) => kind === 'changed')).toHaveLength(2);
  });
});

describe('new ones', () => {
  test('get a slug from their name, begin turned off, and stand at the end', async () => {
    const made = await make('Après l’orage: a check-up');
    expect(made).toMatchObject({ slug: 'apres_lorage_a_check_up', active: false, version: 1, original: null });
    expect((await orderInApi()).at(-1)).toBe(made.slug);
    expect((await make('Après l’orage: a check-up')).slug).toBe('apres_lorage_a_check_up_2');
  });

  test('refuse a slug that is taken or malformed', async () => {
    const body = { name: 'Mine', context: 'none', lane: null } as const;
    const before = await everything();
    const taken = await manager.call('POST /touchpoints', { body: { ...body, slug: 'new_appointment' } });
    expect([taken.status, taken.error.field]).toEqual([422, 'slug']);
    expect(taken.error.message).toContain('New appointment');
    const malformed = await manager.call('POST /touchpoints', { body: { ...body, slug: 'Not-a slug' } });
    expect([malformed.status, malformed.error.field]).toEqual([422, 'slug']);
    expect(await everything()).toEqual(before);
  });

  test('are made by many at once with a slug for each', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => make('At once')));
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(5);
  });

  test('can be copies: all but the name, turned off', async () => {
    const source = await read('new_inspection');
    const { body: copy } = await manager.call('POST /touchpoints/:slug/copy', {
      params: { slug: source.slug },
      body: { name: 'Second inspection' },
    });
    expect(copy).toMatchObject({ slug: 'second_inspection', active: false, script: source.script, lane: 'insurance' });
    expect(await historyOf(copy.slug)).toMatchObject([{ kind: 'copied', copy_of: source.slug, fields: [] }]);
  });
});

describe('history', () => {
  test('takes one change back by a new one, and leaves what came after it', async () => {
    const { slug, version } = await make('Undo me');
    const save = async (from: number, body: object) =>
      (await manager.call('POST /touchpoints/:slug', { params: { slug }, body: { version: from, ...body } })).body;
    const first = await save(version, { name: 'First', days_to_record: 9 });
    const second = await save(first.version, { page_title: 'Another title' });
    const change = (await historyOf(slug)).find(({ version: made }) => made === first.version);
    const undone = await owner.call('POST /touchpoints/:slug/undo', {
      params: { slug },
      body: { change: change?.id ?? '', version: second.version },
    });
    expect(undone.body).toMatchObject({ name: 'Undo me', days_to_record: 3, page_title: 'Another title' });
    expect((await historyOf(slug))[0]).toMatchObject({ kind: 'undone', undoes: change?.id, by: { name: 'Olga Reed' } });
  });

  test('finds no change of another touchpoint, and cannot take back the beginning', async () => {
    const one = await make('One');
    const two = await make('Two');
    const [beginning] = await historyOf(one.slug);
    const undo = ({ slug, version }: TouchpointDetail) =>
      manager.call('POST /touchpoints/:slug/undo', {
        params: { slug },
        body: { change: beginning?.id ?? '', version },
      });
    expect((await undo(two)).status).toBe(404);
    expect((await undo(one)).status).toBe(422);
  });

  test('tells a change by the command, without a member', async () => {
    const slug = 'inspection_confirmation';
    await forewordProgram(environment, 'touchpoint', 'set', '--org', acme.id, slug, '--name', 'By command');
    expect((await historyOf(slug))[0]).toMatchObject({
      by: null,
      kind: 'changed',
      fields: [{ field: 'name', before: 'Inspection confirmation', after: 'By command' }],
    });
    expect((await orderInApi()).includes(slug)).toBe(true);
  });

  test('goes back to the industry original, on or off as it is', async () => {
    const slug = 'inspection_confirmation';
    const set = { params: { slug }, body: { active: false } };
    const { version, original } = (await manager.call('POST /touchpoints/:slug/active', set)).body;
    const reset = await manager.call('POST /touchpoints/:slug/reset', { params: { slug }, body: { version } });
    expect(reset.body).toMatchObject({ ...original, active: false });
    expect((await historyOf(slug))[0]?.kind).toBe('reset');
    const { slug: own, version: ownVersion } = await make('No original');
    const refused = await manager.call('POST /touchpoints/:slug/reset', {
      params: { slug: own },
      body: { version: ownVersion },
    });
    expect(refused.status).toBe(422);
  });

  test('comes in pages, newest first', async () => {
    let { slug, version } = await make('Busy');
    for (let i = 0; i < 22; i++) {
      const body = { version, name: `Name ${i}` };
      version = (await manager.call('POST /touchpoints/:slug', { params: { slug }, body })).body.version;
    }
    const first = (await manager.call('GET /touchpoints/:slug/history', { params: { slug } })).body;
    expect([first.changes.length, first.has_more]).toEqual([20, true]);
    const query = { before: first.changes.at(-1)?.id ?? '' };
    const rest = (await manager.call('GET /touchpoints/:slug/history', { params: { slug }, query })).body;
    expect(rest.changes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'created']);
    expect(rest.has_more).toBe(false);
  });
});

describe('the order', () => {
  const move = (slug: string, before: string | null, client = manager) =>
    client.call('POST /touchpoint-order', { body: { slug, before } });

  test('is that of the API at once', async () => {
    const [first = '', second = ''] = await orderInApi();
    const { body } = await move(second, first);
    expect(body.slugs.slice(0, 2)).toEqual([second, first]);
    expect(await orderInApi()).toEqual(body.slugs);
  });

  test('hears both of two who move different ones at once, and loses none', async () => {
    const before = await orderInApi();
    const [a = '', b = ''] = before;
    await Promise.all([move(a, null, owner), move(b, null, manager), make('Meanwhile')]);
    const after = await orderInApi();
    expect(after.toSorted()).toEqual([...before, 'meanwhile'].toSorted());
    expect(after.slice(0, 2)).not.toContain(a);
    expect(after.slice(0, 2)).not.toContain(b);
  });

  test('makes no new version, so that nobody who edits is disturbed', async () => {
    const [first = ''] = await orderInApi();
    const { version } = await read(first);
    await move(first, null);
    expect((await read(first)).version).toBe(version);
  });

  test('knows only touchpoints of its own', async () => {
    expect((await move('nothing_such', null)).status).toBe(404);
    expect((await move('new_appointment', 'nothing_such')).status).toBe(404);
  });
});

describe('trying a draft', () => {
  const draft = { page_title: 'Hi {{ recipient.first_name }}', script: 'Hi there', text_message: null };

  test('shows it for sample and for real people, with words, seconds and segments, and writes nothing', async () => {
    const before = await everything();
    const script = 'Hi {{ recipient.first_name }}{% if appointment %} on {{ appointment.weekday }}{% endif %}';
    const { body } = await manager.call('POST /touchpoint-preview', { body: { ...draft, script } });
    expect(body.problems).toEqual([]);
    const [typical, minimal, real] = body.renderings;
    expect(typical).toMatchObject({ people: 'typical', script: 'Hi Sarah on Wednesday', words: 4, seconds: 1.6 });
    expect(minimal).toMatchObject({ people: 'minimal', script: 'Hi Sarah', page_title: 'Hi Sarah' });
    expect(real).toMatchObject({ people: 'real', recipient: 'Dana', member: 'Ana Ng', script: 'Hi Dana on Wednesday' });
    expect(typical?.text?.body).toContain('Acme Roofing');
    expect(typical?.text?.segments).toBeGreaterThanOrEqual(1);
    expect(await everything()).toEqual(before);
  });

  test('tells each problem with its field and line, and still shows what is sound', async () => {
    const body = { page_title: '{{ trade', script: 'One\ntwo {% fi %}', text_message: '{{ nobody }}' };
    const { body: answer } = await manager.call('POST /touchpoint-preview', { body });
    expect(answer.problems.map(({ field, line }) => [field, line])).toEqual([
      ['script', 2],
      ['page_title', 1],
      ['text_message', 1],
    ]);
    expect(answer.renderings[0]).toMatchObject({ script: null, page_title: null, text: null });
  });

  test('warns of a title that very long names would break', async () => {
    const { body } = await manager.call('POST /touchpoint-preview', {
      body: { ...draft, page_title: '{{ recipient.first_name }} and {{ member.first_name }}' },
    });
    expect(body.problems).toEqual([]);
    expect(body.warnings.map(({ field }) => field)).toEqual(['page_title']);
  });

  test('finds who would overrun, by each pace and the longest names', async () => {
    await database.query(
      `update members set words_per_minute = 100 where first_name = 'Olga' and organization_id = $1`,
      [acme.id],
    );
    const script = `{{ recipient.first_name }} ${'word '.repeat(30)}`;
    const { body } = await manager.call('POST /touchpoint-fit', { body: { script } });
    expect(body).toMatchObject({
      limit_seconds: 15,
      end_seconds: 30,
      max_words: 45,
      active_members: 3,
      checked: 3,
      longest_recipient: 'Dana',
      words: 31,
    });
    expect(body.over).toMatchObject([{ name: 'Olga Reed', words_per_minute: 100, is_own_pace: true, seconds: 18.6 }]);
  });

  test('checks nobody while the script has a problem', async () => {
    const { status, body } = await manager.call('POST /touchpoint-fit', { body: { script: '{{ nobody }}' } });
    expect([status, body.problem?.line, body.over]).toEqual([200, 1, []]);
  });
});

describe('who may', () => {
  test('is no member without more: each operation is refused, and nothing is written', async () => {
    const before = await everything();
    const params = { slug: 'new_appointment' };
    const replies = await Promise.all([
      member.call('GET /touchpoints'),
      member.call('GET /touchpoints/:slug', { params }),
      member.call('GET /touchpoints/:slug/history', { params }),
      member.call('POST /touchpoints', { body: { name: 'Mine', context: 'none', lane: null } }),
      member.call('POST /touchpoints/:slug', { params, body: { version: 1, name: 'Mine' } }),
      member.call('POST /touchpoints/:slug/copy', { params, body: { name: 'Mine' } }),
      member.call('POST /touchpoints/:slug/active', { params, body: { active: false } }),
      member.call('POST /touchpoints/:slug/reset', { params, body: { version: 1 } }),
      member.call('POST /touchpoints/:slug/undo', { params, body: { change: 'tc_1', version: 1 } }),
      member.call('POST /touchpoint-order', { body: { slug: 'new_appointment', before: null } }),
      member.call('POST /touchpoint-preview', { body: { page_title: 'a', script: 'a', text_message: null } }),
      member.call('POST /touchpoint-fit', { body: { script: 'a' } }),
    ]);
    for (const { status, error } of replies) expect([status, error.code]).toEqual([403, 'forbidden']);
    expect(await everything()).toEqual(before);
  });

  test('are not those of another organization: what is not theirs is not there', async () => {
    const { slug } = await make('Only ours');
    const boss = await openConsole({ url: service.url, environment }, { org: other.id, email: 'owner@acme.example' });
    const [change] = await historyOf(slug);
    const before = await everything();
    const params = { slug };
    const replies = await Promise.all([
      boss.call('GET /touchpoints/:slug', { params }),
      boss.call('GET /touchpoints/:slug/history', { params }),
      boss.call('POST /touchpoints/:slug', { params, body: { version: 1, name: 'Theirs' } }),
      boss.call('POST /touchpoints/:slug/copy', { params, body: { name: 'Theirs' } }),
      boss.call('POST /touchpoints/:slug/active', { params, body: { active: true } }),
      boss.call('POST /touchpoints/:slug/reset', { params, body: { version: 1 } }),
      boss.call('POST /touchpoints/:slug/undo', { params, body: { change: change?.id ?? '', version: 1 } }),
      boss.call('POST /touchpoint-order', { body: { slug, before: null } }),
    ]);
    for (const { status, error } of replies) expect([status, error.code]).toEqual([404, 'not_found']);
    expect(await everything()).toEqual(before);
  });
});
