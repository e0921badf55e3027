import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { twilioSignature } from '../../src/delivery/carriers/signatures.ts';
import { sealAccount } from '../../src/delivery/index.ts';
import type { Tenant } from '../../src/tables.ts';
import { type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery, PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';

describe('a call from Twilio', () => {
  let fixture: DeliveryFixture;
  let service: CarrierService;
  let app: FastifyInstance;
  beforeAll(async () => {
    service = await startTwilioService();
    const text = { carrier: 'twilio', account: TWILIO } as const;
    fixture = await openDelivery(NOON, { ...LOG_ONLY, text, twilioApiUrl: service.url });
    await fixture.createOrganization({ member: { notify_by: 'email' } });
    app = serveCarrierRoutes(fixture);
  });
  beforeEach(() => {
    service.accepted.length = 0;
    fixture.events.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await fixture.close();
    await service.close();
  });

  async function call(url: string, fields: Record<string, string>, token: string = TWILIO.authToken) {
    const path = url.replace(PUBLIC_URL, '');
    const form = new URLSearchParams(fields);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(token, PUBLIC_URL + path, form),
    };
    return app.inject({ method: 'POST', url: path, headers, payload: form.toString() });
  }

  async function sent() {
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    await fixture.tick();
    const taken = service.accepted.at(-1);
    if (taken === undefined) throw new Error('nothing was sent');
    const report = async (MessageStatus: string, more: Record<string, string> = {}) =>
      (await call(taken.statusUrl, { MessageSid: taken.sid, MessageStatus, ...more })).statusCode;
    const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
    return { id, taken, report, row };
  }

  test('is signed like the example in its documentation', () => {
    const fields = new URLSearchParams({
      Digits: '1234',
      To: '+18005551212',
      From: '+14158675310',
      Caller: '+14158675310',
      CallSid: 'CA1234567890ABCDE',
    });
    const url = 'https://example.com/myapp.php?foo=1&bar=2';
    expect(twilioSignature('12345', url, fields)).toBe('L/OH5YylLD5NRKLltdqwSvS0BnU=');
  });

  test('with "delivered" marks the text as delivered, and the intro stays sent', async () => {
    const { id, report, row } = await sent();
    expect(await report('sent')).toBe(204);
    expect(await row()).toMatchObject({ status: 'accepted' });
    expect(await report('delivered')).toBe(204);
    expect(await row()).toMatchObject({ status: 'delivered', settled_at: fixture.now() });
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  });

  test.each([
    ['delivered', ['delivered', 'sent', 'queued', 'delivered']],
    ['delivered', ['undelivered', 'delivered', 'sent']],
    ['delivered', ['sent', 'delivered', 'undelivered']],
    ['undelivered', ['undelivered', 'sent', 'undelivered', 'queued']],
  ])('leaves the text %s, in any order and with repetitions: %j', async (status, calls) => {
    const { id, report, row } = await sent();
    for (const one of calls) expect(await report(one)).toBe(204);
    expect(await row()).toMatchObject({ status });
    const code = status === 'delivered' ? null : 'undelivered';
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: code });
  });

  test.each([
    ['30006', 'unreachable_number'],
    // Blocked by a network, not by the recipient, who stays opted in.
    ['30004', 'undelivered'],
  ])('with "undelivered" and error %s publishes one event, however often it arrives', async (ErrorCode, expected) => {
    const { id, report, row } = await sent();
    for (let i = 0; i < 3; i++) await report('undelivered', { ErrorCode });
    expect(await row()).toMatchObject({ error_code: expected, error_message: expect.stringContaining(ErrorCode) });
    expect(fixture.events.map(({ type }) => type)).toEqual(['intro.sent', 'intro.delivery_failed']);
    expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: expected });
  });

  test('that is forged, altered or for another message is rejected, and changes nothing', async () => {
    const { taken, row } = await sent();
    const other = await sent();
    const fields = { MessageSid: taken.sid, MessageStatus: 'delivered' };
    expect((await call(taken.statusUrl, fields, 'another token')).statusCode).toBe(403);
    const bare = await app.inject({
      method: 'POST',
      url: taken.statusUrl.replace(PUBLIC_URL, ''),
      payload: 'MessageStatus=delivered',
    });
    expect(bare.statusCode).toBe(403);
    // Correctly signed, but for the URL of another message.
    expect((await call(other.taken.statusUrl, fields)).statusCode).toBe(404);
    for (const one of [row, other.row]) expect(await one()).toMatchObject({ status: 'accepted' });
  });

  test('for an unknown message gets a 404, whatever the path', async () => {
    const { taken } = await sent();
    for (const path of [
      'org_x/msg_x',
      `${taken.statusUrl.split('/').slice(-2, -1)[0]}/msg_00000000000000000000000000`,
    ]) {
      expect((await call(`${PUBLIC_URL}/carriers/status/${path}`, { MessageStatus: 'delivered' })).statusCode).toBe(
        404,
      );
    }
  });

  test('before our own commit settles the message, and the worker then changes nothing', async () => {
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    const { promise: reported, resolve: endRequest } = Promise.withResolvers<void>();
    service.next({ kind: 'accept_silently', until: reported });
    const taken = service.untilAccepted();
    const ticking = fixture.tick();
    await taken;
    const message = service.accepted.at(-1);
    const status = { MessageSid: message?.sid ?? '', MessageStatus: 'delivered' };
    expect((await call(message?.statusUrl ?? '', status)).statusCode).toBe(204);
    const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
    expect(await row()).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
    endRequest();
    await ticking;
    expect(await row()).toMatchObject({ status: 'delivered', in_doubt: false });
    expect(service.accepted).toHaveLength(1);
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  });

  const inbound = `${PUBLIC_URL}/carriers/twilio/inbound`;
  let texts = 0;
  const reply = (From: string, Body: string, more = {}, url = inbound) =>
    call(url, { From, Body, To: '+15005550100', MessageSid: `SM${texts++}`, ...more });

  test('with STOP opts out and with START back in; both get a reply and are recorded', async () => {
    const { id, row } = await sent();
    const phone = (await row())?.address ?? '';
    const stopped = await reply(phone, ' Stop. ');
    expect(stopped.body).toContain('<Message>You have opted out of texts from Acme Roofing.');
    expect(fixture.events).toContainEqual({ type: 'recipient.opted_out', subject: phone });
    await reply(phone, 'STOP');
    const again = await fixture.createIntro({ phone });
    await fixture.tick();
    await fixture.record(again);
    await fixture.tick();
    expect(await fixture.intro(again)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
    expect((await reply(phone, 'start')).body).toContain('You will get texts from Acme Roofing again.');
    const third = await fixture.createIntro({ phone });
    await fixture.tick();
    await fixture.record(third);
    await fixture.tick();
    expect(await fixture.intro(third)).toMatchObject({ status: 'sent' });
    const ledger = await fixture.database.query(
      'select kind, source, said from consents where phone = $1 order by id',
      [phone],
    );
    expect(ledger).toEqual([
      { kind: 'opt_out', source: 'text', said: ' Stop. ' },
      { kind: 'opt_in', source: 'text', said: 'start' },
    ]);
    expect(fixture.events.filter(({ type }) => type === 'recipient.opted_out')).toHaveLength(1);
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
  });

  test('with STOP fails a text that waits for the morning at once', async () => {
    const { row } = await sent();
    const phone = (await row())?.address ?? '';
    await fixture.advanceTo('2026-06-11T03:00:00Z');
    const waiting = await fixture.createIntro({ phone });
    await fixture.tick();
    await fixture.record(waiting);
    await fixture.tick();
    await reply(phone, 'UNSUBSCRIBE');
    await fixture.tick();
    expect(await fixture.intro(waiting)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
    await fixture.advanceTo('2026-06-11T17:00:00Z');
  });

  test('gets a reply to HELP, but not to other words or if Twilio has already replied', async () => {
    const { row } = await sent();
    const phone = (await row())?.address ?? '';
    expect((await reply(phone, 'HELP')).body).toContain('Reply STOP to opt out.');
    expect((await reply(phone, 'HELP', { OptOutType: 'HELP' })).body).toContain('<Response></Response>');
    expect((await reply(phone, 'Thanks!')).body).toContain('<Response></Response>');
    expect((await reply('not a number', 'STOP')).statusCode).toBe(200);
  });

  test('with a forged STOP is rejected and opts no one out', async () => {
    const { row } = await sent();
    const phone = (await row())?.address ?? '';
    expect((await call(inbound, { From: phone, Body: 'STOP' }, 'another token')).statusCode).toBe(403);
    expect(await fixture.database.query('select 1 from opt_outs where phone = $1', [phone])).toEqual([]);
  });

  test('with STOP opts out of every organization that texted from the shared number, and of no other', async () => {
    const phone = '+14155551212';
    const { tenant: own, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    const { tenant: other, memberId: otherMember } = await fixture.createOrganization({
      member: { notify_by: 'email' },
    });
    const { tenant: silent } = await fixture.createOrganization();
    const { tenant: separate, memberId: apart } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    const { tenant: moved, memberId: movedMember } = await fixture.createOrganization({
      member: { notify_by: 'email' },
    });
    const account = { ...TWILIO, authToken: 'its own token' };
    const setAccount = ({ organizationId }: Tenant, own: typeof account | typeof TWILIO) =>
      fixture.database.query(
        `insert into delivery_settings (organization_id, environment, twilio_account, updated_at) values ($1, 'test', $2, now())
         on conflict (organization_id, environment) do update set twilio_account = excluded.twilio_account`,
        [organizationId, sealAccount(fixture.seal, organizationId, own)],
      );
    // The fake carrier knows one account, so it is the organization's own until the text is sent.
    await setAccount(separate, TWILIO);
    for (const [tenant, member] of [
      [own, memberId],
      [other, otherMember],
      [separate, apart],
      [moved, movedMember],
    ] as const) {
      const id = await fixture.createIntro({ tenant, member, phone });
      await fixture.tick();
      await fixture.record(id);
      await fixture.tick();
    }
    expect(service.accepted).toHaveLength(4);
    await setAccount(separate, account);
    await setAccount(moved, account);
    const optedOut = async () =>
      (
        await fixture.database.query<{ id: string }>(
          'select organization_id as id from opt_outs where phone = $1 order by 1',
          [phone],
        )
      ).map(({ id }) => id);
    await reply(phone, 'STOP');
    // Includes the organization that texted from the shared number and has its own account since.
    expect(await optedOut()).toEqual([own, other, moved].map(({ organizationId }) => organizationId).toSorted());
    expect(await optedOut()).not.toContain(silent.organizationId);
    const path = `${inbound}/${separate.organizationId}`;
    expect((await reply(phone, 'STOP', {}, path)).statusCode).toBe(403);
    expect((await call(path, { From: phone, Body: 'STOP' }, account.authToken)).statusCode).toBe(200);
    expect(await optedOut()).toContain(separate.organizationId);
  });
});
