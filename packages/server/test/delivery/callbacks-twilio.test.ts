import { beforeEach, describe, expect, test } from 'vitest';
import { twilioSignature } from '../../src/delivery/carriers/twilio.ts';
import { forFile } from '../harness/index.ts';
import { TWILIO } from './carrier-services.ts';
import { PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';
import { textingWith } from './texting.ts';
import { callAsTwilio, openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z', 'twilio'));
await fixture.createOrganization({ member: { notify_by: 'email' } });
const { carrier } = fixture;
const nodes = [serveCarrierRoutes(fixture), serveCarrierRoutes(fixture)] as const;
const [app] = nodes;
beforeEach(() => {
  carrier.accepted.length = 0;
  fixture.events.length = 0;
});

const call = (url: string, fields: Record<string, string>, token?: string) => callAsTwilio(app, url, fields, token);

async function sent() {
  const id = await fixture.deliver();
  const taken = carrier.accepted.at(-1);
  if (taken === undefined) throw new Error('nothing was sent');
  const report = async (MessageStatus: string, more: Record<string, string> = {}) =>
    (await call(taken.statusUrl, { MessageSid: taken.sid, MessageStatus, ...more })).statusCode;
  return { id, taken, report, row: () => fixture.textOf(id), phone: taken.to };
}

const inbound = `${PUBLIC_URL}/carriers/twilio/inbound`;

describe('a call from Twilio', () => {
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

  test('that is forged, altered, or for another or an unknown message is rejected, and changes nothing', async () => {
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
    for (const path of ['org_x/msg_x', `${taken.statusUrl.split('/').at(-2)}/msg_00000000000000000000000000`]) {
      const unknown = await call(`${PUBLIC_URL}/carriers/status/${path}`, fields);
      expect(unknown.statusCode).toBe(404);
    }
    for (const one of [row, other.row]) expect(await one()).toMatchObject({ status: 'accepted' });
    const stop = await call(inbound, { From: taken.to, Body: 'STOP' }, 'another token');
    expect(stop.statusCode).toBe(403);
    expect(await fixture.database.query('select 1 from opt_outs where phone = $1', [taken.to])).toEqual([]);
  });

  test('before our own commit settles the message, and the worker then changes nothing', async () => {
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    const { promise: reported, resolve: endRequest } = Promise.withResolvers<void>();
    carrier.next({ kind: 'accept_silently', until: reported });
    const taken = carrier.untilAccepted();
    const ticking = fixture.tick();
    await taken;
    const message = carrier.accepted.at(-1);
    const status = { MessageSid: message?.sid ?? '', MessageStatus: 'delivered' };
    expect((await call(message?.statusUrl ?? '', status)).statusCode).toBe(204);
    const row = () => fixture.textOf(id);
    expect(await row()).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
    endRequest();
    await ticking;
    expect(await row()).toMatchObject({ status: 'delivered', in_doubt: false });
    expect(carrier.accepted).toHaveLength(1);
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  });

  let texts = 0;
  const reply = (From: string, Body: string, more = {}, url = inbound) =>
    call(url, { From, Body, To: '+15005550100', MessageSid: `SM${texts++}`, ...more });

  test('with STOP opts out and with START back in; both get a reply and are recorded', async () => {
    const { id, phone } = await sent();
    const stopped = await reply(phone, ' Stop. ');
    expect(stopped.body).toContain('<Message>You have opted out of texts from Acme Roofing.');
    expect(fixture.events).toContainEqual({ type: 'recipient.opted_out', subject: phone });
    await reply(phone, 'STOP');
    const again = await fixture.deliver({ phone });
    expect(await fixture.intro(again)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
    expect((await reply(phone, 'start')).body).toContain('You will get texts from Acme Roofing again.');
    const third = await fixture.deliver({ phone });
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

  test('gets a reply to HELP, but not to other words or if Twilio has already replied', async () => {
    const { phone } = await sent();
    expect((await reply(phone, 'HELP')).body).toContain('Reply STOP to opt out.');
    expect((await reply(phone, 'HELP', { OptOutType: 'HELP' })).body).toContain('<Response></Response>');
    expect((await reply(phone, 'Thanks!')).body).toContain('<Response></Response>');
    expect((await reply('not a number', 'STOP')).statusCode).toBe(200);
  });

  test('with STOP opts out of every organization that texted from the shared number, and of no other', async () => {
    const phone = '+14155551212';
    const organize = () => fixture.createOrganization({ member: { notify_by: 'email' } });
    const [own, other, separate, moved] = [await organize(), await organize(), await organize(), await organize()];
    await organize();
    const account = { ...TWILIO, authToken: 'its own token' };
    // The fake carrier knows one account, so it is the organization's own until the text is sent.
    await fixture.useAccount(separate.tenant, TWILIO);
    for (const { tenant, memberId: member } of [own, other, separate, moved]) {
      await fixture.deliver({ tenant, member, phone });
    }
    expect(carrier.accepted).toHaveLength(4);
    for (const { tenant } of [separate, moved]) await fixture.useAccount(tenant, account);
    const optedOut = async () =>
      (
        await fixture.database.query<{ id: string }>(
          'select organization_id as id from opt_outs where phone = $1 order by 1',
          [phone],
        )
      ).map(({ id }) => id);
    await reply(phone, 'STOP');
    // Includes the organization that texted from the shared number and has its own account since.
    const idsOf = (...organizations: (typeof own)[]) => organizations.map(({ tenant }) => tenant.organizationId);
    expect(await optedOut()).toEqual(idsOf(own, other, moved).toSorted());
    const path = `${inbound}/${separate.tenant.organizationId}`;
    expect((await reply(phone, 'STOP', {}, path)).statusCode).toBe(403);
    expect((await call(path, { From: phone, Body: 'STOP' }, account.authToken)).statusCode).toBe(200);
    expect(await optedOut()).toContain(separate.tenant.organizationId);
  });

  test('with the words and pictures of a recipient stores them once, on any node, and gets no response', async () => {
    const { id, phone } = await sent();
    /** The fields of a picture message, as in Twilio's documentation. */
    const picture = (Body: string, MessageSid: string) => ({
      ...{
        MessageSid,
        SmsSid: MessageSid,
        SmsMessageSid: MessageSid,
        AccountSid: TWILIO.accountSid,
        From: phone,
        Body,
      },
      ...{ To: '+15005550100', NumMedia: '1', NumSegments: '1', SmsStatus: 'received', ApiVersion: '2010-04-01' },
      MediaContentType0: 'image/jpeg',
      MediaUrl0: `https://api.twilio.com/2010-04-01/Accounts/${TWILIO.accountSid}/Messages/${MessageSid}/Media/ME1`,
      ...{ FromCity: 'AUSTIN', FromState: 'TX', FromZip: '78701', FromCountry: 'US' },
    });
    const repeated = picture('', 'SM picture');
    const responses = await Promise.all([...nodes, app].map((node) => callAsTwilio(node, inbound, repeated)));
    for (const { statusCode, body } of responses) {
      expect([statusCode, body]).toEqual([200, expect.stringContaining('<Response></Response>')]);
    }
    const long = '👍'.repeat(1_600);
    expect((await call(inbound, picture(long, 'SM long'))).statusCode).toBe(200);
    const replies = await textingWith(fixture).replies(id);
    expect(replies.map(({ message }) => message)).toEqual(['[attachment]', `${long} [attachment]`]);
  });

  test('with the decline of a member is applied and answered once', async () => {
    const phone = '+13125554001';
    const { tenant, memberId: member } = await fixture.createOrganization({ member: { phone } });
    const id = await fixture.createIntro({ tenant, member });
    await fixture.tick();
    const decline = () => reply(phone, 'NO <sick> & away', { MessageSid: 'SM decline' });
    expect((await decline()).body).toContain('<Message>OK, you declined the video for Dana Reyes.');
    expect((await decline()).body).toContain('<Response></Response>');
    expect(await textingWith(fixture).declines(id)).toMatchObject([{ message: '<sick> & away' }]);
  });
});
