import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

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
