import { beforeEach, describe, expect, test } from 'vitest';
import { planDelivery, resendManually } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import { openWithProviders } from './with-providers.ts';

const NOON = '2026-06-10T17:00:00Z';
const fixture = await forFile(openWithProviders(NOON));
// The organization of intros that name none.
await fixture.createOrganization();
beforeEach(() => {
  fixture.events.length = 0;
});

const { deliver: recorded, textOf, pass: later } = fixture;
const eventsOf = (id: string) => fixture.events.filter(({ subject }) => subject === id).map(({ type }) => type);

describe('quiet hours', () => {
  test("use the appointment's time zone, otherwise the organization's, and the organization's hours", async () => {
    await fixture.advanceTo('2026-06-12T03:30:00Z');
    const { tenant, memberId: member } = await fixture.createOrganization({ timezone: 'America/New_York' });
    const appointment = { startsAt: '2026-06-14T19:00:00Z', timezone: 'America/Los_Angeles' };
    const west = await recorded({ tenant, member, appointment, phone: '+14155559010' });
    const east = await recorded({ tenant, member, phone: '+12125559010' });
    expect(await textOf(west)).toMatchObject({ status: 'accepted' });
    expect(await textOf(east)).toMatchObject({ held_until: new Date('2026-06-12T12:00:00Z') });
    await fixture.configure(tenant, { texts_from: 600, texts_until: 1200 });
    const careful = await recorded({ tenant, member, phone: '+12125559011' });
    expect(await textOf(careful)).toMatchObject({ held_until: new Date('2026-06-12T14:00:00Z') });
  });

  test('also follow the area code of the number, and the law of its state', async () => {
    // Friday, 8:30 AM in Chicago: too early in San Francisco, and for the law of Texas.
    await fixture.advanceTo('2026-06-12T13:30:00Z');
    const west = await recorded({ phone: '+14155559012' });
    const texas = await recorded({ phone: '+12145559012' });
    const here = await recorded();
    expect(await textOf(west)).toMatchObject({ status: 'scheduled', held_until: new Date('2026-06-12T15:00:00Z') });
    const until = { held_until: new Date('2026-06-12T14:00:00Z') };
    expect(await textOf(texas)).toMatchObject({ status: 'scheduled', held_for: 'quiet_hours', ...until });
    expect(await textOf(here)).toMatchObject({ status: 'accepted' });
    await fixture.advanceTo('2026-06-12T14:00:00Z');
    expect(await textOf(texas)).toMatchObject({ status: 'accepted' });
    await fixture.advanceTo('2026-06-12T15:00:00Z');
    expect(await textOf(west)).toMatchObject({ status: 'accepted' });
  });

  test('do not text about an appointment that had started when it was reported, until a person sends it anyway', async () => {
    await fixture.advanceTo('2026-06-12T17:00:00Z');
    const { tenant, memberId: member } = await fixture.createOrganization();
    const appointment = { startsAt: '2026-06-12T16:00:00Z', timezone: 'America/Chicago' };
    const id = await recorded({ tenant, member, appointment });
    expect(await textOf(id)).toMatchObject({ status: 'dropped', address: expect.any(String), body: null });
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'appointment_over' });
    expect(eventsOf(id)).toEqual(['intro.delivery_failed']);
    await fixture.db.kysely
      .transaction()
      .execute((tx) => resendManually({ carriers: fixture.carriers }, tx, tenant, id, fixture.now()));
    await fixture.tick();
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
    const [, sent] = await fixture.messagesFor(id, 'deliver');
    expect(sent?.body).toContain('has a short personal video for you. Reply STOP');
  });
});

