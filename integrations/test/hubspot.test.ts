import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { forFile, freePort } from '../../packages/server/test/harness/index.ts';
import { verifySignature } from '../hubspot/signature.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { runBlock } from './doc-block.ts';
import { openRecipe, readFixture } from './fixture.ts';
import { startRecipe } from './recipe-process.ts';

const TOKEN = 'pat-na1-11111111-2222-3333-4444-555555555555';
const SECRET = 'cfc68c0b-4b4e-4ef8-b764-95350e4ea479';
const PUBLIC_URL = 'https://recipe.example.com';

/** The account's records, beyond the fixtures. */
const account = {
  properties: new Map<string, Record<string, string | null>>(),
  deleted: new Set<string>(),
  phones: new Map<string, string | null>(),
  writes: [] as string[],
  notes: [] as { deal: string; body: string }[],
};

const OBJECTS = '/crm/objects/2026-03';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function readDeal(id: string, query: URLSearchParams) {
  if (account.deleted.has(id)) return { status: 404, json: { status: 'error', category: 'OBJECT_NOT_FOUND' } };
  const deal = readFixture('hubspot', 'deal');
  const known = { ...deal.properties, ...account.properties.get(id) };
  const asked = (query.get('properties') ?? '').split(',').filter((name) => name !== '');
  const properties = Object.fromEntries(asked.map((name) => [name, known[name] ?? null]));
  const notes = account.notes.flatMap(({ deal: of }, index) =>
    of === id ? [{ id: String(index), type: 'deal_to_note' }] : [],
  );
  const associations =
    query.get('associations') === 'notes'
      ? { notes: { results: notes } }
      : { contacts: { results: [{ id, type: 'deal_to_contact' }] } };
  return { json: { ...deal, id, properties, ...(query.has('associations') && { associations }) } };
}

const routes: CrmRoute[] = [
  {
    method: 'GET',
    path: new RegExp(`^${OBJECTS}/deals/(\\d+)$`),
    answer: ({ groups: [id = ''], url }) => readDeal(id, new URL(url, 'http://crm').searchParams),
  },
  {
    method: 'PATCH',
    path: new RegExp(`^${OBJECTS}/deals/(\\d+)$`),
    answer: ({ groups: [id = ''], body }) => {
      if (Object.keys(body).join() !== 'properties') throw new Error('a deal is updated with { properties }');
      account.properties.set(id, { ...account.properties.get(id), ...body.properties });
      account.writes.push(id);
      return { json: { id } };
    },
  },
  {
    method: 'GET',
    path: new RegExp(`^${OBJECTS}/contacts/(\\d+)$`),
    answer: ({ groups: [id = ''] }) => {
      const contact = readFixture('hubspot', 'contact');
      if (account.phones.has(id))
        Object.assign(contact.properties, { mobilephone: account.phones.get(id), phone: null });
      return { json: { ...contact, id } };
    },
  },
  {
    method: 'GET',
    path: /^\/crm\/owners\/2026-03\/41629779$/,
    answer: () => ({ json: readFixture('hubspot', 'owner') }),
  },
  {
    method: 'POST',
    path: new RegExp(`^${OBJECTS}/notes/batch/read$`),
    answer: ({ body }) => {
      const noteOf = ({ id }: { id: string }) => account.notes[Number(id)];
      const results = body.inputs.map((input: { id: string }) => ({
        id: input.id,
        properties: { hs_note_body: escaped(noteOf(input)?.body ?? '') },
      }));
      return { json: { status: 'COMPLETE', results } };
    },
  },
  {
    method: 'POST',
    path: new RegExp(`^${OBJECTS}/notes$`),
    answer: ({ body }) => {
      const [association] = body.associations;
      const type = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 214 };
      if (JSON.stringify(association.types) !== JSON.stringify([type])) throw new Error('a note belongs to a deal');
      if (Number.isNaN(Date.parse(body.properties.hs_timestamp))) throw new Error('hs_timestamp is required');
      account.notes.push({ deal: association.to.id, body: body.properties.hs_note_body });
      return { status: 201, json: { id: '1' } };
    },
  },
];

