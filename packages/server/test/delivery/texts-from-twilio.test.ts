import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { twilioSignature } from '../../src/delivery/carriers/signatures.ts';
import { type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery, PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';
import { textingWith } from './texting.ts';

let fixture: DeliveryFixture;
let service: CarrierService;
let app: FastifyInstance;
beforeAll(async () => {
  service = await startTwilioService();
  const text = { carrier: 'twilio', account: TWILIO } as const;
  fixture = await openDelivery('2026-06-10T17:00:00Z', { ...LOG_ONLY, text, twilioApiUrl: service.url });
  app = serveCarrierRoutes(fixture);
});
afterAll(async () => {
  await app.close();
  await fixture.close();
  await service.close();
});

/** A signed call with the fields of a text. */
function call(fields: Record<string, string>, node = app) {
  const url = '/carriers/twilio/inbound';
  const form = new URLSearchParams(fields);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': twilioSignature(TWILIO.authToken, PUBLIC_URL + url, form),
  };
  return node.inject({ method: 'POST', url, headers, payload: form.toString() });
}

/** The fields of a picture message, as in Twilio's documentation. */
const picture = (From: string, Body: string, MessageSid: string) => ({
  ...{ MessageSid, SmsSid: MessageSid, SmsMessageSid: MessageSid, AccountSid: TWILIO.accountSid, From, Body },
  ...{ To: '+15005550100', NumMedia: '1', NumSegments: '1', SmsStatus: 'received', ApiVersion: '2010-04-01' },
  MediaContentType0: 'image/jpeg',
  MediaUrl0: `https://api.twilio.com/2010-04-01/Accounts/${TWILIO.accountSid}/Messages/${MessageSid}/Media/ME1`,
  ...{ FromCity: 'AUSTIN', FromState: 'TX', FromZip: '78701', FromCountry: 'US' },
});

test('the words and pictures of a recipient are stored once, on any node, and get no response', async () => {
  const phone = '+14155554001';
  const { tenant, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } });
  const { deliver, replies } = textingWith(fixture);
  const id = await deliver({ tenant, memberId, phone: '' }, { phone });
  const second = serveCarrierRoutes(fixture);
  const form = picture(phone, '', 'SM picture');
  const responses = await Promise.all([call(form), call(form), call(form, second)]);
  await second.close();
  for (const { statusCode, body } of responses) {
    expect([statusCode, body]).toEqual([200, expect.stringContaining('<Response></Response>')]);
  }
  const long = '👍'.repeat(1_600);
  expect((await call(picture(phone, long, 'SM long'))).statusCode).toBe(200);
  expect((await replies(id)).map(({ message }) => message)).toEqual(['[attachment]', `${long} [attachment]`]);
});

test('the decline of a member is applied and answered once', async () => {
  const phone = '+13125554001';
  const { tenant, memberId: member } = await fixture.createOrganization({ member: { phone } });
  const id = await fixture.createIntro({ tenant, member });
  await fixture.tick();
  const fields = { From: phone, To: '+15005550100', Body: 'NO <sick> & away', NumMedia: '0', MessageSid: 'SM decline' };
  const responses = [await call(fields), await call(fields)].map(({ body }) => body);
  expect(responses[0]).toContain('<Message>OK, you declined the video for Dana Reyes.');
  expect(responses[1]).toContain('<Response></Response>');
  expect(await fixture.database.query('select message from intro_declines where intro_id = $1', [id])).toEqual([
    { message: '<sick> & away' },
  ]);
});
