import { describe, expect, test } from 'vitest';
import { type Api, forFile, type TestOrganization } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { anEvent, createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const DAY_S = 86_400;
const CLOCK = '/v1/test_helpers/clock';
const BY_SERVICE = { delivery: { responsibility: 'service' } };

const receiver = await forFile(startReceiver());
const fixture = await forFile(openService());

const to = (phone: string) => ({ recipient: { first_name: 'Dana', phone } });
const help = (id: string, action: string, body?: object, key?: string) =>
  fixture.api.post(`/v1/test_helpers/intros/${id}/${action}`, body, key === undefined ? {} : { key });
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const timeline = async (id: string): Promise<{ type: string; detail: Record<string, unknown> | null }[]> =>
  (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data;

/** Arrange: as after a recording, without the time it takes to encode one. */
async function arrangeReady(changes: object = {}, api: Api = fixture.api): Promise<string> {
  const { id } = await createIntro(api, changes);
  await fixture.database.sql`update intros
    set status = 'ready', recorded_at = now(), expires_at = now() + interval '30 days' where id = ${id}`;
  return id;
}

test('expiring an intro that is cancelled at the same moment says so', async () => {
  const { id } = await createIntro(fixture.api, to('+15005550160'));
  const { sql } = fixture.database;
  await sql`begin`;
  await sql`update intros set status = 'cancelled', cancelled_at = now(), expires_at = null where id = ${id}`;
  const expiring = help(id, 'expire');
  const waiting = async () => {
    // A transaction sees the same statistics until then.
    await sql`select pg_stat_clear_snapshot()`;
    return sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'update "intros"%'`;
  };
  await expect.poll(waiting).toHaveLength(1);
  await sql`commit`;
  const { status, body } = await expiring;
  expect([status, body.error.message]).toEqual([409, 'This intro is cancelled, so it cannot expire.']);
});

describe('opening and watching', () => {
  test('marks an intro that the integration delivers as sent, opened and watched, once, with each step in the timeline', async () => {
    const id = await arrangeReady();
    const opened = await help(id, 'open', undefined, 'open:1');
    expect(opened).toMatchObject({ status: 200, body: { status: 'sent', watched_at: null } });
    expect(opened.body.sent_at).toBe(opened.body.opened_at);
    expect((await help(id, 'open')).body).toEqual(opened.body);
    const half = await help(id, 'watch', { percent: 50 });
    expect(half.body).toMatchObject({ watched_at: null, watched_percent: 50, version: opened.body.version + 2 });
    const whole = await help(id, 'watch');
    expect(whole.body.watched_at).not.toBeNull();
    expect((await help(id, 'watch', { percent: 25 })).body).toEqual(whole.body);
    const percents = (await timeline(id)).flatMap(({ detail }) => detail?.percent ?? []);
    expect(percents).toEqual([25, 50, 75, 100]);
    const replay = await help(id, 'open', undefined, 'open:1');
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', opened.body]);
  });

  test.each(['open', 'watch'])('%s is refused without a video and after closing', async (action) => {
    const requested = await createIntro(fixture.api);
    expectError(await help(requested.id, action), 409, 'intro_not_ready');
    await fixture.api.post(`/v1/intros/${requested.id}/cancel`);
    const cancelled = await retrieve(requested.id);
    expectError(await help(requested.id, action), 409, 'intro_closed');
    expect(await retrieve(requested.id)).toEqual(cancelled);
  });

  test('a page that closed half a year after sending can no longer be opened', async () => {
    const id = await arrangeReady();
    await help(id, 'open');
    await fixture.database.sql`update intros set sent_at = now() - interval '181 days' where id = ${id}`;
    expectError(await help(id, 'watch'), 409, 'intro_closed');
  });
});

test('an opt-out counts for every intro of the number in this organization only, and a test number can opt in again', async () => {
  const phone = '+15005550177';
  const first = await createIntro(fixture.api, to(phone));
  const second = await createIntro(fixture.api, to(phone));
  const other = await fixture.newOrganization({ name: 'Summit Homes' });
  const foreign = await createIntro(other.api, to(phone));
  expect((await help(first.id, 'opt_out')).body).toMatchObject({ id: first.id, recipient_opted_out: true });
  expect((await retrieve(second.id)).recipient_opted_out).toBe(true);
  expect((await other.api.get(`/v1/intros/${foreign.id}`)).body.recipient_opted_out).toBe(false);
  expect((await help(second.id, 'opt_in')).body.recipient_opted_out).toBe(false);
  expect((await retrieve(first.id)).recipient_opted_out).toBe(false);
});

test('a real number cannot be opted in again, and it stays opted out', async () => {
  const { id } = await createIntro(fixture.api, to('+14155550178'));
  expect((await help(id, 'opt_out')).body.recipient_opted_out).toBe(true);
  expectError(await help(id, 'opt_in'), 409, 'test_number_required');
  expect((await retrieve(id)).recipient_opted_out).toBe(true);
});

test('an intro expires at once unless it is sent or cancelled', async () => {
  for (const id of [(await createIntro(fixture.api)).id, await arrangeReady()]) {
    const expired = await help(id, 'expire');
    expect(expired).toMatchObject({ status: 200, body: { status: 'expired', version: 2 } });
    expect((await help(id, 'expire')).body).toEqual(expired.body);
    // The message to the member may be settled later.
    expect(await timeline(id)).toContainEqual(
      expect.objectContaining({ type: 'expired', at: expired.body.expires_at }),
    );
  }
  const sent = await arrangeReady();
  await help(sent, 'open');
  expectError(await help(sent, 'expire'), 409, 'intro_closed');
  expect((await retrieve(sent)).status).toBe('sent');
});

describe('failing', () => {
  test('a delivery is refused where Foreword sends nothing', async () => {
    const byIntegration = await arrangeReady();
    expectError(await help(byIntegration, 'fail', { step: 'delivery' }), 409, 'delivery_refused');
    const requested = await createIntro(fixture.api, BY_SERVICE);
    expectError(await help(requested.id, 'fail', { step: 'delivery' }), 409, 'intro_not_ready');
    expect((await retrieve(requested.id)).version).toBe(1);
  });

  test('a step or a code that does not exist is 422, and names the codes of the step', async () => {
    const { id } = await createIntro(fixture.api);
    expectError(await help(id, 'fail', { step: 'page' }), 422, 'validation_failed', 'step');
    const wrong = await help(id, 'fail', { step: 'recording', code: 'invalid_number' });
    expectError(wrong, 422, 'validation_failed', 'code');
    expect(wrong.body.error.message).toContain('not_a_video');
    expectError(await help(id, 'watch', { percent: 30 }), 422, 'validation_failed', 'percent');
  });
});

test('every step sends its webhook', async () => {
  const { api } = await fixture.newOrganization({ name: 'Listening' });
  await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
  const opened = await arrangeReady({}, api);
  const expiring = await createIntro(api);
  await api.post(`/v1/test_helpers/intros/${opened}/watch`);
  await api.post(`/v1/test_helpers/intros/${opened}/opt_out`);
  await api.post(`/v1/test_helpers/intros/${expiring.id}/expire`);
  const types = (await receiver.until(7)).map(({ body }) => JSON.parse(body).type).sort();
  const twice = ['intro.requested', 'intro.requested'];
  const once = ['intro.expired', 'intro.opened', 'intro.sent', 'intro.watched', 'recipient.opted_out'];
  expect(types).toEqual([...twice, ...once].sort());
});

const reply = (id: string, body?: object, key?: string) => help(id, 'reply', body, key);

describe('POST /v1/test_helpers/intros/{id}/reply', () => {
  test('replies once: in the intro, the timeline and the message to the member', async () => {
    const id = await arrangeReady();
    const confirmed = await reply(id, undefined, 'reply:1');
    expect(confirmed).toMatchObject({
      status: 200,
      body: { status: 'sent', reply: { type: 'confirm', label: 'See you then', message: null } },
    });
    expect((await reply(id, undefined, 'reply:1')).body).toEqual(confirmed.body);
    expect((await reply(id)).body).toEqual(confirmed.body);
    const question = await reply(id, { type: 'question', message: 'Where do I park?' });
    expect(question.body).toMatchObject({
      version: confirmed.body.version + 1,
      reply: { type: 'question', message: 'Where do I park?' },
    });
    const later = await reply(id, { type: 'reschedule', message: 'Friday after 3' });
    expect(later.body.reply).toMatchObject({ type: 'reschedule', message: null, note: 'Friday after 3' });
    const replies = (await timeline(id)).filter(({ type }) => type === 'replied');
    expect(replies.map(({ detail }) => detail)).toEqual([
      { reply: 'confirm', label: 'See you then' },
      { reply: 'question', label: 'I have a question', message: 'Where do I park?' },
      { reply: 'reschedule', label: 'I need another time', note: 'Friday after 3' },
    ]);
    await eventually(
      () => fixture.database.sql`select status from all_messages where intro_id = ${id} and purpose = 'reply'`,
      (rows) => rows.length === 3 && rows.every(({ status }) => status !== 'scheduled' && status !== 'sending'),
    );
  });

  test('sends the webhook intro.replied with the reply', async () => {
    const id = await arrangeReady();
    await fixture.api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['intro.replied'] });
    await reply(id, { type: 'reschedule' });
    await eventually(
      async () => receiver.received.map(({ body }) => JSON.parse(body)),
      (payloads) =>
        payloads.some(
          ({ type, data }) => type === 'intro.replied' && data.id === id && data.reply.type === 'reschedule',
        ),
    );
  });

  test('refuses what a recipient cannot do, and changes nothing', async () => {
    const requested = await createIntro(fixture.api);
    expectError(await reply(requested.id), 409, 'intro_not_ready');
    const id = await arrangeReady();
    const before = await retrieve(id);
    for (const body of [{ type: 'question' }, { message: 'Hi' }, { type: 'question', message: '' }, { type: 'no' }]) {
      expect(await reply(id, body)).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    }
    expect(await retrieve(id)).toEqual(before);
    await fixture.api.post(`/v1/intros/${id}/cancel`);
    expectError(await reply(id), 409, 'intro_closed');
  });
});

const newOrganization = (name: string) => fixture.newOrganization({ name });
const advance = ({ api }: TestOrganization, body: object, key?: string) =>
  api.post(`${CLOCK}/advance`, body, key === undefined ? {} : { key });
/** Rounded, so that neither another clock nor a busy machine matters. */
const daysFrom = (time: string, of = Date.now()) => Math.round(Math.abs(Date.parse(time) - of) / (DAY_S * 1000));
const untilReady = ({ api }: TestOrganization) =>
  eventually(async () => (await api.get(CLOCK)).body, { status: 'ready' });
const introOf = async ({ api }: TestOrganization, id: string) => (await api.get(`/v1/intros/${id}`)).body;

test('the time of an organization is the real time until its clock is advanced, and no other organization sees that', async () => {
  const [one, other] = [await newOrganization('One'), await newOrganization('Other')];
  const before = (await one.api.get(CLOCK)).body;
  expect(before).toMatchObject({ object: 'test_clock', status: 'ready', offset_seconds: 0, advanced_at: null });
  expect(daysFrom(before.now)).toBe(0);
  const first = await advance(one, { seconds: DAY_S }, 'advance:1');
  expect(first).toMatchObject({ status: 200, body: { offset_seconds: DAY_S } });
  expect((await advance(one, { seconds: DAY_S }, 'advance:1')).body).toEqual(first.body);
  const to = new Date(Date.now() + 3 * DAY_S * 1000).toISOString();
  const second = (await advance(one, { to })).body;
  expect(Date.parse(second.now)).toBeGreaterThanOrEqual(Date.parse(to));
  const intro = await createIntro(one.api);
  expect(daysFrom(intro.created_at)).toBe(3);
  expect((Date.parse(intro.expires_at) - Date.parse(intro.created_at)) / 1000).toBe(7 * DAY_S);
  const fromEvent = await introOfEvent(one.api);
  expect(daysFrom(fromEvent.created_at)).toBe(3);
  const dryRun = (await one.api.post('/v1/dry_run', anEvent())).body;
  expect(daysFrom(dryRun.intro.expires_at, Date.parse(fromEvent.expires_at))).toBe(0);
  expect((await other.api.get(CLOCK)).body).toMatchObject({ offset_seconds: 0, advanced_at: null });
  expect(daysFrom((await createIntro(other.api)).created_at)).toBe(0);
});

test('an advance past several due times applies them in order: the reminder, then the deadline, each with its time', async () => {
  const [mine, other] = [await newOrganization('In order'), await newOrganization('Not advanced')];
  await mine.api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['intro.expired'] });
  const intro = await createIntro(mine.api);
  const foreign = await createIntro(other.api);
  await advance(mine, { seconds: 30 * DAY_S });
  await untilReady(mine);
  expect((await introOf(mine, intro.id)).status).toBe('expired');
  const steps = (await mine.api.get(`/v1/intros/${intro.id}/timeline`)).body.data;
  const [reminder, expired] = steps.slice(-2);
  expect(reminder).toMatchObject({ type: 'member_reminded', detail: { carrier: 'simulated' } });
  expect(expired).toMatchObject({ type: 'expired', at: intro.expires_at });
  expect(Date.parse(reminder.at)).toBeLessThan(Date.parse(expired.at));
  expect(Date.parse(reminder.at) - Date.parse(intro.created_at)).toBeGreaterThan(2 * DAY_S * 1000);
  const webhook = await eventually(() =>
    receiver.received.map(({ body }) => JSON.parse(body)).find(({ data }) => data.id === intro.id),
  );
  expect(webhook.type).toBe('intro.expired');
  expect(daysFrom(webhook.timestamp, Date.parse(intro.expires_at))).toBe(0);
  expect(await introOf(other, foreign.id)).toEqual(foreign);
});

test('an intro that is cancelled because its member left has the time of the clock', async () => {
  const organization = await newOrganization('Leaving');
  const colleague = { first_name: 'Bo', last_name: 'Li', email: 'bo@acme.example' };
  const { id } = (await organization.api.post('/v1/members', colleague)).body;
  await advance(organization, { seconds: DAY_S });
  const intro = await createIntro(organization.api, { member: { id } });
  await organization.api.post(`/v1/members/${id}/deactivate`, { open_intros: 'cancel' });
  const cancelled = await introOf(organization, intro.id);
  expect(Date.parse(cancelled.cancelled_at)).toBeGreaterThanOrEqual(Date.parse(intro.created_at));
});

test('ids keep the order of creation, and pages of lists are not affected', async () => {
  const organization = await newOrganization('Ids');
  await advance(organization, { seconds: 100 * DAY_S });
  const first = await createIntro(organization.api);
  await organization.api.post(`${CLOCK}/reset`);
  const second = await createIntro(organization.api);
  expect(second.id > first.id).toBe(true);
  const { data } = (await organization.api.get('/v1/intros')).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
});

describe('a reset', () => {
  test('cancels open intros and returns to the real time, so that nothing of the test is left to be sent', async () => {
    const organization = await newOrganization('Reset');
    await advance(organization, { seconds: 2 * DAY_S });
    const intro = await createIntro(organization.api);
    await untilReady(organization);
    const reset = await organization.api.post(`${CLOCK}/reset`);
    expect(reset).toMatchObject({ status: 200, body: { offset_seconds: 0, status: 'ready', advanced_at: null } });
    const cancelled = await introOf(organization, intro.id);
    expect(cancelled.status).toBe('cancelled');
    expect(Date.parse(cancelled.cancelled_at)).toBeGreaterThan(Date.parse(intro.created_at));
    expect(daysFrom((await createIntro(organization.api)).created_at)).toBe(0);
  });

  test('without a test clock changes nothing', async () => {
    const organization = await newOrganization('Nothing to reset');
    const intro = await createIntro(organization.api);
    expect((await organization.api.post(`${CLOCK}/reset`)).status).toBe(200);
    expect(await introOf(organization, intro.id)).toEqual(intro);
  });
});

test('a clock that would go back, too far, or nowhere is refused, and stays as it is', async () => {
  const organization = await newOrganization('Wrong');
  await advance(organization, { seconds: DAY_S });
  const past = new Date(Date.now() + DAY_S * 500).toISOString();
  const far = new Date(Date.now() + 401 * DAY_S * 1000).toISOString();
  expectError(await advance(organization, { to: past }), 422, 'validation_failed', 'to');
  expectError(await advance(organization, { to: far }), 422, 'validation_failed', 'to');
  expectError(await advance(organization, { to: '2031-03-01T08:00:00' }), 422, 'validation_failed', 'to');
  for (const seconds of [0, -1, 1.5, '60', 400 * DAY_S, 1e12]) {
    expectError(await advance(organization, { seconds }), 422, 'validation_failed', 'seconds');
  }
  for (const body of [{}, { seconds: 60, to: past }, { days: 1 }]) {
    expect((await advance(organization, body)).status).toBe(422);
  }
  expect((await organization.api.get(CLOCK)).body.offset_seconds).toBe(DAY_S);
});

test('concurrent advances add up', async () => {
  const organization = await newOrganization('Together');
  const replies = await Promise.all([60, 60, 60, 60].map((seconds) => advance(organization, { seconds })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await organization.api.get(CLOCK)).body.offset_seconds).toBe(240);
});
