import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { openInbox } from '../console/inbox.ts';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { forFile, type TestOrganization } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError, introOfEvent, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const CLOCK = '/v1/test_helpers/clock';
const DAY_S = 86_400;
const BY_SERVICE = { delivery: { responsibility: 'service' } };

const carrier = await forFile(startHttpService());
const inbox = await forFile(openInbox());
const texts = { SMS_CARRIER: 'http', SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET };
const fixture = await forFile(openService({ ...inbox.environment, ...texts }));

interface Step {
  readonly at: string;
  readonly type: string;
  readonly cause: string;
  readonly detail: Record<string, string | number> | null;
}

const to = (phone: string, more: object = {}) => ({ recipient: { first_name: 'Dana', phone }, ...more });
const textsTo = (phone: string) => carrier.accepted.filter((text) => text.to === phone);
const advance = ({ api }: TestOrganization, body: object) => api.post(`${CLOCK}/advance`, body);
const retrieve = async ({ api }: TestOrganization, id: string) => (await api.get(`/v1/intros/${id}`)).body;
const timeline = async ({ api }: TestOrganization, id: string): Promise<Step[]> =>
  (await api.get(`/v1/intros/${id}/timeline`)).body.data;

/** Waits until this status or reason. */
const until = (organization: TestOrganization, id: string, wanted: string) =>
  eventually(
    () => retrieve(organization, id),
    ({ status, delivery }) => status === wanted || delivery.reason === wanted,
  );
const untilStep = (organization: TestOrganization, id: string, wanted: string) =>
  eventually(
    () => timeline(organization, id),
    (steps) => steps.some(({ type }) => type === wanted),
  );

