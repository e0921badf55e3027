import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../src/platform/standard-webhooks.ts';
import { forFile } from '../harness/index.ts';
import { HTTP_SECRET } from './carrier-services.ts';
import { PUBLIC_URL, serveCarrierRoutes } from './delivery-fixture.ts';
import { textingWith } from './texting.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z'));
await fixture.createOrganization({ member: { notify_by: 'email' } });
const app = serveCarrierRoutes(fixture);

const call = (url: string, body: object, at = fixture.now(), secret = HTTP_SECRET) => {
  const payload = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...signatureHeaders({ id: 'call_1', payload }, [secret], at) };
  return app.inject({ method: 'POST', url: url.replace(PUBLIC_URL, ''), headers, payload });
};

describe("a call from the operator's own carrier", () => {
  test('with a status updates the text, unless it is old, forged or broken', async () => {
    const id = await fixture.deliver();
    const { statusUrl = '', sid = '' } = fixture.carrier.accepted.at(-1) ?? {};
    const row = () => fixture.textOf(id);
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
    const phone = fixture.carrier.accepted.at(-1)?.to ?? '';
    const { reply } = (await call('/carriers/http/inbound', { from: phone, body: 'Stop' })).json() as { reply: string };
    expect(reply).toContain('Reply START');
    expect(await fixture.database.query('select source from opt_outs where phone = $1', [phone])).toEqual([
      { source: 'text' },
    ]);
    expect((await call('/carriers/http/inbound', { from: phone })).statusCode).toBe(400);
    expect((await call('/carriers/http/inbound', { from: phone, body: 'hello' })).json()).toEqual({ reply: null });
  });

  test.each([[{ id: 'in_9' }], [{}]])('that is replayed never undoes a later STOP (%j)', async (more) => {
    const phone = 'id' in more ? '+14155557009' : '+14155557010';
    const { tenant, memberId: member } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await fixture.deliver({ tenant, member, phone });
    const start = () => call('/carriers/http/inbound', { from: phone, body: 'START', ...more });
    await call('/carriers/http/inbound', { from: phone, body: 'STOP' });
    await start();
    await call('/carriers/http/inbound', { from: phone, body: 'Stop texting me' });
    expect((await start()).json()).toEqual({ reply: null });
    const optOuts = await fixture.database.query('select source from opt_outs where phone = $1', [phone]);
    expect(optOuts).toEqual([{ source: 'text' }]);
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
    expect(await textingWith(fixture).declines(id)).toHaveLength(1);
    const other = await fixture.deliver({ tenant, member: memberId, phone });
    for (const more of [{ id: 'in_2' }, { id: 'in_2' }, { id: 'in_3', media: 2 }, { id: 7, media: 'x' }]) {
      expect(await inbound({ from: phone, body: 'My roof', ...more })).toEqual({ reply: null });
    }
    const replies = await textingWith(fixture).replies(other);
    expect(replies.map(({ message }) => message)).toEqual(['My roof', 'My roof [attachment]', 'My roof']);
  });
});
