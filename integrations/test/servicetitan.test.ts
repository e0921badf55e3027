import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { forFile } from '../../packages/server/test/harness/index.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { openRecipe, readFixture } from './fixture.ts';

const HMAC_KEY = 'servicetitan-hmac-key-of-32-chars';
const CLIENT_SECRET = 'cs.servicetitan-client-secret';
const APP_KEY = 'ak1.servicetitan-app-key';
const TENANT = '1234567';

/** Changes to the records of the fixtures, by id; the notes that were written; the tokens that are valid. */
const changes = new Map<string, object>();
const notes: { job: string; text: string }[] = [];
const tokens = { issued: 0, valid: new Set<string>() };

const recordOf = (name: string, id: string) => ({
  ...readFixture('servicetitan', name),
  id: Number(id),
  ...changes.get(id),
});
const at = (api: string, rest: string) => new RegExp(`^/${api}/v2/tenant/${TENANT}${rest}$`);
const reads = (api: string, rest: string, name: string): CrmRoute => ({
  method: 'GET',
  path: at(api, rest),
  answer: ({ groups: [id = ''] }) => ({
    json: rest.includes('(') ? recordOf(name, id) : readFixture('servicetitan', name),
  }),
});

const routes: CrmRoute[] = [
  {
    method: 'POST',
    path: /^\/connect\/token$/,
    answer: ({ body, headers }) => {
      const form = new URLSearchParams(body);
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') throw new Error('a form is required');
      if (form.get('grant_type') !== 'client_credentials' || form.get('client_secret') !== CLIENT_SECRET)
        return { status: 400, json: { error: 'invalid_client' } };
      const token = `servicetitan-token-${++tokens.issued}`;
      tokens.valid.add(token);
      return { json: { access_token: token, expires_in: 900, token_type: 'Bearer' } };
    },
  },
  reads('jpm', '/appointments/(\\d+)', 'appointment'),
  reads('jpm', '/jobs/(\\d+)', 'job'),
  reads('jpm', '/job-types/(\\d+)', 'job-type'),
  reads('crm', '/customers/(\\d+)', 'customer'),
  {
    method: 'GET',
    path: at('crm', '/customers/(\\d+)/contacts'),
    answer: ({ groups: [id = ''] }) => ({
      json: { ...readFixture('servicetitan', 'customer-contacts'), ...changes.get(`contacts ${id}`) },
    }),
  },
  reads('dispatch', '/appointment-assignments', 'appointment-assignments'),
  reads('settings', '/technicians/(\\d+)', 'technician'),
  {
    method: 'GET',
    path: at('jpm', '/jobs/(\\d+)/notes'),
    answer: ({ groups: [id] }) => ({ json: { hasMore: false, data: notes.filter(({ job }) => job === id) } }),
  },
  {
    method: 'POST',
    path: at('jpm', '/jobs/(\\d+)/notes'),
    answer: ({ groups: [job = ''], body }) => {
      if (typeof body.text !== 'string' || typeof body.pinToTop !== 'boolean')
        throw new Error('text and pinToTop are required');
      notes.push({ job, text: body.text });
      return { json: { text: body.text, isPinned: body.pinToTop } };
    },
  },
];

const crm = await startCrmServer(
  routes.map((route) => ({
    ...route,
    answer(call) {
      const token = call.headers.authorization?.replace('Bearer ', '') ?? '';
      const isAllowed = call.url.startsWith('/connect/') || tokens.valid.has(token);
      return isAllowed ? route.answer(call) : { status: 401 };
    },
  })),
  ({ url, headers }) => {
    if (!url.startsWith('/connect/') && headers['st-app-key'] !== APP_KEY) throw new Error('the app key is missing');
  },
);
const fixture = await forFile(
  openRecipe('servicetitan', crm, {
    SERVICETITAN_API_URL: crm.url,
    SERVICETITAN_AUTH_URL: crm.url,
    SERVICETITAN_CLIENT_ID: 'cid.servicetitan-client',
    SERVICETITAN_CLIENT_SECRET: CLIENT_SECRET,
    SERVICETITAN_APP_KEY: APP_KEY,
    SERVICETITAN_TENANT_ID: TENANT,
    SERVICETITAN_HMAC_KEY: HMAC_KEY,
  }),
);

