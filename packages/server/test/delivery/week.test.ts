import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import type { DeliveryFixture } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

// A Wednesday, 9:00 in Chicago. On Sunday the clocks go from 2:00 to 3:00.
const fixture = await forFile(openWithProviders('2026-03-04T15:00:00Z'));

const CHICAGO = 'America/Chicago';
const PHOENIX = 'America/Phoenix';

test('a week with recipients in two time zones and a clock change sends exactly these messages', async () => {
  const { tenant, memberId: member } = await fixture.createOrganization({
    timezone: CHICAGO,
    member: { notify_by: 'text' },
  });
  const { memberId: writer } = await fixture.createOrganization();
  await fixture.database.query(
    "update members set organization_id = $1, notify_by = 'email', email = 'lee@acme.example' where id = $2",
    [tenant.organizationId, writer],
  );
  const names = new Map<string, string>();
  const ask = async (name: string, intro: Parameters<DeliveryFixture['createIntro']>[0] = {}) => {
    const id = await fixture.createIntro({ tenant, member, ...intro });
    names.set(id, name);
    await fixture.tick();
    return id;
  };
  const at = async (time: string, ...actions: (() => Promise<unknown>)[]) => {
    await fixture.advanceTo(time);
    for (const action of actions) await action();
    await fixture.tick();
  };

  // Wednesday: a visit on the Monday after the clock change, and an intro that is recorded the same morning.
  const monday = await ask('monday visit', { appointment: { startsAt: '2026-03-09T20:00:00Z', timezone: CHICAGO } });
  const prompt = await ask('prompt', { touchpoint: 'new_appointment', phone: '+16025550001' });
  await at('2026-03-04T16:00:00Z', () => fixture.record(prompt));
  // The same touchpoint for the same number within a day; the member is notified by email.
  const repeat = await ask('repeat', { touchpoint: 'new_appointment', phone: '+16025550001', member: writer });
  await at('2026-03-04T16:05:00Z', () => fixture.record(repeat));
  // Thursday, 21:30 in Chicago, 20:30 in Phoenix.
  const late = await ask('late in Chicago');
  const west = await ask('evening in Phoenix', {
    phone: '+16025550002',
    appointment: { startsAt: '2026-03-07T18:00:00Z', timezone: PHOENIX },
  });
  await at(
    '2026-03-06T03:30:00Z',
    () => fixture.record(late),
    () => fixture.record(west),
  );
  // Friday: cancelled before it was recorded.
  const cancelled = await ask('cancelled', { appointment: { startsAt: '2026-03-08T20:00:00Z', timezone: CHICAGO } });
  await at('2026-03-06T18:00:00Z', () =>
    fixture.database.query("update intros set status = 'cancelled', expires_at = null where id = $1", [cancelled]),
  );
  // Saturday night before the clock change: one waits for Sunday 8:00, one has an appointment at 7:30 on Sunday.
  const change = await ask('over the change');
  const early = await ask('too early', { appointment: { startsAt: '2026-03-08T12:30:00Z', timezone: CHICAGO } });
  await at(
    '2026-03-08T04:00:00Z',
    () => fixture.record(change),
    () => fixture.record(early),
  );
  // Sunday night in Phoenix, whose clocks do not change: 21:30 is 4:30 UTC.
  const phoenix = await ask('night in Phoenix', {
    phone: '+16025550003',
    appointment: { startsAt: '2026-03-12T18:00:00Z', timezone: PHOENIX },
  });
  await at('2026-03-09T04:30:00Z', () => fixture.record(phoenix));
  // Recorded between its two reminders.
  await at('2026-03-09T18:00:00Z', () => fixture.record(monday));
  await fixture.advanceTo('2026-03-11T15:00:00Z');

  const sent = (await fixture.messages())
    .filter(({ accepted_at }) => accepted_at !== null)
    .map(({ accepted_at, intro_id, purpose, channel, address }) =>
      [
        accepted_at?.toISOString().slice(0, 16),
        names.get(intro_id),
        purpose,
        channel,
        purpose === 'deliver' ? '' : address,
      ]
        .join(' ')
        .trim(),
    );
  expect(sent).toEqual([
    '2026-03-04T15:00 monday visit ask text +13125550117',
    '2026-03-04T15:00 prompt ask text +13125550117',
    '2026-03-04T16:00 prompt deliver text',
    '2026-03-04T16:00 repeat ask email lee@acme.example',
    '2026-03-04T16:05 late in Chicago ask text +13125550117',
    '2026-03-04T16:05 evening in Phoenix ask text +13125550117',
    '2026-03-05T16:00 repeat deliver text',
    '2026-03-06T03:30 evening in Phoenix deliver text',
    '2026-03-06T03:30 cancelled ask text +13125550117',
    '2026-03-06T14:00 late in Chicago deliver text',
    '2026-03-06T18:00 over the change ask text +13125550117',
    '2026-03-06T18:00 too early ask text +13125550117',
    '2026-03-07T14:00 monday visit remind text +13125550117',
    '2026-03-07T15:15 too early remind text +13125550117',
    '2026-03-08T04:00 night in Phoenix ask text +13125550117',
    '2026-03-08T13:00 over the change deliver text',
    '2026-03-09T15:00 night in Phoenix deliver text',
    '2026-03-09T18:00 monday visit deliver text',
  ]);
  const unsent = (await fixture.messages())
    .filter(({ accepted_at, status }) => accepted_at === null && status !== 'scheduled')
    .map(({ intro_id, purpose, status, error_code }) => [names.get(intro_id), purpose, status, error_code].join(' '));
  expect(unsent).toEqual([
    'evening in Phoenix remind dropped intro_sent',
    'cancelled remind dropped intro_cancelled',
    'evening in Phoenix remind_last dropped intro_sent',
    'too early deliver dropped appointment_over',
    'prompt remind dropped intro_sent',
    'repeat remind dropped intro_sent',
    'late in Chicago remind dropped intro_sent',
    'cancelled remind_last dropped intro_cancelled',
    'monday visit remind_last dropped intro_sent',
    'over the change remind dropped intro_sent',
    'night in Phoenix remind dropped intro_sent',
  ]);
});