const crm = await startCrmServer(routes, ({ headers }) => {
  if (headers.authorization !== `Bearer ${TOKEN}`) throw new Error('the access token is missing');
});
const settings = { HUBSPOT_ACCESS_TOKEN: TOKEN, HUBSPOT_CLIENT_SECRET: SECRET, HUBSPOT_API_URL: crm.url, PUBLIC_URL };
const fixture = await forFile(openRecipe('hubspot', crm, settings));

function signed(text: string, { secret = SECRET, timestamp = Date.now(), url = `${PUBLIC_URL}/crm` } = {}) {
  const signature = createHmac('sha256', secret).update(`POST${url}${text}${timestamp}`).digest('base64');
  return { 'x-hubspot-request-timestamp': String(timestamp), 'x-hubspot-signature-v3': signature };
}

function sendOnce(body: unknown) {
  const text = JSON.stringify(body);
  return fixture.send('/crm', text, signed(text));
}

/** HubSpot repeats a webhook after a 503, which it gets when a busy machine does not finish within 4.5 seconds. */
async function send(body: unknown) {
  for (let repeats = 0; ; repeats += 1) {
    const status = await sendOnce(body);
    if (status !== 503 || repeats === 4) return status;
  }
}

let clock = 1_752_613_920_733;
function event(dealId: number, changes: Record<string, unknown> = {}) {
  const [one] = readFixture('hubspot', 'deal-stage-changed');
  clock += 1000;
  return { ...one, objectId: dealId, occurredAt: clock, ...changes };
}

const move = (dealId: number, dealstage: string, appointment: string | null = null) =>
  account.properties.set(String(dealId), { dealstage, foreword_appointment: appointment });

test("accepts HubSpot's own example of a signature for five minutes, and no other", () => {
  const { clientSecret, url, timestamp, signature, body } = readFixture('hubspot', 'signed-request');
  const headers = { 'x-hubspot-request-timestamp': timestamp, 'x-hubspot-signature-v3': signature };
  const verify = (afterMs: number, rawBody = body) =>
    verifySignature({ url, headers, rawBody, pathSecret: '' }, clientSecret, Number(timestamp) + afterMs);
  verify(1000);
  verify(5 * 60_000);
  expect(() => verify(5 * 60_000 + 1)).toThrow('too old');
  expect(() => verify(1000, `${body} `)).toThrow('not valid');
});

