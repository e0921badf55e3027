import { describe, expect, test } from 'vitest';
import { anEvent, createIntro, expectError, sendEvent, settled } from '../acceptance/support/actions.ts';
import { openService, type ServiceFixture } from '../acceptance/support/service.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { completeErasure, findTraces, notationsOf } from './traces.ts';

const receiver = await forFile(startReceiver((response, { body }) => response.writeHead(200).end(`echo ${body}`)));
const fixture = await forFile(openService());

const { stringify } = JSON;
const query: ServiceFixture['database']['query'] = (text, values) => fixture.database.query(text, values);
const erase = (phone: string, options: { key?: string } = {}) =>
  fixture.api.post('/v1/recipients/erase', { phone }, options);
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;

// No other test has this number, because their rows may be in the same database.
const PERSON = { first_name: 'Wilhelmina', last_name: 'Oberschmidt', phone: '+14155559731' };
const DIRECT = {
  member: { external_id: 'rep_17' },
  recipient: PERSON,
  reference: { source: 'crm', type: 'deal', id: 'deal_77' },
  context: { title: 'Hello Wilhelmina' },
};
const NAMES = ['wilhelmina', 'oberschmidt'];

describe('erasing a recipient', () => {
  test('leaves no name, number or token in any table, and keeps ids, references, states and counts', async () => {
    const { api } = fixture;
    const endpoint = await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
    const event = await sendEvent(api, { recipient: PERSON, metadata: { note: 'Wilhelmina prefers mornings' } });
    const introOfEvent = (await settled(api, event.id)).intro;
    const { body: direct } = await api.post('/v1/intros', DIRECT, { key: 'direct:1' });
    const sent = await createIntro(api, { recipient: PERSON });
    await query(
      "update intros set status = 'sent', sent_at = now(), delivery_error_code = 'carrier_refused', delivery_error_message = 'no route to +14155559731' where id = $1",
      [sent.id],
    );
    const text = { type: 'message', message: 'Wilhelmina here: is 5559731 a good number?' };
    expect((await api.post(`/v1/test_helpers/intros/${sent.id}/reply`, text)).body.reply).toMatchObject(text);
    await query(
      `insert into intro_answers (organization_id, environment, intro_id, number, member_id, message, created_at)
       select organization_id, environment, id, 1, member_id, 'Yes, Wilhelmina', now() from intros where id = $1`,
      [sent.id],
    );
    await query(
      `insert into flagged_numbers (organization_id, environment, phone, failure, flagged_at)
       select organization_id, environment, recipient_phone, 'unreachable_number', now() from intros where id = $1`,
      [sent.id],
    );
    await api.post(`/v1/test_helpers/intros/${direct.id}/opt_out`);
    await api.post('/v1/intros', { recipient: { ...PERSON, phone: '(415) 555-9731' } });
    await api.post('/v1/intros', { recipient: PERSON, unknown: 'field' });
    const rejected = "select count(*)::int as n from request_log where status = 422 and body like '%Wilhelmina%'";
    await expect.poll(async () => (await query<{ n: number }>(rejected))[0]?.n).toBe(2);
    await expect
      .poll(() => receiver.received.filter(({ body }) => body.includes('Wilhelmina')).length)
      .toBeGreaterThan(2);
    expect((await findTraces(query, NAMES)).length).toBeGreaterThan(5);

    const { status, body } = await erase(PERSON.phone, { key: 'erase:1' });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      object: 'recipient_erasure',
      status: 'processing',
      opt_out_kept: true,
      completed_at: null,
    });
    expect(body.intros).toEqual([sent.id, direct.id, introOfEvent]);
    await completeErasure(query, body.id);

    const traces = await findTraces(query, [...NAMES, ...notationsOf(PERSON.phone)]);
    expect(traces).toEqual([]);
    const { body: receipt } = await api.get(`/v1/recipients/erasures/${body.id}`);
    expect(receipt).toMatchObject({ status: 'completed', removed: { intros: 3, events: 1, stored_responses: 4 } });
    expect(receipt.removed.webhooks).toBeGreaterThan(2);
    expect(receipt.removed.logged_requests).toBeGreaterThan(2);
    const erased = {
      recipient: { first_name: 'Erased', last_name: null, phone: '' },
      context: null,
      instructions: null,
      metadata: {},
      erased_at: body.created_at,
    };
    expect(await retrieve(direct.id)).toMatchObject({ ...erased, status: 'cancelled', reference: { id: 'deal_77' } });
    expect(await retrieve(sent.id)).toMatchObject({ ...erased, status: 'sent', taken_down_at: body.created_at });
    expect((await api.get(`/v1/events/${event.id}`)).body).toMatchObject({ status: 'processed', metadata: {} });
    const webhooks = await api.get(`/v1/webhook_endpoints/${endpoint.body.id}/messages?limit=100`);
    expect(stringify(webhooks.body)).not.toMatch(/wilhelmina|5559731/i);
    await expect.poll(() => receiver.received.some(({ body: text }) => text.includes('recipient.erased'))).toBe(true);
    const announced = receiver.received.find(({ body: text }) => text.includes('recipient.erased'));
    expect(JSON.parse(announced?.body ?? '{}')).toMatchObject({ data: { id: body.id, intros: receipt.intros } });
    expect(announced?.body).not.toContain('5559731');

    // A replay creates no second object, and returns the erased one.
    const replay = await api.post('/v1/intros', DIRECT, { key: 'direct:1' });
    expect(replay).toMatchObject({ status: 201, body: { id: direct.id, recipient: erased.recipient } });
    expect((await erase(PERSON.phone, { key: 'erase:1' })).body).toEqual(body);
    // Data that is accepted later is new, and the recipient stays opted out.
    const again = await createIntro(api, { recipient: PERSON });
    expect(again).toMatchObject({ recipient_opted_out: true, recipient: { first_name: 'Wilhelmina' } });
  });

  test('leaves no hash from which a corrected number can be guessed', async () => {
    const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Uma', phone: '+14155559741' } });
    const [path, phone, key] = [`/v1/intros/${id}/correct_phone`, '+14155559742', 'crm:deal_78:correct_phone'];
    const send = () => fixture.api.post(path, { phone }, { key });
    expect((await send()).status).toBe(200);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    const guess = `POST ${path}\n{"phone":"${phone}"}`;
    expect(await query('select key_hash from idempotency_keys where fingerprint = sha256($1)', [guess])).toEqual([]);
  });

  test('leaves nothing in webhooks and logged requests about a number without intros', async () => {
    const { api } = fixture;
    const recipient = { first_name: 'Ermintrude', phone: '+14155559747' };
    const endpoint = await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
    const change = { phone: recipient.phone, reason: 'Ermintrude, on the phone' };
    expect((await api.post('/v1/recipients/opt_out', change)).status).toBe(200);
    expect((await api.post('/v1/recipients/opt_in', change)).status).toBe(200);
    expect((await api.post('/v1/dry_run', anEvent({ recipient }))).status).toBe(200);
    const logged = "select count(*)::int as n from request_log where path in ('/v1/recipients/opt_in', '/v1/dry_run')";
    await expect.poll(async () => (await query<{ n: number }>(logged))[0]?.n).toBeGreaterThan(1);
    const webhooks = async () =>
      stringify((await api.get(`/v1/webhook_endpoints/${endpoint.body.id}/messages?limit=100`)).body);
    expect(await webhooks()).toMatch(/recipient\.opted_in.*5559747|5559747.*recipient\.opted_in/);
    const { body } = await erase(recipient.phone);
    await completeErasure(query, body.id);
    expect(await findTraces(query, ['ermintrude', ...notationsOf(recipient.phone)])).toEqual([]);
    expect(await webhooks()).not.toContain('5559747');
  });

  test('leaves other numbers, and the same number in another organization', async () => {
    const other = await fixture.newOrganization();
    const phone = '+14155550143';
    const elsewhere = await createIntro(other.api, { recipient: { first_name: 'Quentin', phone } });
    const neighbor = await createIntro(fixture.api, { recipient: { first_name: 'Rosalind', phone: '+14155550144' } });
    const { body } = await erase(phone);
    await completeErasure(query, body.id);
    expect(body).toMatchObject({ intros: [], opt_out_kept: false });
    expect((await other.api.get(`/v1/intros/${elsewhere.id}`)).body).toMatchObject({
      recipient: { first_name: 'Quentin' },
    });
    expect(await retrieve(neighbor.id)).toMatchObject({ erased_at: null, recipient: { first_name: 'Rosalind' } });
    expectError(await other.api.get(`/v1/recipients/erasures/${body.id}`), 404, 'not_found');
  });

  test('keeps an opt-out as a hash, which fails a later event for the number', async () => {
    const recipient = { first_name: 'Sybil', phone: '+14155550145' };
    const intro = await createIntro(fixture.api, { recipient });
    await fixture.api.post(`/v1/test_helpers/intros/${intro.id}/opt_out`);
    const { body } = await erase(recipient.phone);
    await completeErasure(query, body.id);
    expect(await findTraces(query, ['sybil', ...notationsOf(recipient.phone)])).toEqual([]);
    const refused = await fixture.api.post('/v1/intros', { ...DIRECT, member: { external_id: 'rep_none' }, recipient });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'member_not_found']);
    expect(await query('select phone from opt_outs where phone = $1', [recipient.phone])).toEqual([]);
    await query("update touchpoints set delivery = 'service' where organization_id = $1", [fixture.organization.id]);
    const dryRun = await fixture.api.post('/v1/dry_run', anEvent({ recipient }));
    expect(dryRun.body).toMatchObject({ status: 'failed', error: { code: 'recipient_opted_out' } });
    expect(await query('select phone from opt_outs where phone = $1', [recipient.phone])).toEqual([]);
    const event = await sendEvent(fixture.api, { recipient });
    expect(await settled(fixture.api, event.id)).toMatchObject({
      status: 'failed',
      error: { code: 'recipient_opted_out' },
    });
  });

  test('applies the opt-out to an intro that is created at the same moment', async () => {
    const recipient = { first_name: 'Philippa', phone: '+14155550148' };
    const first = await createIntro(fixture.api, { recipient });
    await fixture.api.post(`/v1/test_helpers/intros/${first.id}/opt_out`);
    const count = async (rows: string) => (await query<{ n: number }>(`select count(*)::int as n from ${rows}`))[0]?.n;
    // The worker that sends the member's text would wait, too.
    const due = `messages where intro_id = '${first.id}' and status in ('scheduled', 'sending') and due_at <= now()`;
    await expect.poll(() => count(due)).toBe(0);
    const waiting = () => count("pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    await query('begin');
    await query('select from intros where id = $1 for update', [first.id]);
    const erasing = erase(recipient.phone);
    await expect.poll(waiting).toBe(1);
    const creating = createIntro(fixture.api, { recipient });
    await expect.poll(waiting).toBe(2);
    await query('commit');
    const [{ body: erasure }, second] = await Promise.all([erasing, creating]);
    expect(erasure.intros).toEqual([first.id]);
    expect(await retrieve(second.id)).toMatchObject({ erased_at: null, recipient_opted_out: true, recipient });
    expect(await query('select phone from opt_outs where phone = $1', [recipient.phone])).toEqual([
      { phone: recipient.phone },
    ]);
  });

  test('leaves nothing of a number that was corrected, and keeps the intros with the right one', async () => {
    const { api } = fixture;
    const endpoint = await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
    const [wrong, right] = ['+14155559751', '+14155559752'];
    const recipient = { first_name: 'Gwendolyn', phone: wrong };
    const ofEvent = (await settled(api, (await sendEvent(api, { recipient })).id)).intro;
    const direct = await createIntro(api, { recipient });
    await query(
      "update intros set status = 'ready', delivery_error_code = 'carrier_refused', delivery_error_message = $2 where id = $1",
      [direct.id, `no route to ${wrong}`],
    );
    await query(
      `insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, channel, due_at, address, status,
         body, error_message, created_at, accepted_at, settled_at)
       select organization_id, environment, 'msg_to_the_wrong_number', id, 'recipient', 'deliver', 9, 'text', now(), $2, 'undelivered',
         'Hi', $3, now(), now(), now() from intros where id = $1`,
      [direct.id, wrong, `no route to ${wrong}`],
    );
    const echoed = () => receiver.received.filter(({ body }) => body.includes(wrong));
    await expect.poll(() => echoed().length).toBeGreaterThan(1);
    expect((await api.post(`/v1/intros/${direct.id}/correct_phone`, { phone: right })).status).toBe(200);
    expect((await api.post(`/v1/intros/${ofEvent}/correct_phone`, { phone: right })).body.error?.field).toBe('phone');

    const { body } = await erase(wrong);
    await completeErasure(query, body.id);
    expect(body.intros).toEqual([]);
    expect(await findTraces(query, notationsOf(wrong))).toEqual([]);
    expect(stringify((await api.get(`/v1/webhook_endpoints/${endpoint.body.id}/messages?limit=100`)).body)).not.toMatch(
      /5559751/,
    );
    for (const id of [ofEvent, direct.id])
      expect(await retrieve(id)).toMatchObject({
        erased_at: null,
        recipient: { first_name: 'Gwendolyn', phone: right },
      });
  });

  test('keeps an opt-out, which applies to an intro whose number is corrected', async () => {
    const recipient = { first_name: 'Sybil', phone: '+14155559761' };
    const first = await createIntro(fixture.api, { recipient });
    await fixture.api.post(`/v1/test_helpers/intros/${first.id}/opt_out`);
    await completeErasure(query, (await erase(recipient.phone)).body.id);
    const mistyped = { recipient: { ...recipient, phone: '+14155559762' }, delivery: { responsibility: 'service' } };
    const { id } = await createIntro(fixture.api, mistyped);
    const corrected = await fixture.api.post(`/v1/intros/${id}/correct_phone`, { phone: recipient.phone });
    expect(corrected).toMatchObject({ status: 200, body: { recipient_opted_out: true } });
  });

  test('keeps an opt-out by text, which only the person can undo', async () => {
    const { api } = fixture;
    const recipient = { first_name: 'Sybil', phone: '+14155559763' };
    const intro = await createIntro(api, { recipient });
    await api.post(`/v1/test_helpers/intros/${intro.id}/opt_out`);
    await completeErasure(query, (await erase(recipient.phone)).body.id);
    const optIn = () => api.post('/v1/recipients/opt_in', { phone: recipient.phone });
    expectError(await optIn(), 422, 'recipient_opted_out');
    expect((await api.post('/v1/recipients/opt_out', { phone: recipient.phone })).status).toBe(200);
    expectError(await optIn(), 422, 'recipient_opted_out');
    await completeErasure(query, (await erase(recipient.phone)).body.id);
    expectError(await optIn(), 422, 'recipient_opted_out');
    await api.post('/v1/recipients/opt_out', { phone: recipient.phone });
    expect((await createIntro(api, { recipient })).recipient_opted_out).toBe(true);
    expectError(await optIn(), 422, 'recipient_opted_out');
  });

  test.each([
    ['deactivation of their member', 'cancel'],
    ['correction of their number', null],
  ])('and a %s at the same moment wait for each other', async (_name, open_intros) => {
    const { api } = fixture;
    for (let round = 0; round < 3; round++) {
      const phone = `+1415555977${round}`;
      const bo = {
        external_id: `bo_${open_intros}_${round}`,
        first_name: 'Bo',
        last_name: 'Lee',
        email: 'b@acme.example',
      };
      const { id } = (await api.post('/v1/members', bo)).body;
      const intro = { member: { id }, recipient: { first_name: 'Ottoline', phone } };
      const intros: string[] = [];
      for (let n = 0; n < 5; n++) intros.push((await createIntro(api, intro)).id);
      const [changed, erased] = await Promise.all([
        open_intros === null
          ? api.post(`/v1/intros/${intros[3]}/correct_phone`, { phone: '+14155559779' })
          : api.post(`/v1/members/${id}/deactivate`, { open_intros }),
        erase(phone),
      ]);
      // 409: the intro was erased first.
      expect([200, 409]).toContain(changed.status);
      expect(erased.status).toBe(202);
    }
  });

  test('answers 410 at the links of the member and the recipient', async () => {
    const recipient = { first_name: 'Thaddeus', phone: '+14155550146' };
    const intro = await createIntro(fixture.api, { recipient });
    const link = await fixture.run('intro', 'link', intro.id);
    const url = fixture.service.url + new URL(link.url).pathname;
    await erase(recipient.phone);
    const page = await fetch(url);
    expect(page.status).toBe(410);
    const html = await page.text();
    expect(html).toContain('Acme Roofing');
    expect(html).not.toContain('Thaddeus');
    const state = await fetch(`${url}/state`);
    expect([state.status, await state.json()]).toEqual([410, { closed: 'cancelled' }]);
  });

  test.each([{}, { phone: '555' }, { phone: '+14155550147', name: 'Uma' }])(
    'rejects %o, and stores nothing',
    async (body) => {
      const count = 'select count(*)::int as n from recipient_erasures';
      const before = await query(count);
      const reply = await fixture.api.post('/v1/recipients/erase', body);
      expect([reply.status, reply.body.error.code]).toEqual([422, 'validation_failed']);
      expect(await query(count)).toEqual(before);
    },
  );
});
