import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signStandard } from '../../src/delivery/carriers/signatures.ts';
import { type CarrierService, HTTP_SECRET, startHttpService } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery, PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';

describe("a call from the operator's own carrier", () => {
  let fixture: DeliveryFixture;
  let service: CarrierService;
  let app: FastifyInstance;
  beforeAll(async () => {
    service = await startHttpService(false);
    const address = { url: service.url, secret: HTTP_SECRET };
    fixture = await openDelivery(NOON, { ...LOG_ONLY, text: { carrier: 'http', address } });
    await fixture.createOrganization({ member: { notify_by: 'email' } });
    app = serveCarrierRoutes(fixture);
  });
  afterAll(async () => {
    await app.close();
    await fixture.close();
    await service.close();
  });

  const call = (url: string, body: object, at = fixture.now(), secret = HTTP_SECRET) => {
    const payload = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', ...signStandard(secret, 'call_1', payload, at) };
    return app.inject({ method: 'POST', url: url.replace(PUBLIC_URL, ''), headers, payload });
  };

  test('with a status updates the text, unless it is old, forged or broken', async () => {
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    await fixture.tick();
    const { statusUrl = '', sid = '' } = service.accepted.at(-1) ?? {};
    const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
    const delivered = { id: sid, status: 'delivered' };
    const old = new Date(fixture.now().getTime() - 301_000);
    expect((await call(statusUrl, delivered, old)).statusCode).toBe(403);
    expect(
      (await call(statusUrl, delivered, fixture.now(), `whsec_${Buffer.alloc(32).toString('base64')}`)).statusCode,
    ).toBe(403);
    expect((await call(statusUrl, { ...delivered, id: 'another' })).statusCode).toBe(404);
    expect((await call(statusUrl, { status: 'whatever' })).statusCode).toBe(204);
    expect(await row()).toMatchObject({ status: 'accepted' });
    expect((await call(statusUrl, delivered)).statusCode).toBe(204);
    expect(await row()).toMatchObject({ status: 'delivered' });
  });

  test('with a reply returns the text that the carrier should send back', async () => {
    const phone = service.accepted.at(-1)?.to ?? '';
    const { reply } = (await call('/carriers/http/inbound', { from: phone, body: 'Stop' })).json() as { reply: string };
    expect(reply).toContain('Reply START');
    expect(await fixture.database.query('select source from opt_outs where phone = $1', [phone])).toEqual([
      { source: 'text' },
    ]);
    expect((await call('/carriers/http/inbound', { from: phone })).statusCode).toBe(400);
    expect((await call('/carriers/http/inbound', { from: phone, body: 'hello' })).json()).toEqual({ reply: null });
  });

  test('with the words of a recipient stores a reply, and with those of a member responds once for each id', async () => {
    const member = '+13125554003';
    const { tenant, memberId } = await fixture.createOrganization({ member: { phone: member } });
    const [id, phone] = [await fixture.createIntro({ tenant, member: memberId }), '+14155557003'];
    await fixture.tick();
    const inbound = async (body: object) =>
      (await call('/carriers/http/inbound', body)).json() as { reply: string | null };
    const decline = { from: member, body: 'NO', id: 'in_1' };
    expect((await inbound(decline)).reply).toContain('you declined the video');
    expect(await inbound(decline)).toEqual({ reply: null });
    expect(await fixture.database.query('select 1 from intro_declines where intro_id = $1', [id])).toHaveLength(1);
    const other = await fixture.createIntro({ tenant, member: memberId, phone });
    await fixture.tick();
    await fixture.record(other);
    await fixture.tick();
    for (const more of [{ id: 'in_2' }, { id: 'in_2' }, { id: 'in_3', media: 2 }, { id: 7, media: 'x' }]) {
      expect(await inbound({ from: phone, body: 'My roof', ...more })).toEqual({ reply: null });
    }
    const replies = await fixture.database.query(
      'select message from intro_replies where intro_id = $1 order by number',
      [other],
    );
    expect(replies.map(({ message }) => message)).toEqual(['My roof', 'My roof [attachment]', 'My roof']);
  });
});
