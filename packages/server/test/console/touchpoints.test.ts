import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { newRetryKey } from './console-client.ts';
import { openTouchpoints } from './touchpoints-fixture.ts';

const fixture = await forFile(openTouchpoints());

const appointment = { starts_at: '2031-03-12T14:30:00-05:00', timezone: 'America/Chicago' };
const event = (touchpoint: string) => ({
  touchpoint,
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  context: { appointment },
});

test('the list has the order of the API, with words, seconds and open intros', async () => {
  await fixture.api.post('/v1/touchpoint-events', event('new_appointment'));
  await expect.poll(async () => (await fixture.api.get('/v1/intros?limit=1')).body.data.length).toBe(1);
  const { body } = await fixture.owner.call('GET /touchpoints');
  expect(body.touchpoints.map(({ slug }) => slug)).toEqual(await fixture.orderInApi());
  expect(body.lanes).toEqual(['retail', 'insurance']);
  const first = body.touchpoints.find(({ slug }) => slug === 'new_appointment');
  expect(first?.open_intros).toEqual({ count: 1, more: false });
  expect(first?.waiting_events).toEqual({ count: 0, more: false });
  expect(first?.seconds).toBeCloseTo(((first?.words ?? 0) / 150) * 60, 0);
  for (const { words, is_cut_off } of body.touchpoints) {
    expect(words).toBeGreaterThan(20);
    expect(is_cut_off).toBe(false);
  }
  // 76 words at 150 words per minute take longer than 30 seconds, also in Spanish only.
  for (const field of ['script', 'script_es'] as const) {
    const touchpoint = await fixture.create(`Long ${field}`);
    await fixture.save(touchpoint, { [field]: 'word '.repeat(76) });
    const { body: list } = await fixture.owner.call('GET /touchpoints');
    expect(list.touchpoints.find(({ slug }) => slug === touchpoint.slug)?.is_cut_off).toBe(true);
  }
});