describe('a stage', () => {
  test('becomes an intro for the mobile number and the owner, and its link a property of the deal, written once', async () => {
    expect(await send(readFixture('hubspot', 'deal-stage-changed'))).toBe(200);
    const [intro, ...others] = await fixture.intros('9001');
    expect(others).toEqual([]);
    expect(intro).toMatchObject({
      touchpoint: 'decision_follow_up',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Mary', last_name: 'Mcmillan', phone: '+14155550123' },
      reference: { source: 'hubspot', type: 'deal', id: '9001' },
    });
    for (let times = 0; times < 2; times += 1) await fixture.sendReady('9001');
    expect(account.properties.get('9001')?.foreword_video).toMatch(/^http/);
    expect(account.writes).toEqual(['9001']);
  });

  test('of several deals in one request becomes an intro for each, in the older form too, and a repeat changes nothing', async () => {
    const legacy = { subscriptionType: 'deal.propertyChange', objectTypeId: undefined };
    const batch = [event(11), event(12, legacy), event(11), event(13, { objectTypeId: '0-1' })];
    expect(await Promise.all([send(batch), send(batch)])).toEqual([200, 200]);
    expect(await send([event(11)])).toBe(200);
    for (const id of ['11', '12']) expect(await fixture.intros(id)).toHaveLength(1);
    // Not a deal.
    expect(await fixture.intros('13')).toEqual([]);
    expect(crm.calls.filter(({ url }) => url.includes('/owners/'))).toHaveLength(1);
  });

  test('that is not mapped creates nothing, and is confirmed', async () => {
    move(21, 'qualifiedtobuy');
    expect(await send([event(21), event(22, { propertyName: 'amount' })])).toBe(200);
    for (const id of ['21', '22']) expect(await fixture.intros(id)).toEqual([]);
    expect(fixture.recipe.output()).toContain('the stage qualifiedtobuy is not mapped');
  });

  test('that means the end, and a deletion, cancel the intro', async () => {
    expect(await send([event(23), event(24)])).toBe(200);
    for (const id of ['23', '24']) expect(await fixture.intros(id)).toMatchObject([{ status: 'requested' }]);
    move(23, 'closedlost');
    account.deleted.add('24');
    expect(await send([event(23), event(24, { subscriptionType: 'object.deletion' })])).toBe(200);
    for (const id of ['23', '24']) expect(await fixture.intros(id)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('without a usable number creates nothing, and leaves one note', async () => {
    account.phones.set('31', null);
    account.phones.set('32', '555-01');
    for (const id of [31, 32, 32]) expect(await send([event(id)])).toBe(200);
    for (const id of ['31', '32']) expect(await fixture.intros(id)).toEqual([]);
    expect(account.notes.map(({ deal }) => deal).sort()).toEqual(['31', '32']);
  });
});

describe('an appointment', () => {
  const appointmentChange = { propertyName: 'foreword_appointment' };
  test('waits for its time, and gets a new intro when it moves', async () => {
    move(77, 'appointmentscheduled');
    expect(await send([event(77)])).toBe(200);
    expect(await fixture.intros('77')).toEqual([]);
    for (const start of ['2031-05-02T17:00:00Z', '2031-05-03T17:00:00.000Z']) {
      move(77, 'appointmentscheduled', start);
      expect(await send([event(77, appointmentChange)])).toBe(200);
    }
    expect(await fixture.intros('77')).toMatchObject([
      {
        status: 'requested',
        touchpoint: 'new_appointment',
        context: { appointment: { starts_at: '2031-05-03T17:00:00.000Z' } },
      },
      { status: 'cancelled' },
    ]);
  });

  test('of a deal in another stage reports nothing', async () => {
    move(78, 'closedwon', '2031-05-02T17:00:00Z');
    expect(await send([event(78, appointmentChange)])).toBe(200);
    expect(await fixture.intros('78')).toEqual([]);
  });
});

describe('requests', () => {
  test('with a wrong signature, an old timestamp or a wrong body are rejected, and create nothing', async () => {
    const before = crm.calls.length;
    const text = JSON.stringify([event(41)]);
    const old = Date.now() - 5 * 60_000 - 1000;
    const forged = [{}, signed(text, { secret: 'another-secret' }), signed(text, { timestamp: old })];
    for (const headers of [...forged, signed(`${text} `), signed(text, { url: 'http://127.0.0.1/crm' })])
      expect(await fixture.send('/crm', text, headers)).toBe(401);
    const hostile = [null, {}, [], [null], [event(41, { objectId: '../1' })], [event(41, { occurredAt: 'now' })]];
    for (const body of [...hostile, Array.from({ length: 101 }, () => event(41))]) expect(await send(body)).toBe(400);
    expect(crm.calls).toHaveLength(before);
    expect(await fixture.intros('41')).toEqual([]);
  });
});

test('the command of the documentation is accepted', async () => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const recipe = await startRecipe('hubspot', { ...fixture.environment, PORT: port, PUBLIC_URL: url });
  const environment = { RECIPE_URL: url, HUBSPOT_CLIENT_SECRET: SECRET };
  expect(await runBlock('hubspot', 'SIGNATURE=', environment)).toBe('{"ok":true}');
  expect(await recipe.stop()).toBe(0);
});
