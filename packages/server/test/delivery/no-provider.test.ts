import { beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { readTimeline, resendManually } from '../../src/delivery/index.ts';
import { createIntroEvents, findIntro, markOpened, markSentManually, presentIntro } from '../../src/intros/index.ts';
import { moveToSentBySender } from '../../src/intros/store/transitions.ts';
import { openInbox } from '../console/inbox.ts';
import { forFile } from '../harness/index.ts';
import { startHttpService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, type NewIntro, openDelivery } from './delivery-fixture.ts';
import { CARRIERS } from './with-providers.ts';

/** 10 PM in Chicago, when no phone is texted before the morning. */
const NIGHT = '2026-06-11T03:00:00Z';
const NOT_SENT = 'Not sent: no text provider is connected.';

let tenant: Tenant;
let memberId: string;
const fixture = await forFile(openDelivery(NIGHT));
const introEvents = createIntroEvents(fixture.links, fixture.publish);
beforeEach(async () => {
  fixture.events.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization());
});

const recorded = (intro: NewIntro = {}) => fixture.deliver({ tenant, member: memberId, ...intro });
const { textOf } = fixture;
const eventsOf = (id: string) => fixture.events.filter(({ subject }) => subject === id).map(({ type }) => type);
const stepsOf = async (id: string) => (await readTimeline(fixture.db, tenant, id)).data;

async function retrieve(id: string) {
  const row = await findIntro(fixture.db.kysely, tenant, id);
  if (row === null) throw new Error(`no intro ${id}`);
  return presentIntro(row, fixture.links.pageUrl);
}

describe('without a text provider', () => {
  test('a text is stored but never counts as sent, at any hour, and the intro stays ready with the reason', async () => {
    const id = await recorded();
    expect(await textOf(id)).toMatchObject({
      status: 'failed',
      error_code: 'no_text_provider',
      error_message: NOT_SENT,
      body: expect.stringContaining(fixture.links.pageUrl(id, null)),
      accepted_at: null,
    });
    const error = { code: 'no_text_provider', message: NOT_SENT };
    expect(await retrieve(id)).toMatchObject({
      status: 'ready',
      sent_at: null,
      delivery: { scheduled_for: null, reason: 'no_text_provider', error },
    });
    expect(eventsOf(id)).toEqual(['intro.delivery_failed']);
    const steps = await stepsOf(id);
    expect(steps.map(({ type }) => type)).not.toContain('sent');
    expect(steps.find(({ type }) => type === 'not_sent')?.detail).toEqual({ channel: 'text', ...error });
  });

  test('a text that was not sent does not delay another to its number', async () => {
    const shared = { phone: '+14155559100', touchpoint: 'on_my_way' };
    await recorded(shared);
    expect(await textOf(await recorded(shared))).toMatchObject({ error_code: 'no_text_provider', held_for: null });
  });

  test('an opt-out is still the reason', async () => {
    const phone = '+14155559101';
    await fixture.delivery.routes.replies.receive({ from: phone, body: 'STOP', organizationId: tenant.organizationId });
    expect((await retrieve(await recorded({ phone }))).delivery.reason).toBe('recipient_opted_out');
  });

  test('a provider that is connected later sends no old texts; a user can send them again', async () => {
    const id = await recorded({
      phone: '+18085559102',
      appointment: { startsAt: '2026-06-20T19:00:00Z', timezone: 'Pacific/Honolulu' },
    });
    const resend = (carriers: DeliveryFixture['carriers']) =>
      fixture.db.kysely.transaction().execute((tx) => resendManually({ carriers }, tx, tenant, id, fixture.now()));
    await expect(resend(fixture.carriers)).rejects.toThrow(NOT_SENT);
    const service = await startHttpService(false);
    try {
      const connected = fixture.deliveryWith(CARRIERS.http.settings(service.url));
      await connected.engine.tick();
      expect(service.accepted).toEqual([]);
      await resend({ ...fixture.carriers, routeOfText: () => 'provider' });
      await connected.engine.tick();
      expect(service.accepted).toHaveLength(1);
      expect(await retrieve(id)).toMatchObject({ status: 'sent', delivery: { reason: null, error: null } });
    } finally {
      await service.close();
    }
  });

  test('the first person to open the page makes the intro sent, and clears the error', async () => {
    const id = await recorded();
    expect(await markOpened(fixture.db.kysely, tenant, id, fixture.now())).toBe(true);
    expect(await retrieve(id)).toMatchObject({ status: 'sent', delivery: { reason: null, error: null } });
    const sent = (await stepsOf(id)).filter(({ type }) => type === 'sent');
    expect(sent).toEqual([expect.objectContaining({ cause: 'recipient' })]);
  });

  test('a member who sent the link themselves can mark the intro as sent, but an API caller cannot', async () => {
    const id = await recorded();
    const byApi = { byHand: false, now: fixture.now() };
    expect(await moveToSentBySender(fixture.db.kysely, tenant, id, byApi)).toBe(false);
    await fixture.db.kysely
      .transaction()
      .execute((tx) => markSentManually({ introEvents }, tx, tenant, { introId: id, by: memberId }, fixture.now()));
    expect(await retrieve(id)).toMatchObject({ status: 'sent', delivery: { reason: null, error: null } });
    const sent = (await stepsOf(id)).filter(({ type }) => type === 'sent');
    expect(sent).toEqual([expect.objectContaining({ cause: 'member' })]);
  });

  test('an organization with its own account has a provider', async () => {
    const service = await startTwilioService();
    try {
      await fixture.useAccount(tenant, TWILIO);
      const { engine } = fixture.deliveryWith({ ...LOG_ONLY, twilioApiUrl: service.url });
      const id = await fixture.createIntro({ tenant, member: memberId });
      await engine.tick();
      expect(service.accepted.map(({ to }) => to)).toEqual(['+13125550117']);
      await fixture.record(id);
      const { delivery } = await retrieve(id);
      expect(delivery).toMatchObject({ scheduled_for: '2026-06-11T13:00:00.000Z', reason: 'quiet_hours', error: null });
    } finally {
      await service.close();
    }
  });

  test('a member is notified by email if only that is connected, and is otherwise shown as not notified', async () => {
    const ask = async () => {
      const id = await fixture.createIntro({ tenant, member: memberId });
      await fixture.tick();
      return fixture.messagesFor(id, 'ask');
    };
    expect(await ask()).toMatchObject([{ channel: 'text', status: 'failed', error_code: 'no_text_provider' }]);
    await fixture.database.query("update members set notify_by = 'email' where id = $1", [memberId]);
    expect(await ask()).toMatchObject([{ channel: 'email', status: 'failed', error_code: 'no_email_provider' }]);
    const inbox = await openInbox();
    try {
      await fixture.database.query("update members set notify_by = 'both' where id = $1", [memberId]);
      const id = await fixture.createIntro({ tenant, member: memberId });
      await fixture.deliveryWith({ ...LOG_ONLY, mail: inbox.server }).engine.tick();
      expect(await fixture.messagesFor(id, 'ask')).toMatchObject([{ channel: 'email', status: 'accepted' }]);
      expect(inbox.emails).toHaveLength(1);
    } finally {
      await inbox.close();
    }
  });
});