describe('saving', () => {
  test('takes effect in the API and for events, and increments the version', async () => {
    const before = await fixture.read('appointment_confirmation');
    const saved = await fixture.save(before, { name: 'See you soon', context: 'status' });
    expect(saved.status).toBe(200);
    expect(saved.body.version).toBe(before.version + 1);
    const listed = (await fixture.api.get('/v1/touchpoints')).body.data;
    expect(listed.find(({ slug }: { slug: string }) => slug === before.slug)).toMatchObject({
      name: 'See you soon',
      context: 'status',
    });
    const { context: _, ...withoutAppointment } = event(before.slug);
    expect((await fixture.api.post('/v1/touchpoint-events', withoutAppointment)).status).toBe(202);
  });

  test('changes the Spanish version, checks it like the English one, and can remove and undo it', async () => {
    const slug = 'project_update';
    const save = async (change: object) => fixture.save(await fixture.read(slug), change);
    const invalid = await save({ script_es: 'Hola, {{ recipient.name }}' });
    expect([invalid.status, invalid.error.field]).toEqual([422, 'script_es']);
    expect(invalid.error.message).toContain('did you mean recipient.last_name');
    expect((await save({ page_title_es: 'a\nb' })).error.field).toBe('page_title_es');
    const removed = await save({ script_es: null, text_message_es: 'Hola de {{ organization.name }}' });
    expect(removed.body).toMatchObject({ script_es: null, text_message_es: 'Hola de {{ organization.name }}' });
    const [last] = await fixture.historyOf(slug);
    expect(last?.fields.map(({ field }) => field)).toEqual(['script_es', 'text_message_es']);
    const undone = await fixture.undo(removed.body, last?.id);
    expect(undone.body.script_es).toContain('le habla {{ member.first_name }}');
    expect(undone.body.text_message_es).toBeNull();
  });

  test('adds a history entry with author, time and changed fields', async () => {
    const [last] = await fixture.historyOf('appointment_confirmation');
    expect(last).toMatchObject({
      kind: 'changed',
      by: { name: 'manager Team' },
      fields: [
        { field: 'name', before: 'Appointment confirmation', after: 'See you soon' },
        { field: 'context', before: 'appointment', after: 'status' },
      ],
    });
    expect((await fixture.read('appointment_confirmation')).last_change).toEqual({ at: last?.at, by: last?.by });
  });

  test('rejects an edit of an older version, names the other author, and writes nothing', async () => {
    const touchpoint = await fixture.create('Two people');
    expect((await fixture.save(touchpoint, { name: 'Mine' }, fixture.owner)).status).toBe(200);
    const before = await fixture.snapshot();
    const second = await fixture.save(touchpoint, { name: 'No, mine' });
    expect(second.status).toBe(409);
    expect(second.error.code).toBe('edit_conflict');
    expect(second.error.message).toContain('owner Team changed this touchpoint');
    expect(await fixture.snapshot()).toEqual(before);
  });

  test('accepts exactly one of many concurrent edits', async () => {
    const touchpoint = await fixture.create('Many people');
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => fixture.save(touchpoint, { name: `Try ${i}` })),
    );
    // A busy service may refuse some with 503.
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await fixture.read(touchpoint.slug)).version).toBe(touchpoint.version + 1);
  });

  test('writes nothing without a difference', async () => {
    const touchpoint = await fixture.read('new_inspection');
    const before = await fixture.snapshot();
    const { status, body } = await fixture.save(touchpoint, { name: touchpoint.name });
    expect([status, body.version]).toEqual([200, touchpoint.version]);
    expect(await fixture.snapshot()).toEqual(before);
  });

  test.each([
    ['an empty script', { script: ' ' }, 'script'],
    ['a script with an unknown variable', { script: 'Hi\n{{ recipient.name }}' }, 'script'],
    ['a script that is too long once rendered', { script: 'word '.repeat(250) }, 'script'],
    ['a title with two lines', { page_title: 'a\nb' }, 'page_title'],
    ['an incomplete text message template', { text_message: '{% if trade %}' }, 'text_message'],
    ['a button without a URL', { action_label: 'Call us' }, 'action_url'],
    ['a button without a label', { action_url: 'https://acme.example' }, 'action_label'],
    ['a javascript: URL', { action_label: 'Call', action_url: 'javascript:alert(1)' }, 'action_url'],
    ['a URL with a password', { action_label: 'Pay', action_url: 'https://user:pass@acme.example/' }, 'action_url'],
    [
      'a URL with a backslash',
      { action_label: 'Pay', action_url: 'https://bank.example\\@evil.example/' },
      'action_url',
    ],
    ['a button shown “sometimes”', { shows_action: 'sometimes' as never }, 'shows_action'],
    ['no time to record', { minutes_to_record: 0 }, 'minutes_to_record'],
    ['more than a year to record', { minutes_to_record: 366 * 1440 }, 'minutes_to_record'],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown lane', { lane: 'wholesale' as never }, 'lane'],
    ['another slug', { slug: 'other' } as never, 'slug'],
  ])('rejects %s with its field, and writes nothing', async (_what, change, field) => {
    const touchpoint = await fixture.read('new_inspection');
    const before = await fixture.snapshot();
    const { status, error } = await fixture.save(touchpoint, change);
    expect([status, error.code, error.field]).toEqual([422, 'validation_failed', field]);
    expect(error.message.startsWith(field)).toBe(true);
    expect(await fixture.snapshot()).toEqual(before);
  });

  test('rejects lanes in real estate', async () => {
    const { id } = await fixture.newOrganization({ name: 'Other Homes', industry: 'real_estate' });
    const names = ['--first-name', 'Pia', '--last-name', 'Reed', '--email', 'pia@acme.example', '--role', 'owner'];
    await fixture.run('member', 'create', '--org', id, ...names);
    const client = await fixture.signIn(id, 'pia@acme.example');
    const { body } = await client.call('GET /touchpoints');
    expect(body.lanes).toEqual([]);
    const refused = await client.call('POST /touchpoints', { body: { name: 'Lane', context: 'none', lane: 'retail' } });
    expect([refused.status, refused.error.field]).toEqual([422, 'lane']);
  });
});

