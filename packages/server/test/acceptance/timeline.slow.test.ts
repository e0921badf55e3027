import { expect, test } from 'vitest';
import { openInbox } from '../console/inbox.ts';
import { forFile } from '../harness/index.ts';
import { createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openPhone } from './support/recorder.ts';
import { openService } from './support/service.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

const RECORDED_WITHIN_MS = 60_000;

const inbox = await forFile(openInbox());
// No text is sent through this account: the only one that would be waits.
const fixture = await forFile(openService({ ...inbox.environment, TWILIO_API_URL: 'http://127.0.0.1:1' }));

interface Step {
  readonly at: string;
  readonly type: string;
  readonly cause: string;
  readonly detail: Record<string, string | number> | null;
}

const timeline = async (id: string): Promise<Step[]> => (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data;
const withStep = (id: string, wanted: string) =>
  eventually(
    () => timeline(id),
    (steps) => steps.some(({ type }) => type === wanted),
    RECORDED_WITHIN_MS,
  );

test('contains each step once, in order, with its time and cause', async () => {
  const slug = 'project_kickoff';
  await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, '--delivery', 'service');
  const intro = await introOfEvent(fixture.api, {
    touchpoint: slug,
    recipient: { first_name: 'Dana', phone: '+15005550006' },
  });
  await withStep(intro.id, 'member_told');
  await fixture.api.post(`/v1/test_helpers/intros/${intro.id}/record`);
  await withStep(intro.id, 'delivered');
  const { delivery } = (await fixture.api.get(`/v1/intros/${intro.id}`)).body;
  const seen = `${fixture.service.url + new URL(delivery.recipient_url).pathname}/seen`;
  for (const view of [{ what: 'opened' }, { what: 'watched', percent: 25 }, { what: 'watched', percent: 75 }]) {
    const headers = { 'content-type': 'application/json', 'user-agent': PHONE };
    expect((await fetch(seen, { method: 'POST', headers, body: JSON.stringify(view) })).status).toBe(204);
  }
  const steps = await timeline(intro.id);
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
}, 90_000);

test('opened_by_member appears once a person opens the recorder, not when a robot fetches the page', async () => {
  const { id } = await createIntro(fixture.api);
  const { url } = await openPhone(fixture, id);
  const robot = `${PHONE} facebookexternalhit/1.1 Facebot Twitterbot/1.0`;
  const call = async (method: string, address: string, headers: Record<string, string>) =>
    expect((await fetch(address, { method, headers })).status).toBe(200);
  const openings = async () => (await timeline(id)).filter(({ type }) => type === 'opened_by_member');
  for (const method of ['GET', 'HEAD']) {
    for (const agent of [PHONE, robot]) await call(method, url, { 'user-agent': agent });
    await call(method, `${url}/state`, { 'user-agent': robot });
  }
  await call('HEAD', `${url}/state`, { 'user-agent': PHONE });
  await call('GET', `${url}/state`, { 'user-agent': PHONE, 'sec-purpose': 'prefetch;prerender' });
  expect(await openings()).toEqual([]);
  await call('GET', `${url}/state`, { 'user-agent': PHONE });
  const [opening] = await openings();
  expect(opening).toMatchObject({ cause: 'member', detail: null });
  await call('GET', `${url}/state`, { 'user-agent': PHONE });
  expect(await openings()).toEqual([opening]);
});

test('a cancellation names the API key', async () => {
  const { id } = await createIntro(fixture.api);
  await withStep(id, 'member_told');
  await fixture.api.post(`/v1/intros/${id}/cancel`);
  expect((await timeline(id)).at(-1)).toMatchObject({ type: 'cancelled', detail: { key: fixture.organization.keyId } });
});

test('not_sent has the reason', async () => {
  const recipient = { first_name: 'Dana', phone: '+15005550001' };
  const { id } = await createIntro(fixture.api, { recipient, delivery: { responsibility: 'service' } });
  await fixture.api.post(`/v1/test_helpers/intros/${id}/record`);
  const steps = await withStep(id, 'not_sent');
  expect(steps.at(-1)).toMatchObject({ cause: 'carrier', detail: { code: 'invalid_number', channel: 'text' } });
}, 90_000);

test('a text that waits for the morning appears as queued, with its time', async () => {
  const night = await fixture.newOrganization({ name: 'Night Roofing' });
  // In the zone of the recipient's number, and within the hours of the law. It does not start within the next minutes, regardless of the current time.
  const now = Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Chicago', hour: '2-digit' }).format());
  const hour = now < 12 ? 18 : 9;
  const time = (at: number) => `${String(at).padStart(2, '0')}:00`;
  await fixture.run('delivery', 'set', '--org', night.id, '--texts-from', time(hour), '--texts-until', time(hour + 1));
  // With an account of its own, the organization has a provider.
  const account = ['--twilio-account-sid', `AC${'0'.repeat(32)}`, '--twilio-auth-token', 'x'];
  const sender = ['--twilio-from', '+13125550100', '--text-test-recordings', 'true'];
  await fixture.run('delivery', 'set', '--org', night.id, ...account, ...sender);
  const recipient = { first_name: 'Dana', phone: '+13125550140' };
  const { id } = await createIntro(night.api, { recipient, delivery: { responsibility: 'service' } });
  await night.api.post(`/v1/test_helpers/intros/${id}/record`);
  const steps: Step[] = await eventually(
    async () => (await night.api.get(`/v1/intros/${id}/timeline`)).body.data,
    (found) => found.some(({ type }: Step) => type === 'queued'),
    RECORDED_WITHIN_MS,
  );
  const queued = steps.find(({ type }) => type === 'queued');
  expect(queued?.detail).toMatchObject({ reason: 'quiet_hours' });
  expect(Date.parse(String(queued?.detail?.until))).toBeGreaterThan(Date.now());
  expect((await night.api.get(`/v1/intros/${id}`)).body).toMatchObject({
    status: 'ready',
    delivery: { scheduled_for: queued?.detail?.until, reason: 'quiet_hours', error: null },
  });
}, 90_000);

test("another organization's intro and an unknown intro are 404", async () => {
  const { id } = await createIntro(fixture.api);
  const other = await fixture.newOrganization({ name: 'Other Roofing' });
  expectError(await other.api.get(`/v1/intros/${id}/timeline`), 404, 'not_found');
  expectError(await fixture.api.get('/v1/intros/int_00000000000000000000000000/timeline'), 404, 'not_found');
  expectError(await fixture.api.get('/v1/intros/%00/timeline'), 404, 'not_found');
});
