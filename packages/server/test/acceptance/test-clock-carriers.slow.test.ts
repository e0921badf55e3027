import { afterAll, expect, test, vi } from 'vitest';
import { openInbox } from '../console/inbox.ts';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import type { TestOrganization } from '../harness/index.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const CLOCK = '/v1/test_helpers/clock';
const DAY_S = 86_400;
const RECORDED_WITHIN_MS = 60_000;
const BY_SERVICE = { delivery: { responsibility: 'service' } };

vi.setConfig({ testTimeout: 180_000 });

const [carrier, inbox] = await Promise.all([startHttpService(), openInbox()]);
const settings = {
  ...inbox.environment,
  SMS_CARRIER: 'http',
  SMS_HTTP_URL: carrier.url,
  SMS_HTTP_SECRET: HTTP_SECRET,
};
const fixture = await forFile(openService(settings));
afterAll(async () => {
  await Promise.all([carrier?.close(), inbox?.close()]);
});

const to = (phone: string) => ({ recipient: { first_name: 'Dana', phone } });
const advance = ({ api }: TestOrganization, body: object) => api.post(`${CLOCK}/advance`, body);
const retrieve = async ({ api }: TestOrganization, id: string) => (await api.get(`/v1/intros/${id}`)).body;
const untilReason = (organization: TestOrganization, id: string, wanted: string) =>
  eventually(
    () => retrieve(organization, id),
    ({ status, delivery }) => status === wanted || delivery.reason === wanted,
    RECORDED_WITHIN_MS,
  );
const typesOf = async ({ api }: TestOrganization, id: string): Promise<string[]> =>
  (await api.get(`/v1/intros/${id}/timeline`)).body.data.map(({ type }: { type: string }) => type);

/** 2:00 on a night that the clock has not reached yet, in the time zone of the organization. */
function nextNight(afterDays: number): string {
  const day = new Date(Date.now() + afterDays * DAY_S * 1000).toISOString().slice(0, 10);
  return `${day}T08:00:00Z`;
}

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
  const organization = await fixture.newOrganization({ name: 'Ahead' });
  expect((await advance(organization, { to: nextNight(2) })).status).toBe(200);
  const [texts, emails] = [carrier.accepted.length, inbox.emails.length];
  const simulated = await createIntro(organization.api, { ...to('+15005550141'), ...BY_SERVICE });
  const real = await createIntro(organization.api, { ...to('+13125550142'), ...BY_SERVICE });
  for (const { id } of [simulated, real]) {
    expect((await organization.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
    const { delivery } = await untilReason(organization, id, 'quiet_hours');
    expect(Date.parse(delivery.scheduled_for)).toBeGreaterThan(Date.parse(nextNight(2)));
  }
  expect((await advance(organization, { seconds: 12 * 3_600 })).status).toBe(200);
  expect((await untilReason(organization, simulated.id, 'sent')).status).toBe('sent');
  const unsent = await untilReason(organization, real.id, 'test_clock');
  expect(unsent).toMatchObject({ status: 'ready', delivery: { scheduled_for: null, error: { code: 'test_clock' } } });
  expect(await typesOf(organization, real.id)).toEqual(expect.arrayContaining(['member_told', 'not_sent']));
  // Also after the reset: what waited during the test is never sent.
  await organization.api.post(`${CLOCK}/reset`);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([carrier.accepted.length, inbox.emails.length]).toEqual([texts, emails]);
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

test('a text waits for the hours of the state and the time zone of its number, and the timeline names the state', async () => {
  const organization = await fixture.newOrganization({ name: 'States' });
  const morning = nextWednesday();
  expect((await advance(organization, { to: morning.toISOString() })).status).toBe(200);
  const after = (minutes: number) => new Date(morning.getTime() + minutes * 60_000).toISOString();
  const cases = [
    // Allowed from 9 AM in Texas, and from 8 AM in California, which is 10 AM in Chicago.
    { phone: '+12145550142', earliest: after(30), state: 'Texas' },
    { phone: '+14155550142', earliest: after(90), state: undefined },
  ];
  for (const { phone, earliest, state } of cases) {
    const { id } = await createIntro(organization.api, { ...to(phone), ...BY_SERVICE });
    expect((await organization.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
    const { delivery } = await untilReason(organization, id, 'quiet_hours');
    expect(delivery).toMatchObject({ scheduled_for: earliest, reason: 'quiet_hours', error: null });
    const steps = (await organization.api.get(`/v1/intros/${id}/timeline`)).body.data;
    const queued = steps.find(({ type }: { type: string }) => type === 'queued');
    expect(queued.detail).toEqual({ reason: 'quiet_hours', until: earliest, ...(state !== undefined && { state }) });
  }
});

test('a text that a killed node was handing over when another node advanced the clock is not sent afterwards', async () => {
  // Never responds to a text, and knows none when asked.
  const silent = await startReceiver((response, { path }) => {
    if (path !== '/') response.writeHead(404).end('{}');
  });
  // Other requests are lookups, and checks of the account.
  const texts = async () => silent.received.filter(({ body }) => body !== '');
  const settings = { SMS_CARRIER: 'http', SMS_HTTP_URL: new URL(silent.url).origin, SMS_HTTP_SECRET: HTTP_SECRET };
  const nodes = await openService({ ...settings, FOREWORD_ROLE: 'api' });
  try {
    const { organization, database } = nodes;
    await database.query('update members set phone = $1, notify_by = $2', ['+13125550117', 'text']);
    const dying = await nodes.newNode({ FOREWORD_ROLE: 'worker' });
    const { id } = await createIntro(organization.api, to('+15005550143'));
    await eventually(texts, (sent) => sent.length === 1);
    expect((await advance(organization, { seconds: 3_600 })).status).toBe(200);
    await dying.kill();
    await nodes.newNode({ FOREWORD_ROLE: 'worker' });
    // Arrange: a minute has passed, after which the claim counts as abandoned.
    await database.query("update messages set claimed_at = now() - interval '2 minutes' where status = 'sending'");
    const steps = await eventually(
      async () => (await organization.api.get(`/v1/intros/${id}/timeline`)).body.data,
      (seen) => seen.some(({ type }: { type: string }) => type === 'member_told'),
      30_000,
    );
    expect(steps.at(-1)).toMatchObject({ type: 'member_told', detail: { carrier: 'simulated' } });
    expect(await texts()).toHaveLength(1);
    expect(silent.received.filter(({ path }) => path.startsWith('/msg_'))).toHaveLength(1);
  } finally {
    await nodes.close();
    await silent.close();
  }
});
