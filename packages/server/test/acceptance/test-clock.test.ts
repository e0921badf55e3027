import { describe, expect, test } from 'vitest';
import { forFile, type TestOrganization } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { anEvent, createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const DAY_S = 86_400;
const CLOCK = '/v1/test_helpers/clock';

const receiver = await forFile(startReceiver());
const fixture = await forFile(openService());

const newOrganization = (name: string) => fixture.newOrganization({ name });
const advance = ({ api }: TestOrganization, body: object, key?: string) =>
  api.post(`${CLOCK}/advance`, body, key === undefined ? {} : { key });
/** Rounded, so that neither another clock nor a busy machine matters. */
const daysFrom = (time: string, of = Date.now()) => Math.round(Math.abs(Date.parse(time) - of) / (DAY_S * 1000));
const untilReady = ({ api }: TestOrganization) =>
  eventually(async () => (await api.get(CLOCK)).body, { status: 'ready' });
const retrieve = async ({ api }: TestOrganization, id: string) => (await api.get(`/v1/intros/${id}`)).body;

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
  expect((await retrieve(mine, intro.id)).status).toBe('expired');
  const steps = (await mine.api.get(`/v1/intros/${intro.id}/timeline`)).body.data;
  const [reminder, expired] = steps.slice(-2);
  expect(reminder).toMatchObject({ type: 'member_reminded', detail: { carrier: 'simulated' } });
  expect(expired).toMatchObject({ type: 'expired', at: intro.expires_at });
  expect(Date.parse(reminder.at)).toBeLessThan(Date.parse(expired.at));
  expect(Date.parse(reminder.at) - Date.parse(intro.created_at)).toBeGreaterThan(2 * DAY_S * 1000);
  const [webhook] = (await receiver.until(1)).map(({ body }) => JSON.parse(body));
  expect(webhook).toMatchObject({ type: 'intro.expired', data: { id: intro.id } });
  expect(daysFrom(webhook.timestamp, Date.parse(intro.expires_at))).toBe(0);
  expect(await retrieve(other, foreign.id)).toEqual(foreign);
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
    const cancelled = await retrieve(organization, intro.id);
    expect(cancelled.status).toBe('cancelled');
    expect(Date.parse(cancelled.cancelled_at)).toBeGreaterThan(Date.parse(intro.created_at));
    expect(daysFrom((await createIntro(organization.api)).created_at)).toBe(0);
  });

  test('without a test clock changes nothing', async () => {
    const organization = await newOrganization('Nothing to reset');
    const intro = await createIntro(organization.api);
    expect((await organization.api.post(`${CLOCK}/reset`)).status).toBe(200);
    expect(await retrieve(organization, intro.id)).toEqual(intro);
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