describe('on and off', () => {
  test('turning off rejects new events and keeps open intros', async () => {
    const slug = 'new_appointment';
    const off = await fixture.setActive(slug, false);
    expect(off.status).toBe(200);
    const refused = await fixture.api.post('/v1/touchpoint-events', event(slug));
    expect([refused.status, refused.body.error.code]).toEqual([422, 'touchpoint_not_found']);
    expect(off.body.open_intros.count).toBe(1);
    await fixture.setActive(slug, true);
    expect((await fixture.api.post('/v1/touchpoint-events', event(slug))).status).toBe(202);
  });

  test('turning off twice adds one history entry', async () => {
    const { slug } = await fixture.create('Twice');
    await fixture.setActive(slug, true);
    await Promise.all([fixture.setActive(slug, false), fixture.setActive(slug, false)]);
    expect((await fixture.historyOf(slug)).filter(({ kind }) => kind === 'changed')).toHaveLength(2);
  });
});

describe('new touchpoints', () => {
  test('get a slug from their name, are turned off, and are last in the order', async () => {
    const made = await fixture.create('Après l’orage: a check-up');
    expect(made).toMatchObject({ slug: 'apres_lorage_a_check_up', active: false, version: 1, original: null });
    expect((await fixture.orderInApi()).at(-1)).toBe(made.slug);
    expect((await fixture.create('Après l’orage: a check-up')).slug).toBe('apres_lorage_a_check_up_2');
  });

  test('reject a slug that is taken or malformed', async () => {
    const body = { name: 'Mine', context: 'none', lane: null } as const;
    const before = await fixture.snapshot();
    const taken = await fixture.manager.call('POST /touchpoints', { body: { ...body, slug: 'new_appointment' } });
    expect([taken.status, taken.error.field]).toEqual([422, 'slug']);
    expect(taken.error.message).toContain('New appointment');
    const malformed = await fixture.manager.call('POST /touchpoints', { body: { ...body, slug: 'Not-a slug' } });
    expect([malformed.status, malformed.error.field]).toEqual([422, 'slug']);
    expect(await fixture.snapshot()).toEqual(before);
  });

  test('get distinct slugs when created concurrently', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => fixture.create('At once')));
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(5);
  });

  test('and copies are added once per retry key', async () => {
    const request = {
      key: newRetryKey(),
      body: { name: 'Resent', slug: 'resent', context: 'none', lane: null } as const,
    };
    const copy = { ...request, key: newRetryKey(), params: { slug: 'new_inspection' }, body: { name: 'Resent copy' } };
    const send = () => fixture.manager.call('POST /touchpoints', request);
    const sendCopy = () => fixture.manager.call('POST /touchpoints/{slug}/copy', copy);
    const made = await Promise.all([send(), send(), sendCopy(), sendCopy()]);
    expect(made.map(({ body }) => body.slug)).toEqual(['resent', 'resent', 'resent_copy', 'resent_copy']);
  });

  test('can be copies of everything but the name, turned off', async () => {
    const source = await fixture.read('new_inspection');
    const { body: copy } = await fixture.manager.call('POST /touchpoints/{slug}/copy', {
      params: { slug: source.slug },
      body: { name: 'Second inspection' },
    });
    expect(copy).toMatchObject({ slug: 'second_inspection', active: false, script: source.script, lane: 'insurance' });
    expect(await fixture.historyOf(copy.slug)).toMatchObject([{ kind: 'copied', copy_of: source.slug, fields: [] }]);
  });
});