function send(kind: 'appointment' | 'job', body: unknown, encoding: 'hex' | 'base64' = 'hex'): Promise<number> {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', HMAC_KEY).update(text).digest(encoding);
  return fixture.send(`/crm/${kind}`, text, { 'X-ServiceTitan-Signature': signature });
}

test('an appointment becomes an intro by the type of its job, and its link one note on the job', async () => {
  const webhook = readFixture('servicetitan', 'appointment-webhook');
  expect(await send('appointment', webhook)).toBe(200);
  expect(await send('appointment', webhook, 'base64')).toBe(200);
  const [intro, ...others] = await fixture.intros('38472702');
  expect(others).toEqual([]);
  expect(intro).toMatchObject({
    touchpoint: 'new_inspection',
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Jane', last_name: 'Smith', phone: '+14155550123' },
    reference: { source: 'servicetitan', type: 'appointment', id: '38472702' },
    context: { appointment: { starts_at: '2030-03-12T14:30:00.000Z', timezone: 'America/Chicago' } },
  });
  await fixture.sendReady('38472702');
  expect(notes).toMatchObject([{ job: '38472700', text: expect.stringMatching(/from Ana Ng is ready: http/) }]);
});

test('an appointment that moves gets a new intro, and one that is cancelled loses it', async () => {
  expect(await send('appointment', { id: 5001 })).toBe(200);
  changes.set('5001', { arrivalWindowStart: '2030-03-14T14:30:00Z', modifiedOn: '2026-03-11T09:15:00Z' });
  expect(await send('appointment', { id: 5001 })).toBe(200);
  expect((await fixture.intros('5001')).map(({ status }) => status)).toEqual(['requested', 'cancelled']);
  changes.set('5001', { status: 'Canceled' });
  expect(await send('appointment', { id: 5001 })).toBe(200);
  expect((await fixture.intros('5001')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

test('a completed job becomes an intro once, in a batch as well; other statuses and types do not', async () => {
  changes.set('6002', { jobStatus: 'Hold' });
  expect(await send('job', [{ id: 6001 }, { id: 6002 }])).toBe(200);
  expect(await send('job', { id: 6001 })).toBe(200);
  expect(await fixture.intros('6001')).toMatchObject([{ touchpoint: 'project_complete' }]);
  expect(await fixture.intros('6002')).toEqual([]);
  expect(fixture.recipe.output()).toContain('job status Hold is not mapped');
});

test('a customer without a number leaves one note and no intro', async () => {
  changes.set('6003', { customerId: 4499 });
  changes.set('contacts 4499', { data: [{ id: 1, type: 'Email', value: 'jane@example.com' }] });
  for (let times = 0; times < 2; times += 1) expect(await send('job', { id: 6003 })).toBe(200);
  expect(await fixture.intros('6003')).toEqual([]);
  expect(notes.filter(({ job }) => job === '6003')).toMatchObject([
    { text: expect.stringContaining('the phone number is missing') },
  ]);
});

test('fetches a new token when ServiceTitan refuses the old one, and waits when it limits the rate', async () => {
  const before = tokens.issued;
  tokens.valid.clear();
  crm.interrupt('/jobs/6004', [{ status: 429, headers: { 'retry-after': '1' } }]);
  expect(await send('job', { id: 6004 })).toBe(200);
  expect(await fixture.intros('6004')).toHaveLength(1);
  expect(tokens.issued - before).toBe(1);
});

test('rejects wrong signatures, addresses and bodies, and reads nothing', async () => {
  const before = crm.calls.length;
  const text = JSON.stringify({ id: 7001 });
  for (const headers of [{}, { 'x-servicetitan-signature': 'a'.repeat(64) }] as Record<string, string>[])
    expect(await fixture.send('/crm/job', text, headers)).toBe(401);
  const signature = createHmac('sha256', HMAC_KEY).update(text).digest('hex');
  expect(await fixture.send('/crm/job', `${text} `, { 'x-servicetitan-signature': signature })).toBe(401);
  expect(await fixture.send('/crm/invoice', text, { 'x-servicetitan-signature': signature })).toBe(404);
  for (const hostile of [null, {}, { id: '../jobs' }, { id: { id: 1 } }]) expect(await send('job', hostile)).toBe(400);
  expect(crm.calls).toHaveLength(before);
});
