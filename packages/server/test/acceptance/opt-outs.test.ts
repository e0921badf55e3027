import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { anEvent, anIntro, createIntro, expectError, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver());
const { api } = fixture.organization;
const other = await fixture.newOrganization({ name: 'Other' });

let last = 500;
const newPhone = (): string => `+1415555${String(++last).padStart(4, '0')}`;
const optOut = (phone: string, reason?: string, by = api) => by.post('/v1/recipients/opt_out', { phone, reason });
const optIn = (phone: string, by = api) => by.post('/v1/recipients/opt_in', { phone, reason: 'Asked by email' });
const listed = async (phone: string, by = api) =>
  (await by.get(`/v1/recipients/opt_outs?phone=${encodeURIComponent(phone)}`)).body.data;
const forService = (phone: string) =>
  anIntro({ recipient: { first_name: 'Dana', phone }, delivery: { responsibility: 'service' } });

describe('an opt-out that came by phone or email', () => {
  test('is recorded once, listed with its source, and undone the same way', async () => {
    const phone = newPhone();
    const first = await optOut(phone, 'Dana, on the phone');
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ object: 'opt_out', phone, source: 'api', reason: 'Dana, on the phone' }),
    ]);
    expect((await optOut(phone)).body).toEqual(first.body);
    expect(await listed(phone)).toEqual([first.body]);
    expect(await listed(phone, other.api)).toEqual([]);
    const { status, body } = await optIn(phone);
    expect([status, body]).toEqual([200, expect.objectContaining({ phone, opted_in_at: expect.any(String) })]);
    expect(await listed(phone)).toEqual([]);
    expect((await optIn(phone)).body).toMatchObject({ phone, opted_in_at: null });
  });

  test('is repeated with the same response, and without the number in the database', async () => {
    const phone = newPhone();
    const key = 'crm:contact_1:opt_out';
    const send = () => api.post('/v1/recipients/opt_out', { phone, reason: 'By email' }, { key });
    const first = await send();
    await optIn(phone);
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await listed(phone)).toEqual([]);
    const [stored] = await fixture.database.sql<{ response: string }>`select response::text from idempotency_keys
      where key_hash = substr(sha256(${key}), 1, 16)`;
    expect(stored?.response).not.toContain(phone);
    expectError(await api.post('/v1/recipients/opt_out', { phone: newPhone() }, { key }), 409, 'idempotency_conflict');
    const optedOut = newPhone();
    await optOut(optedOut, 'The first reason');
    const sendLater = () =>
      api.post('/v1/recipients/opt_out', { phone: optedOut, reason: 'Another' }, { key: `${key}:2` });
    const later = await sendLater();
    expect([later.body.reason, (await sendLater()).body]).toEqual(['The first reason', later.body]);
  });

  test('by text is undone only by the recipient', async () => {
    const phone = '+15005550177';
    const { id } = await createIntro(api, { recipient: { first_name: 'Dana', phone } });
    await api.post(`/v1/test_helpers/intros/${id}/opt_out`);
    expectError(await optIn(phone), 422, 'recipient_opted_out');
    expect(await listed(phone)).toMatchObject([{ source: 'text' }]);
    expect((await api.post(`/v1/test_helpers/intros/${id}/opt_in`)).status).toBe(200);
    expect(await listed(phone)).toEqual([]);
    const steps = (await api.get(`/v1/intros/${id}/timeline`)).body.data as { type: string; detail: object }[];
    expect(steps.filter(({ type }) => type.startsWith('opted_'))).toMatchObject([
      { type: 'opted_out', cause: 'recipient', detail: { source: 'text' } },
      { type: 'opted_in', cause: 'recipient', detail: { source: 'text' } },
    ]);
  });

  test('is listed in pages, newest first', async () => {
    const phones = [newPhone(), newPhone(), newPhone()];
    for (const phone of phones) await optOut(phone, undefined, other.api);
    const first = (await other.api.get('/v1/recipients/opt_outs?limit=2')).body;
    expect([first.data.map(({ phone }: { phone: string }) => phone), first.has_more]).toEqual([
      phones.toReversed().slice(0, 2),
      true,
    ]);
    const next = (await other.api.get(`/v1/recipients/opt_outs?starting_after=${first.data[1].id}`)).body;
    expect(next.data).toMatchObject([{ phone: phones[0] }]);
    await optIn(first.data[1].phone, other.api);
    const after = (by = api) => by.get(`/v1/recipients/opt_outs?starting_after=${first.data[1].id}`);
    expect((await after(other.api)).body).toEqual(next);
    expectError(await after(), 422, 'validation_failed', 'starting_after');
  });

  test('is sent to webhooks in both directions, and is in the audit log with its source', async () => {
    await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['recipient.*'] });
    const phone = newPhone();
    await optOut(phone);
    await optIn(phone);
    const sent = () =>
      receiver.received
        .map(({ body }) => JSON.parse(String(body)) as { type: string; data: { phone: string; source: string } })
        .filter(({ data }) => data.phone === phone);
    await expect.poll(sent).toHaveLength(2);
    expect(sent().map(({ type, data }) => [type, data.source])).toEqual(
      expect.arrayContaining([
        ['recipient.opted_out', 'api'],
        ['recipient.opted_in', 'api'],
      ]),
    );
    const entries = await fixture.database.sql`select action, reason, actor_type from audit_entries
      where organization_id = ${fixture.organization.id} and action like 'consent.%' order by at desc limit 2`;
    expect(entries).toEqual([
      { action: 'consent.restored', reason: 'api', actor_type: 'key' },
      { action: 'consent.withdrawn', reason: 'api', actor_type: 'key' },
    ]);
  });
});

test('a number with the zero of calls inside its country is the same number', async () => {
  await optOut('+8109076510000');
  const { status, body } = await api.post('/v1/intros', forService('+819076510000'));
  expect([status, body.recipient_opted_out]).toEqual([201, true]);
  expect((await api.post('/v1/intros', forService('+8109076510000'))).body.recipient_opted_out).toBe(true);
  expect(await listed('+8109076510000')).toHaveLength(1);
  const event = anEvent({ recipient: { first_name: 'Dana', phone: '+8109076510000' } });
  const { id } = await sendEvent(api, event);
  const found = await settled(api, id);
  if (found.status === 'processed')
    expect((await api.get(`/v1/intros/${found.intro}`)).body.recipient_opted_out).toBe(true);
});

test('a direct intro to a number that opted out says so at once, and its member is not asked to record', async () => {
  const phone = newPhone();
  await optOut(phone);
  const { status, body, headers } = await api.post('/v1/intros', forService(phone));
  expect([status, body.status, body.delivery.reason]).toEqual([201, 'requested', 'recipient_opted_out']);
  expect(headers.get('foreword-hint')).toContain('opted out');
  expect((await api.get(`/v1/intros/${body.id}`)).body.delivery.reason).toBe('recipient_opted_out');
  const messages = () => fixture.database.sql`select status, error_code from all_messages where intro_id = ${body.id}`;
  await expect.poll(messages).toEqual([{ status: 'dropped', error_code: 'recipient_opted_out' }]);
  const integration = await api.post('/v1/intros', anIntro({ recipient: { first_name: 'Dana', phone } }));
  expect([integration.body.delivery.reason, integration.headers.get('foreword-hint')]).toEqual([null, null]);
});