describe('one text of a touchpoint to a number in 24 hours', () => {
  const phone = '+14155559000';
  test('the second text waits, and one whose appointment begins earlier is not sent', async () => {
    await fixture.advanceTo('2026-06-15T17:00:00Z');
    const first = await recorded({ phone, touchpoint: 'new_appointment' });
    const second = await recorded({ phone, touchpoint: 'new_appointment' });
    const third = await recorded({
      phone,
      touchpoint: 'new_appointment',
      appointment: { startsAt: '2026-06-16T15:00:00Z', timezone: 'America/Chicago' },
    });
    const other = await recorded({ phone, touchpoint: 'on_my_way' });
    const direct = [await recorded({ phone }), await recorded({ phone })];
    expect(await textOf(first)).toMatchObject({ status: 'accepted' });
    expect(await textOf(second)).toMatchObject({
      held_for: 'recent_text',
      held_until: new Date('2026-06-16T17:00:00Z'),
    });
    expect(await fixture.intro(third)).toMatchObject({ status: 'ready', delivery_error_code: 'recently_texted' });
    for (const id of [other, ...direct]) expect(await textOf(id)).toMatchObject({ status: 'accepted' });
    await fixture.advanceTo('2026-06-16T17:00:00Z');
    expect(await textOf(second)).toMatchObject({ status: 'accepted', accepted_at: new Date('2026-06-16T17:00:00Z') });
  });

  test('only one of several is sent, in one batch or by several workers', async () => {
    const ids = [];
    for (let i = 0; i < 6; i++)
      ids.push(await fixture.createIntro({ phone: '+14155559001', touchpoint: 'new_appointment' }));
    await fixture.tick();
    for (const id of ids) await fixture.record(id);
    const others = [1, 2, 3].map(() => fixture.deliveryWith());
    await Promise.all([fixture.tick(), ...others.map(({ engine }) => engine.tick())]);
    const statuses = (await Promise.all(ids.map(textOf))).map((text) => text?.status);
    expect(statuses.toSorted()).toEqual(['accepted', ...Array(5).fill('scheduled')]);
  });
});

describe('the channel for a member', () => {
  const askOf = async (member: object) => {
    const { tenant, memberId } = await fixture.createOrganization({ member });
    const id = await fixture.createIntro({ tenant, member: memberId });
    await fixture.tick();
    const asks = await fixture.messagesFor(id, 'ask');
    return asks.map(({ channel, status, address }) => `${channel} ${status} ${address}`).toSorted();
  };
  test.each([
    [{ notify_by: 'text' }, ['text accepted +13125550117']],
    [{ notify_by: 'email' }, ['email accepted ana@acme.example']],
    [{ notify_by: 'both' }, ['email accepted ana@acme.example', 'text accepted +13125550117']],
    [{ notify_by: 'text', phone: null }, ['email accepted ana@acme.example']],
    [{ notify_by: 'both', phone: null }, ['email accepted ana@acme.example']],
  ])('with %j: %j', async (member, asks) => {
    expect(await askOf(member)).toEqual(asks);
  });

  test('the email has the recipient, the deadline and the link', async () => {
    const { tenant, memberId } = await fixture.createOrganization({
      member: { notify_by: 'email' },
      name: 'Ames & Sons <Co.>',
    });
    const id = await fixture.createIntro({ tenant, member: memberId });
    await fixture.tick();
    const [ask] = await fixture.messages(id);
    expect(ask).toMatchObject({ subject: 'Record a video for Dana Reyes', segments: null });
    expect(ask?.body).toContain(fixture.links.recordUrl(id, 0));
    expect(ask?.body).toContain('Please record a short video for Dana Reyes by ');
  });
});

test('a touchpoint without reminders plans none', async () => {
  const { tenant, memberId: member } = await fixture.createOrganization();
  await fixture.database.query(
    `insert into touchpoints (organization_id, environment, id, slug, name, context, position, delivery, minutes_to_record,
      page_title, script, reminds, text_message, created_at, updated_at)
     values ($1, 'test', 'tp_1', 'calm', 'Calm', 'none', 1, 'service', 10080, 'Hi', 'Hi', false, 'Look, {{ recipient.first_name }}', now(), now())`,
    [tenant.organizationId],
  );
  const id = await recorded({ tenant, member, touchpoint: 'calm' });
  expect((await fixture.messages(id)).map(({ purpose }) => purpose)).toEqual(['ask', 'deliver']);
  expect((await textOf(id))?.body).toMatch(/^Acme Roofing: Look, Dana\. Reply STOP to opt out\. https/);
});

