import { generateKeyPairSync } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteOldReceivedTexts } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import { startTwilioService, TWILIO } from './carrier-services.ts';
import { PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';
import { receivedOf, reportOf, webhookOf } from './telnyx-service.ts';
import { openWithProviders } from './with-providers.ts';

const other = await forFile(startTwilioService());
const fallback = { carrier: 'twilio', account: TWILIO } as const;
const fixture = await forFile(
  openWithProviders('2026-06-10T17:00:00Z', 'telnyx', { fallback, twilioApiUrl: other.url }),
);
await fixture.createOrganization({ member: { notify_by: 'email' } });
const { carrier } = fixture;
const [app, secondNode] = [serveCarrierRoutes(fixture), serveCarrierRoutes(fixture)];
beforeEach(() => {
  carrier.accepted.length = 0;
  other.accepted.length = 0;
  fixture.events.length = 0;
});
afterAll(() => expect(carrier.violations).toEqual([]));

async function call(url: string, webhook: ReturnType<typeof webhookOf>, node: FastifyInstance = app): Promise<number> {
  const response = await node.inject({ method: 'POST', url: url.replace(PUBLIC_URL, ''), ...webhook });
  return response.statusCode;
}

async function sent() {
  const id = await fixture.deliver();
  const taken = carrier.accepted.at(-1);
  if (taken === undefined) throw new Error('nothing was sent');
  const finalized = (status: string, code?: string) =>
    call(taken.statusUrl, webhookOf('message.finalized', reportOf(taken, status, code), fixture.now()));
  return { id, taken, finalized, row: () => fixture.textOf(id), phone: taken.to };
}

describe('a call from Telnyx', () => {
  let events = 0;
  const receive = (
    from: string,
    text: string,
    autoresponse: string | null = null,
    { id = `event ${events++}`, node = app } = {},
  ) => {
    const event = webhookOf('message.received', receivedOf(from, text, autoresponse), fixture.now(), { id });
    return call('/carriers/telnyx/inbound', event, node);
  };
  const isOptedOut = async (phone: string) =>
    (await fixture.database.query('select 1 from opt_outs where phone = $1', [phone])).length === 1;

  test('with "delivered" marks the text as delivered; a late or repeated event changes nothing', async () => {
    const { id, taken, finalized, row } = await sent();
    const inTransit = () => call(taken.statusUrl, webhookOf('message.sent', reportOf(taken, 'sent'), fixture.now()));
    expect(await inTransit()).toBe(204);
    expect(await row()).toMatchObject({ status: 'accepted' });
    expect(await finalized('delivered')).toBe(204);
    expect(await finalized('delivery_failed', '40008')).toBe(204);
    expect(await inTransit()).toBe(204);
    expect(await row()).toMatchObject({ status: 'delivered', settled_at: fixture.now() });
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  });

  test('with an error publishes one event, however often it arrives', async () => {
    const { id, finalized, row } = await sent();
    for (let i = 0; i < 3; i++) expect(await finalized('delivery_failed', '40001')).toBe(204);
    const error_message = expect.stringContaining('40001');
    expect(await row()).toMatchObject({ error_code: 'unreachable_number', error_message });
    expect(fixture.events.map(({ type }) => type)).toEqual(['intro.sent', 'intro.delivery_failed']);
    expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: 'unreachable_number' });
  });

  test('without a delivery receipt leaves the text accepted', async () => {
    const { finalized, row } = await sent();
    expect(await finalized('delivery_unconfirmed')).toBe(204);
    expect(await row()).toMatchObject({ status: 'accepted' });
  });

  test('that is forged, altered, old or for another message is rejected, and changes nothing', async () => {
    const { taken, row } = await sent();
    const another = await sent();
    const delivered = reportOf(taken, 'delivered');
    const { privateKey: key } = generateKeyPairSync('ed25519');
    const now = fixture.now();
    const valid = webhookOf('message.finalized', delivered, now);
    const old = webhookOf('message.finalized', delivered, new Date(now.getTime() - 301_000));
    const forged = webhookOf('message.finalized', delivered, now, { key });
    const altered = { ...valid, payload: valid.payload.replace('delivered', 'delivered ') };
    const garbage = { ...valid, headers: { ...valid.headers, 'telnyx-signature-ed25519': 'x' } };
    for (const bad of [old, forged, altered, garbage]) expect(await call(taken.statusUrl, bad)).toBe(403);
    expect(await call(another.taken.statusUrl, valid)).toBe(404);
    for (const one of [row, another.row]) expect(await one()).toMatchObject({ status: 'accepted' });
  });

  test('with STOP stops the texts of both carriers, and with START they continue', async () => {
    const { phone } = await sent();
    expect(await receive(phone, 'Stop', 'STOP')).toBe(204);
    expect(fixture.events).toContainEqual({ type: 'recipient.opted_out', subject: phone });
    const blocked = await fixture.deliver({ phone });
    expect(await fixture.intro(blocked)).toMatchObject({ delivery_error_code: 'recipient_opted_out' });
    // Telnyx has replied, and would block our reply.
    expect([carrier.accepted.length, other.accepted.length]).toEqual([1, 0]);
    expect(await receive(phone, 'START', 'START')).toBe(204);
    expect(await isOptedOut(phone)).toBe(false);
  });

  test('with a START that Telnyx repeats does not undo a later STOP, until the event is forgotten', async () => {
    const { phone } = await sent();
    const start = () => receive(phone, 'START', 'START', { id: 'a repeated start', node: secondNode });
    expect(await start()).toBe(204);
    expect(await receive(phone, 'STOP', 'STOP')).toBe(204);
    expect(await start()).toBe(204);
    expect(await isOptedOut(phone)).toBe(true);

    const isKnown = async () => (await fixture.database.query('select 1 from received_texts')).length > 0;
    const days = (n: number) => new Date(fixture.now().getTime() + n * 86_400_000);
    await deleteOldReceivedTexts(fixture.db.kysely, days(6.9));
    expect(await isKnown()).toBe(true);
    await deleteOldReceivedTexts(fixture.db.kysely, days(7.1));
    expect(await isKnown()).toBe(false);
  });

  test("with a STOP keyword of the profile that we do not know opts out, and keeps the sender's words", async () => {
    const { phone } = await sent();
    expect(await receive(phone, 'Enough!', 'STOP')).toBe(204);
    expect(await isOptedOut(phone)).toBe(true);
    const said = await fixture.database.query('select said from consents where phone = $1', [phone]);
    expect(said).toEqual([{ said: 'Enough!' }]);
  });

  test('with a Spanish STOP, which Telnyx does not know, opts out and gets a reply from the same number', async () => {
    const { phone } = await sent();
    expect(await receive(phone, 'PARAR')).toBe(204);
    expect(await isOptedOut(phone)).toBe(true);
    expect(carrier.accepted.slice(1)).toMatchObject([{ to: phone, statusUrl: '' }]);
  });

  test('with HELP gets one reply, even if Telnyx repeats the event; other words and a forged STOP get none', async () => {
    const { phone } = await sent();
    const nodes = [app, secondNode, app, secondNode];
    const replies = nodes.map((node) => receive(phone, 'Help!', null, { id: 'the same event', node }));
    expect(await Promise.all(replies)).toEqual([204, 204, 204, 204]);
    expect(await receive(phone, 'Help!', null, { id: 'the same event', node: secondNode })).toBe(204);
    expect(carrier.accepted.slice(1)).toMatchObject([{ to: phone, body: expect.stringContaining('Reply STOP') }]);
    expect(await receive(phone, 'Thanks!')).toBe(204);
    const { privateKey: key } = generateKeyPairSync('ed25519');
    const forged = webhookOf('message.received', receivedOf(phone, 'STOP'), fixture.now(), { key });
    expect(await call('/carriers/telnyx/inbound', forged)).toBe(403);
    expect(await isOptedOut(phone)).toBe(false);
    expect(carrier.accepted).toHaveLength(2);
  });

  test('with the words or a picture of a recipient stores a reply once, on any node, and sends nothing', async () => {
    const { id, phone } = await sent();
    const nodes = [app, secondNode, app];
    await Promise.all(nodes.map((node) => receive(phone, 'Thanks, Ana', null, { id: 'thanks', node })));
    const media = [
      { url: 'https://media.telnyx.example/1.jpg', content_type: 'image/jpeg', size: 102_400, sha256: null },
    ];
    const { text: _text, ...picture } = { ...receivedOf(phone, ''), type: 'MMS', media } as Record<string, unknown>;
    const event = webhookOf('message.received', picture, fixture.now(), { id: 'picture' });
    expect(await call('/carriers/telnyx/inbound', event)).toBe(204);
    const replies = await fixture.database.query(
      'select message from intro_replies where intro_id = $1 order by number',
      [id],
    );
    expect(replies).toEqual([{ message: 'Thanks, Ana' }, { message: '[attachment]' }]);
    expect(carrier.accepted).toHaveLength(1);
  });

  test('of another kind at the address for replies is confirmed, and changes nothing', async () => {
    const { taken, row } = await sent();
    const event = webhookOf('message.finalized', reportOf(taken, 'delivered'), fixture.now());
    expect(await call('/carriers/telnyx/inbound', event)).toBe(204);
    expect(await row()).toMatchObject({ status: 'accepted' });
  });
});
