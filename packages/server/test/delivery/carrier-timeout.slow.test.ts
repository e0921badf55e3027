import { expect, test } from 'vitest';
import { startTwilioService, TWILIO } from './carrier-services.ts';
import { LOG_ONLY, openDelivery } from './delivery-fixture.ts';

test('a carrier that accepts a text without responding for 15 s is queried, and does not get the text again', async () => {
  const service = await startTwilioService();
  const text = { carrier: 'twilio', account: TWILIO } as const;
  const fixture = await openDelivery('2026-06-10T17:00:00Z', { ...LOG_ONLY, text, twilioApiUrl: service.url });
  await fixture.createOrganization({ member: { notify_by: 'email' } });
  const id = await fixture.createIntro();
  await fixture.tick();
  await fixture.record(id);
  service.next({ kind: 'accept_silently' });
  await fixture.tick();
  const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: true });
  await fixture.advanceTo(new Date(fixture.now().getTime() + 5_000).toISOString());
  expect(await row()).toMatchObject({ status: 'accepted' });
  expect(service.accepted).toHaveLength(1);
  expect(service.violations).toEqual([]);
  await fixture.close();
  await service.close();
}, 90_000);
