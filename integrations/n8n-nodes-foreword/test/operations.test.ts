import { expect, test } from 'vitest';
import { forFile, openService } from '../../../packages/server/test/harness/index.ts';
import { runNode, type Settings } from './n8n.ts';

const fixture = await forFile(openService());
// A slash at the end, as administrators paste it.
const settings: Settings = {
  credential: { baseUrl: `${fixture.service.url}/`, apiKey: fixture.organization.key },
};

const list = (value: string) => ({ __rl: true, mode: 'list', value });
const MEMBER = { __rl: true, mode: 'externalId', value: 'rep_17' };

/** An event as someone maps it from a CRM's item. */
const EVENT = {
  resource: 'touchpointEvent',
  operation: 'create',
  touchpoint: { __rl: true, mode: 'slug', value: '={{ $json.slug ?? "project_update" }}' },
  member: MEMBER,
  recipientFirstName: '={{ $json.first }}',
  recipientPhone: '+14155550123',
  occurredAt: '2026-03-10T09:15:00Z',
  source: 'acme_crm',
  recordId: '={{ $json.id }}',
};

const INTRO = {
  resource: 'intro',
  operation: 'create',
  member: MEMBER,
  recipientFirstName: 'Sam',
  recipientPhone: '+13125550144',
  source: 'acme_app',
  recordId: '={{ $json.id }}',
};

const total = async (path: string): Promise<number> => (await fixture.api.get(`${path}?limit=100`)).body.data.length;

test('creates one event for each item, in order and linked to it', async () => {
  const items = [1, 2, 3].map((id) => ({ id, first: `Dana ${id}` }));
  const result = await runNode(EVENT, settings, items);
  expect(result.error).toBeUndefined();
  expect(result.json).toMatchObject(
    items.map(({ id }) => ({ object: 'touchpoint_event', status: 'accepted', reference: { id: String(id) } })),
  );
  expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
});

test('the same items again create nothing twice', async () => {
  const items = [{ id: 'again', first: 'Dana' }];
  const [first] = (await runNode(EVENT, settings, items)).json;
  const before = await total('/v1/events');
  const [second] = (await runNode(EVENT, settings, items)).json;
  expect(second).toMatchObject({ id: first.id, status: 'duplicate' });
  expect(await total('/v1/events')).toBe(before);
  // The same part that tells two trades of one job apart in the key also makes another event.
  const other = await runNode({ ...EVENT, additionalFields: { part: 'gutters', trade: 'gutters' } }, settings, items);
  expect(other.json).toMatchObject([{ status: 'accepted' }]);
  expect(other.json[0].id).not.toBe(first.id);
});

test('creates an event with every field and waits for its intro', async () => {
  const parameters = {
    ...EVENT,
    operation: 'createAndWait',
    additionalFields: {
      appointmentStartsAt: '2030-03-12T14:30:00',
      appointmentTimezone: 'America/Chicago',
      lane: 'retail',
      trade: 'roofing',
      recipientLastName: 'Reyes',
      recordType: 'appointment',
      metadata: { pairs: [{ key: 'crm_owner', value: 'west' }] },
    },
  };
  const result = await runNode(parameters, settings, [{ id: 'full', first: 'Dana', slug: 'new_appointment' }]);
  expect(result.error).toBeUndefined();
  expect(result.json).toMatchObject([{ status: 'processed', metadata: { crm_owner: 'west' } }]);
  const intro = await runNode({ resource: 'intro', operation: 'get', introId: result.json[0].intro }, settings);
  expect(intro.json).toMatchObject([
    {
      touchpoint: 'new_appointment',
      recipient: { first_name: 'Dana', last_name: 'Reyes' },
      reference: { source: 'acme_crm', type: 'appointment', id: 'full' },
      context: { trade: 'roofing', lane: 'retail', appointment: { timezone: 'America/Chicago' } },
    },
  ]);
  const event = await runNode({ resource: 'touchpointEvent', operation: 'get', eventId: result.json[0].id }, settings);
  expect(event.json).toMatchObject([{ intro: intro.json[0].id, status: 'processed' }]);
});

test('a failed event is an error with the reason', async () => {
  const parameters = {
    ...EVENT,
    operation: 'createAndWait',
    touchpoint: { __rl: true, mode: 'slug', value: 'on_my_way' },
  };
  const slug = (await fixture.api.get('/v1/touchpoints')).body.data.find(
    ({ slug }: { slug: string }) => slug === 'on_my_way',
  );
  expect(slug.active).toBe(true);
  await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, 'on_my_way', '--delivery', 'service');
  const [opted] = (await runNode({ ...INTRO, recipientPhone: '+15005550177' }, settings, [{ id: 'opt' }])).json;
  await fixture.api.post(`/v1/test_helpers/intros/${opted.id}/opt_out`);
  const result = await runNode({ ...parameters, recipientPhone: '+15005550177' }, settings, [{ id: 'f', first: 'X' }]);
  expect(result).toMatchObject({
    status: 'error',
    error: { description: expect.stringContaining('recipient_opted_out') },
  });
});

test('a dry run returns the script and stores nothing', async () => {
  const before = await total('/v1/events');
  const result = await runNode({ ...EVENT, operation: 'dryRun' }, settings, [{ id: 'dry', first: 'Dana' }]);
  expect(result.json).toMatchObject([
    { object: 'dry_run', status: 'processed', intro: { instructions: { script: expect.stringContaining('Dana') } } },
  ]);
  expect(await total('/v1/events')).toBe(before);
});