describe('without a text provider, test numbers simulate', () => {
  test.each([
    ['+15005550001', 'failed', 'ready', 'invalid_number', ['intro.delivery_failed']],
    ['+15005550002', 'undelivered', 'sent', 'undelivered', ['intro.sent', 'intro.delivery_failed']],
    ['+15005550003', 'failed', 'ready', 'recipient_opted_out', ['intro.delivery_failed']],
    ['+15005550006', 'delivered', 'sent', null, ['intro.sent']],
    ['+15005550123', 'delivered', 'sent', null, ['intro.sent']],
  ])('%s: the text is %s, the intro %s, the error %s', async (phone, message, status, code, types) => {
    const id = await recorded({ phone });
    expect(await textOf(id)).toMatchObject({ status: message });
    const { delivery, ...intro } = await retrieve(id);
    expect(intro.status).toBe(status);
    expect(delivery.error?.code ?? null).toBe(code);
    expect(delivery.reason).toBe(status === 'ready' ? code : null);
    expect(eventsOf(id)).toEqual(types);
  });

  test('+15005550004: the text fails once and is retried, then is delivered once', async () => {
    const id = await recorded({ phone: '+15005550004' });
    const retryAt = new Date(fixture.now().getTime() + 5_000).toISOString();
    expect(await textOf(id)).toMatchObject({ status: 'scheduled', attempts: 1, in_doubt: false });
    expect(await retrieve(id)).toMatchObject({
      status: 'ready',
      delivery: { scheduled_for: retryAt, reason: 'carrier_unavailable', error: null },
    });
    await fixture.advanceTo(retryAt);
    expect(await textOf(id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(eventsOf(id)).toEqual(['intro.sent']);
  });

  test('at any hour and as often as you like, and the timeline says so', async () => {
    const repeated = { phone: '+15005550150', touchpoint: 'on_my_way' };
    for (const id of [await recorded(repeated), await recorded(repeated)]) {
      expect((await retrieve(id)).status).toBe('sent');
      const steps = (await stepsOf(id)).filter(({ type }) => type === 'sent' || type === 'delivered');
      expect(steps.map(({ detail }) => detail)).toEqual([
        { channel: 'text', carrier: 'simulated' },
        { channel: 'text', carrier: 'simulated' },
      ]);
    }
  });
});
