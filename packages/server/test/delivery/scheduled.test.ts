import { expect, test } from 'vitest';
import { findIntro, markOpened, presentIntro } from '../../src/intros/index.ts';
import { listIntros } from '../../src/intros/store/lists.ts';
import { forFile } from '../harness/index.ts';
import type { Behavior } from './carrier-services.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z'));
const { tenant, memberId } = await fixture.createOrganization();

type NewIntro = Parameters<typeof fixture.createIntro>[0];
async function record(intro: NewIntro = {}, ...behaviors: Behavior[]): Promise<string> {
  const id = await fixture.createIntro({ tenant, member: memberId, ...intro });
  await fixture.tick();
  await fixture.record(id);
  fixture.carrier.next(...behaviors);
  return id;
}
async function deliveryOf(id: string) {
  const row = await findIntro(fixture.db.kysely, tenant, id);
  if (row === null) throw new Error(`no intro ${id}`);
  const { status, delivery } = presentIntro(row, fixture.links.pageUrl);
  return { status, scheduled_for: delivery.scheduled_for, reason: delivery.reason, error: delivery.error };
}
const in5Seconds = () => new Date(fixture.now().getTime() + 5_000).toISOString();

test('a text that is due is scheduled for now without a reason, until it is sent', async () => {
  const id = await record();
  const now = fixture.now().toISOString();
  expect(await deliveryOf(id)).toEqual({ status: 'ready', scheduled_for: now, reason: null, error: null });
  await fixture.tick();
  expect(await deliveryOf(id)).toEqual({ status: 'sent', scheduled_for: null, reason: null, error: null });
});

test('an intro that the integration delivers has neither', async () => {
  const id = await record({ responsibility: 'integration' });
  expect(await deliveryOf(id)).toEqual({ status: 'ready', scheduled_for: null, reason: null, error: null });
});

test('while the carrier is unavailable, the retry is scheduled', async () => {
  const id = await record({}, { kind: 'respond', status: 503, body: '' });
  await fixture.tick();
  const retry = { status: 'ready', scheduled_for: in5Seconds(), reason: 'carrier_unavailable', error: null };
  expect(await deliveryOf(id)).toEqual(retry);
});

test('while it is unknown whether the carrier accepted the text, the lookup is scheduled', async () => {
  const id = await record({}, { kind: 'accept_then', status: 500, body: '' });
  await fixture.tick();
  const lookup = { status: 'ready', scheduled_for: in5Seconds(), reason: 'unknown_outcome', error: null };
  expect(await deliveryOf(id)).toEqual(lookup);
});

test('a second text of a touchpoint to a number is scheduled a day later, already when it is recorded', async () => {
  const shared = { phone: '+14155559200', touchpoint: 'on_my_way' };
  await record(shared);
  await fixture.tick();
  const free = new Date(fixture.now().getTime() + 86_400_000).toISOString();
  const second = await record(shared);
  const waiting = { status: 'ready', scheduled_for: free, reason: 'recent_text', error: null };
  expect(await deliveryOf(second)).toEqual(waiting);
  await fixture.tick();
  expect(await deliveryOf(second)).toEqual(waiting);
});

test('at night the text is scheduled for the morning; opening the page by then neither sends nor cancels it', async () => {
  await fixture.advanceTo('2026-06-14T03:00:00Z');
  const id = await record();
  const waiting = { status: 'ready', scheduled_for: '2026-06-14T13:00:00.000Z', reason: 'quiet_hours', error: null };
  expect(await deliveryOf(id)).toEqual(waiting);
  await fixture.tick();
  await markOpened(fixture.db.kysely, tenant, id, fixture.now());
  expect(await deliveryOf(id)).toEqual(waiting);
  const filter = { limit: 5, statuses: [], phone: undefined, metadata: {} };
  const [listed] = (await listIntros(fixture.db.kysely, tenant, filter)).rows;
  expect(listed && presentIntro(listed, fixture.links.pageUrl).delivery.reason).toBe('quiet_hours');
  await fixture.advanceTo('2026-06-14T13:00:00Z');
  expect((await deliveryOf(id)).status).toBe('sent');
});