async function record(organization: TestOrganization, id: string, wanted: string) {
  expect((await organization.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  return until(organization, id, wanted);
}

const setTouchpoint = ({ id }: TestOrganization, delivery: string) =>
  fixture.run('touchpoint', 'set', '--org', id, 'project_kickoff', '--delivery', delivery);

test('the timeline contains each step once, in order, with its time and cause', async () => {
  const organization = await fixture.newOrganization({ name: 'Steps' });
  await setTouchpoint(organization, 'service');
  const intro = await introOfEvent(organization.api, to('+15005550006'));
  await untilStep(organization, intro.id, 'member_told');
  const { delivery } = await record(organization, intro.id, 'sent');
  await untilStep(organization, intro.id, 'delivered');
  const seen = `${fixture.service.url + new URL(delivery.recipient_url).pathname}/seen`;
  for (const view of [{ what: 'opened' }, { what: 'watched', percent: 25 }, { what: 'watched', percent: 75 }]) {
    const headers = { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' };
    expect((await fetch(seen, { method: 'POST', headers, body: JSON.stringify(view) })).status).toBe(204);
  }
  const steps = await timeline(organization, intro.id);
  expect(steps.map(({ type, cause }) => `${type} by ${cause}`)).toEqual([
    'asked by integration',
    'member_told by service',
    'recorded by member',
    'processed by service',
    'sent by service',
    'delivered by carrier',
    'opened by recipient',
    'watched by recipient',
    'watched by recipient',
  ]);
  expect(steps[0]?.detail?.event).toMatch(/^evt_/);
  expect(steps.find(({ type }) => type === 'sent')?.detail).toEqual({ channel: 'text', carrier: 'simulated' });
  expect(steps.slice(-2).map(({ detail }) => detail)).toEqual([{ percent: 25 }, { percent: 75 }]);
  expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted());
});

test('a recipient who replies STOP gets no texts until START, no matter how the intro was created', async () => {
  const organization = await fixture.newOrganization({ name: 'Stop' });
  const { api, id: org } = organization;
  const anyHour = ['--texts-from', '00:00', '--texts-until', '24:00'];
  await fixture.run('delivery', 'set', '--org', org, ...anyHour, '--text-test-recordings', 'true');
  const phone = '+14155550131';
  const reply = (body: string, secret = HTTP_SECRET) => {
    const [at, text] = [new Date(), JSON.stringify({ from: phone, body })];
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': 'call' },
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('call', at, text),
    };
    return fetch(`${fixture.service.url}/carriers/http/inbound`, { method: 'POST', headers, body: text });
  };
  const first = await createIntro(api, to(phone, BY_SERVICE));
  expect(first.recipient_opted_out).toBe(false);
  await record(organization, first.id, 'sent');
  expect(textsTo(phone).map(({ body }) => body)).toEqual([expect.stringContaining('Reply STOP to opt out.')]);

  expect((await reply('Stop!', Buffer.alloc(32).toString('base64'))).status).toBe(403);
  expect((await retrieve(organization, first.id)).recipient_opted_out).toBe(false);
  expect(await (await reply('Stop!')).json()).toMatchObject({ reply: expect.stringContaining('Reply START') });
  expect((await retrieve(organization, first.id)).recipient_opted_out).toBe(true);

  // An event that the service would deliver fails.
  await setTouchpoint(organization, 'service');
  const event = await settled(api, (await sendEvent(api, to(phone))).id);
  expect(event).toMatchObject({ status: 'failed', intro: null, error: { code: 'recipient_opted_out' } });
  // If the integration delivers, the intro is created, marked as opted out.
  await setTouchpoint(organization, 'integration');
  const marked = await introOfEvent(api, to(phone));
  expect(marked).toMatchObject({ status: 'requested', recipient_opted_out: true });
  // An intro created directly stays ready, with the reason.
  const direct = await createIntro(api, to(phone, BY_SERVICE));
  expect(direct).toMatchObject({ status: 'requested', recipient_opted_out: true });
  await record(organization, direct.id, 'ready');
  await expect
    .poll(() => retrieve(organization, direct.id))
    .toMatchObject({ status: 'ready', delivery: { error: { code: 'recipient_opted_out' } } });
  expect(textsTo(phone)).toHaveLength(1);

  await reply('START');
  expect((await retrieve(organization, direct.id)).recipient_opted_out).toBe(false);
  await record(organization, (await createIntro(api, to(phone, BY_SERVICE))).id, 'sent');
  expect(textsTo(phone)).toHaveLength(2);
  expect(carrier.violations).toEqual([]);
});

/** 2:00 on a night that the clock has not reached yet, in the time zone of the organization. */
const nextNight = () => `${new Date(Date.now() + 2 * DAY_S * 1000).toISOString().slice(0, 10)}T08:00:00Z`;

test('a clock is not advanced while intros for real people are open, and is once they are closed', async () => {
  const organization = await fixture.newOrganization({ name: 'Real' });
  const { id } = await createIntro(organization.api);
  const refused = await advance(organization, { seconds: DAY_S });
  expectError(refused, 409, 'test_clock_refused');
  expect(refused.body.error.message).toContain('1 open intro');
  expect((await organization.api.get(CLOCK)).body.offset_seconds).toBe(0);
  await organization.api.post(`/v1/intros/${id}/cancel`);
  expect((await advance(organization, { seconds: DAY_S })).status).toBe(200);
});

test('nothing reaches a carrier or a mail server while the clock is ahead: a test number is texted in the morning, a real one never', async () => {
  const organization = await fixture.newOrganization({ name: 'Ahead Roofing' });
  const night = nextNight();
  expect((await advance(organization, { to: night })).status).toBe(200);
  const simulated = await createIntro(organization.api, to('+15005550141', BY_SERVICE));
  const real = await createIntro(organization.api, to('+13125550142', BY_SERVICE));
  for (const { id } of [simulated, real]) {
    const { delivery } = await record(organization, id, 'quiet_hours');
    expect(Date.parse(delivery.scheduled_for)).toBeGreaterThan(Date.parse(night));
  }
  expect((await advance(organization, { seconds: 12 * 3_600 })).status).toBe(200);
  expect((await until(organization, simulated.id, 'sent')).status).toBe('sent');
  const unsent = await until(organization, real.id, 'test_clock');
  expect(unsent).toMatchObject({ status: 'ready', delivery: { scheduled_for: null, error: { code: 'test_clock' } } });
  const types = (await timeline(organization, real.id)).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['member_told', 'not_sent']));
  // Also after the reset: what waited during the test is never sent, unlike a later message.
  await organization.api.post(`${CLOCK}/reset`);
  await untilStep(fixture.organization, (await createIntro(fixture.api)).id, 'member_told');
  expect([...textsTo('+15005550141'), ...textsTo('+13125550142')]).toEqual([]);
  expect(inbox.emails.filter(({ text }) => text.includes('Ahead Roofing'))).toEqual([]);
  expect((await retrieve(organization, real.id)).status).toBe('cancelled');
});