test('planning a delivery again, or for another tenant, adds no second text', async () => {
  const id = await fixture.createIntro();
  await fixture.tick();
  for (let take = 0; take < 2; take++) await fixture.record(id);
  const { tenant } = await fixture.createOrganization();
  await fixture.db.kysely.transaction().execute((tx) => planDelivery(fixture, tx, tenant, id, fixture.now()));
  await fixture.tick();
  expect(await fixture.messagesFor(id, 'deliver')).toHaveLength(1);
});

test('a member is reminded halfway and an hour before the appointment, but not after recording', async () => {
  // Tuesday, noon in Chicago.
  await fixture.advanceTo('2026-06-16T17:00:00Z');
  const { tenant, memberId: member } = await fixture.createOrganization();
  const appointment = { startsAt: '2026-06-23T21:00:00Z', timezone: 'America/Chicago' };
  const [open, early] = [
    await fixture.createIntro({ tenant, member, appointment }),
    await fixture.createIntro({ tenant, member, appointment }),
  ];
  await fixture.advanceTo('2026-06-17T17:00:00Z');
  await fixture.record(early);
  await fixture.advanceTo('2026-06-24T17:00:00Z');
  const messages = await fixture.messages(open);
  expect(messages.map(({ purpose, accepted_at }) => [purpose, accepted_at?.toISOString() ?? null])).toEqual([
    ['ask', '2026-06-16T17:00:00.000Z'],
    // Halfway is in the night before Saturday.
    ['remind', '2026-06-20T13:00:00.000Z'],
    ['remind_last', '2026-06-23T20:00:00.000Z'],
  ]);
  const summary = (await fixture.messages(early)).map(({ purpose, status, error_code }) => [
    purpose,
    status,
    error_code,
  ]);
  expect(summary.toSorted()).toEqual([
    ['ask', 'accepted', null],
    ['deliver', 'accepted', null],
    ['remind', 'dropped', 'intro_sent'],
  ]);
});

test('the last reminder is sent although the first one found the member deactivated', async () => {
  await fixture.advanceTo('2026-06-25T17:00:00Z');
  const { tenant, memberId: member } = await fixture.createOrganization();
  const appointment = { startsAt: '2026-06-29T21:00:00Z', timezone: 'America/Chicago' };
  const id = await fixture.createIntro({ tenant, member, appointment });
  await fixture.tick();
  const setActive = (active: boolean) =>
    fixture.database.query('update members set active = $2 where id = $1', [member, active]);
  await setActive(false);
  await fixture.advanceTo('2026-06-28T17:00:00Z');
  await setActive(true);
  await fixture.advanceTo('2026-06-29T20:30:00Z');
  const steps = (await fixture.messages(id)).map(({ purpose, status, error_code }) => [purpose, status, error_code]);
  expect(steps).toEqual([
    ['ask', 'accepted', null],
    ['remind', 'dropped', 'member_inactive'],
    ['remind_last', 'accepted', null],
  ]);
});

test('a practice recording is asked for in the morning, once', async () => {
  // 11 PM in Chicago.
  const night = new Date(fixture.now());
  night.setUTCHours(28, 0, 0, 0);
  await fixture.advanceTo(night.toISOString());
  const { tenant, memberId: member } = await fixture.createOrganization();
  const id = await fixture.createIntro({ tenant, member });
  await fixture.database.query(`update intros set reference = '{"source": "foreword_practice"}' where id = $1`, [id]);
  await fixture.tick();
  expect(await fixture.messages(id)).toMatchObject([{ purpose: 'ask', status: 'scheduled' }]);
  await later(5 * 86_400_000);
  const [asked, ...more] = await fixture.messages(id);
  expect(asked).toMatchObject({ status: 'accepted', next_purpose: null });
  expect(asked?.body).toContain('no customer gets this one');
  expect(more).toEqual([]);
});