test('an intro: create, wait until recorded, mark as sent; a repeat changes nothing', async () => {
  const parameters = { ...INTRO, additionalFields: { title: 'A short hello', script: 'Hi Sam.' } };
  const [intro] = (await runNode(parameters, settings, [{ id: 'deal_1' }])).json;
  expect(intro).toMatchObject({ status: 'requested', context: { title: 'A short hello' } });
  expect((await runNode(parameters, settings, [{ id: 'deal_1' }])).json[0].id).toBe(intro.id);
  const waiting = runNode(
    { resource: 'intro', operation: 'waitUntilRecorded', introId: intro.id, waitS: 100 },
    settings,
  );
  await fixture.api.post(`/v1/test_helpers/intros/${intro.id}/record`);
  const ready = await waiting;
  expect(ready.json).toMatchObject([{ status: 'ready', delivery: { recipient_url: expect.stringContaining('http') } }]);
  const markSent = { resource: 'intro', operation: 'markSent', introId: '={{ $json.id }}' };
  const [sent] = (await runNode(markSent, settings, ready.json)).json;
  expect(sent).toMatchObject({ status: 'sent' });
  expect((await runNode(markSent, settings, ready.json)).json[0]).toEqual(sent);
});

test('cancels an intro, and waiting for it is an error instead of an empty link', async () => {
  const [intro] = (await runNode(INTRO, settings, [{ id: 'deal_2' }])).json;
  const wait = { resource: 'intro', operation: 'waitUntilRecorded', introId: intro.id, waitS: 1 };
  expect((await runNode(wait, settings)).error.message).toBe(`The intro ${intro.id} is not recorded yet`);
  const cancel = await runNode({ resource: 'intro', operation: 'cancel', introId: intro.id }, settings);
  expect(cancel.json).toMatchObject([{ id: intro.id, status: 'cancelled' }]);
  expect((await runNode(wait, settings)).error.message).toBe(`The intro ${intro.id} is cancelled`);
});

test('a member: create, update, deactivate and reactivate; each change once', async () => {
  const upsert = {
    resource: 'member',
    operation: 'upsert',
    externalId: 'rep_31',
    first_name: 'Rosa',
    last_name: 'Diaz',
    email: 'rosa@acme.example',
    changeId: 'v1',
    additionalFields: { phone: '+15005550131', lanes: ['retail'] },
  };
  const [rosa] = (await runNode(upsert, settings)).json;
  expect(rosa).toMatchObject({ object: 'member', external_id: 'rep_31', lanes: ['retail'], active: true });
  const before = await total('/v1/members');
  const renamed = await runNode({ ...upsert, last_name: 'Diaz-Lee', changeId: 'v2' }, settings);
  expect(renamed.json).toMatchObject([{ id: rosa.id, last_name: 'Diaz-Lee' }]);
  expect(await total('/v1/members')).toBe(before);

  const member = { __rl: true, mode: 'externalId', value: 'rep_31' };
  const change = (operation: string, changeId: string, more = {}) =>
    runNode({ resource: 'member', operation, member, changeId, ...more }, settings);
  expect((await change('update', 'c1', { updateFields: { title: 'Estimator' } })).json[0].title).toBe('Estimator');
  expect((await change('deactivate', 'c2', { openIntros: 'cancel' })).json[0].active).toBe(false);
  expect((await change('reactivate', 'c3')).json[0].active).toBe(true);
  // The same deactivation a second time, for example because n8n retried the execution.
  expect((await change('deactivate', 'c2', { openIntros: 'cancel' })).error).toBeUndefined();
  const now = await runNode({ resource: 'member', operation: 'get', member }, settings);
  expect(now.json).toMatchObject([{ id: rosa.id, active: true }]);
  const to = { openIntros: 'reassign', reassignTo: list(fixture.organization.memberId) };
  expect((await change('deactivate', 'c4', to)).json[0].active).toBe(false);
});

test('"return all" reads every page, and a limit only what it needs', async () => {
  const { organization } = fixture;
  for (let n = 0; n < 110; n += 1) {
    const body = { external_id: `page_${n}`, first_name: 'P', last_name: `${n}`, email: `p${n}@acme.example` };
    await organization.api.post('/v1/members', body);
  }
  const all = await runNode({ resource: 'member', operation: 'getAll', returnAll: true }, settings);
  const ids = all.json.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(110);
  const some = await runNode({ resource: 'member', operation: 'getAll', returnAll: false, limit: 105 }, settings);
  expect(some.json.map(({ id }) => id)).toEqual(ids.slice(0, 105));
  const one = await runNode(
    { resource: 'member', operation: 'getAll', returnAll: true, filters: { external_id: 'page_7', active: true } },
    settings,
  );
  expect(one.json).toMatchObject([{ external_id: 'page_7' }]);
});

test('lists events, intros and touchpoints with filters', async () => {
  const events = await runNode(
    {
      resource: 'touchpointEvent',
      operation: 'getAll',
      returnAll: true,
      filters: { status: ['processed', 'failed'], reference_id: 'full' },
    },
    settings,
  );
  expect(events.json).toMatchObject([{ status: 'processed', reference: { id: 'full' } }]);
  const sent = { resource: 'intro', operation: 'getAll', returnAll: true, filters: { status: ['sent', 'cancelled'] } };
  const statuses = (await runNode(sent, settings)).json.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['sent', 'cancelled']));
  const touchpoints = await runNode({ resource: 'touchpoint', operation: 'getAll', onlyActive: true }, settings);
  expect(touchpoints.json.length).toBeGreaterThan(5);
  expect(touchpoints.json.every(({ active }) => active)).toBe(true);
});