/** 8:30 in Chicago, on a Wednesday that the clock has not reached yet. */
function nextWednesday(): Date {
  const hourIn = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Chicago', hour: 'numeric', hourCycle: 'h23' });
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.now() + (day + 2) * DAY_S * 1000));
  const date = days
    .find((day) => day.getUTCDay() === 3)
    ?.toISOString()
    .slice(0, 10);
  const times = ['13:30', '14:30'].map((time) => new Date(`${date}T${time}:00Z`));
  return times.find((time) => hourIn.format(time) === '08') ?? new Date(Number.NaN);
}

test('a text waits for the hours of the state of its number, which the timeline names', async () => {
  const organization = await fixture.newOrganization({ name: 'States' });
  const morning = nextWednesday();
  expect((await advance(organization, { to: morning.toISOString() })).status).toBe(200);
  // Allowed from 9 AM in Texas.
  const earliest = new Date(morning.getTime() + 30 * 60_000).toISOString();
  const { id } = await createIntro(organization.api, to('+12145550142', BY_SERVICE));
  const intro = await record(organization, id, 'quiet_hours');
  expect(intro.delivery).toMatchObject({ scheduled_for: earliest, reason: 'quiet_hours', error: null });
  const queued = (await timeline(organization, id)).find(({ type }) => type === 'queued');
  expect(queued?.detail).toEqual({ reason: 'quiet_hours', until: earliest, state: 'Texas' });
});

test('a text that a killed node was handing over when another node advanced the clock is not sent afterwards', async () => {
  // Never responds to a text, and knows none when asked.
  const silent = await startReceiver((response, { path }) => {
    if (path !== '/') response.writeHead(404).end('{}');
  });
  // Other requests are lookups, and checks of the account.
  const attempts = async () => silent.received.filter(({ body }) => body !== '');
  const nodes = await openService({ ...texts, SMS_HTTP_URL: new URL(silent.url).origin, FOREWORD_ROLE: 'api' });
  try {
    const { organization, database } = nodes;
    await database.sql`update members set phone = ${'+13125550117'}, notify_by = ${'text'}`;
    const dying = await nodes.newNode({ FOREWORD_ROLE: 'worker' });
    const { id } = await createIntro(organization.api, to('+15005550143'));
    await eventually(attempts, { length: 1 });
    expect((await advance(organization, { seconds: 3_600 })).status).toBe(200);
    await dying.kill();
    await nodes.newNode({ FOREWORD_ROLE: 'worker' });
    // Arrange: a minute has passed, after which the claim counts as abandoned.
    await database.query(
      "update message_queue set claimed_at = now() - interval '2 minutes' where claimed_at is not null",
    );
    const steps = await untilStep(organization, id, 'member_told');
    expect(steps.at(-1)).toMatchObject({ type: 'member_told', detail: { carrier: 'simulated' } });
    expect(await attempts()).toHaveLength(1);
    expect(silent.received.filter(({ path }) => path.startsWith('/msg_'))).toHaveLength(1);
  } finally {
    await nodes.close();
    await silent.close();
  }
});