describe('history', () => {
  test('reverts one change with a new one, and keeps later changes', async () => {
    const touchpoint = await fixture.create('Undo me');
    const { slug } = touchpoint;
    const { body: first } = await fixture.save(touchpoint, { name: 'First', minutes_to_record: 90 });
    const { body: second } = await fixture.save(first, { page_title: 'Another title' });
    const change = (await fixture.historyOf(slug)).find(({ version }) => version === first.version);
    const undone = await fixture.undo(second, change?.id, fixture.owner);
    expect(undone.body).toMatchObject({ name: 'Undo me', minutes_to_record: 3 * 1440, page_title: 'Another title' });
    expect((await fixture.historyOf(slug))[0]).toMatchObject({
      kind: 'undone',
      by: { name: 'owner Team' },
    });
  });

  test('covers hiding the button, which keeps its label and URL and is copied, undone and reset', async () => {
    const slug = 'new_inspection';
    const params = { slug };
    const hidden = { action_label: 'Leave a review', action_url: 'https://acme.example/review', shows_action: false };
    const saved = await fixture.save(await fixture.read(slug), hidden);
    expect(saved.body).toMatchObject(hidden);
    const [change] = await fixture.historyOf(slug);
    expect(change?.fields).toContainEqual({ field: 'shows_action', before: true, after: false });
    const name = 'Hidden button';
    expect(
      (await fixture.manager.call('POST /touchpoints/{slug}/copy', { params, body: { name } })).body,
    ).toMatchObject(hidden);
    const undone = (await fixture.undo(saved.body, change?.id)).body;
    expect(undone).toMatchObject({ action_label: null, action_url: null, shows_action: true });
    const again = (await fixture.save(undone, { shows_action: false })).body;
    const reset = { params, body: { version: again.version } };
    expect((await fixture.manager.call('POST /touchpoints/{slug}/reset', reset)).body.shows_action).toBe(true);
  });

  test('finds no change of another touchpoint, and cannot revert the creation', async () => {
    const one = await fixture.create('One');
    const two = await fixture.create('Two');
    const [beginning] = await fixture.historyOf(one.slug);
    expect((await fixture.undo(two, beginning?.id)).status).toBe(404);
    expect((await fixture.undo(one, beginning?.id)).status).toBe(422);
  });

  test('shows a change by the command without an author', async () => {
    const slug = 'inspection_confirmation';
    await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, '--name', 'By command');
    expect((await fixture.historyOf(slug))[0]).toMatchObject({
      by: null,
      kind: 'changed',
      fields: [{ field: 'name', before: 'Inspection confirmation', after: 'By command' }],
    });
    expect((await fixture.orderInApi()).includes(slug)).toBe(true);
  });

  test('resets to the industry default, but stays on or off', async () => {
    const slug = 'inspection_confirmation';
    const { version, original } = (await fixture.setActive(slug, false)).body;
    const reset = await fixture.manager.call('POST /touchpoints/{slug}/reset', { params: { slug }, body: { version } });
    expect(reset.body).toMatchObject({ ...original, active: false });
    expect((await fixture.historyOf(slug))[0]?.kind).toBe('reset');
    const { slug: own, version: ownVersion } = await fixture.create('No original');
    const refused = await fixture.manager.call('POST /touchpoints/{slug}/reset', {
      params: { slug: own },
      body: { version: ownVersion },
    });
    expect(refused.status).toBe(422);
  });

  test('is paged, newest first', async () => {
    let touchpoint = await fixture.create('Busy');
    for (let i = 0; i < 22; i++) touchpoint = (await fixture.save(touchpoint, { name: `Name ${i}` })).body;
    const { slug } = touchpoint;
    const first = (await fixture.manager.call('GET /touchpoints/{slug}/history', { params: { slug } })).body;
    expect([first.changes.length, first.has_more]).toEqual([20, true]);
    const query = { before: first.changes.at(-1)?.id ?? '' };
    const rest = (await fixture.manager.call('GET /touchpoints/{slug}/history', { params: { slug }, query })).body;
    expect(rest.changes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'created']);
    expect(rest.has_more).toBe(false);
  });
});

describe('the order', () => {
  const move = (slug: string, before: string | null, client = fixture.manager) =>
    client.call('POST /touchpoint-order', { body: { slug, before } });

  test('applies to the API immediately', async () => {
    const [first = '', second = ''] = await fixture.orderInApi();
    const { body } = await move(second, first);
    expect(body.slugs.slice(0, 2)).toEqual([second, first]);
    expect(await fixture.orderInApi()).toEqual(body.slugs);
  });

  test('applies concurrent moves of different touchpoints, and loses none', async () => {
    const before = await fixture.orderInApi();
    const [a = '', b = ''] = before;
    await Promise.all([move(a, null, fixture.owner), move(b, null, fixture.manager), fixture.create('Meanwhile')]);
    const after = await fixture.orderInApi();
    expect(after.toSorted()).toEqual([...before, 'meanwhile'].toSorted());
    expect(after.slice(0, 2)).not.toContain(a);
    expect(after.slice(0, 2)).not.toContain(b);
  });

  test('does not change versions, so that open edits do not conflict', async () => {
    const [first = ''] = await fixture.orderInApi();
    const { version } = await fixture.read(first);
    await move(first, null);
    expect((await fixture.read(first)).version).toBe(version);
  });

  test('rejects unknown touchpoints', async () => {
    expect((await move('nothing_such', null)).status).toBe(404);
    expect((await move('new_appointment', 'nothing_such')).status).toBe(404);
  });
});
