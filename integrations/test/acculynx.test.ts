import { describe, expect, test } from 'vitest';
import { forFile } from '../../packages/server/test/harness/index.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { openRecipe, readFixture } from './fixture.ts';
import { runToExit } from './recipe-process.ts';

const SECRET = 'acculynx-path-secret';
const KEY = 'acculynx-api-key-1';
const HOOK = `/crm/${SECRET}`;

/** The CRM's records, beyond the fixtures. */
const jobs = {
  starts: new Map<string, string | null>(),
  numbers: new Map<string, string[]>(),
  messages: [] as string[],
};

const routes: CrmRoute[] = [
  { method: 'GET', path: /^\/jobs\/([^/]+)\/contacts$/, answer: ({ groups: [id = ''] }) => ({ json: contactsOf(id) }) },
  {
    method: 'GET',
    path: /^\/contacts\/([^/]+)\/phone-numbers$/,
    answer: ({ groups: [id = ''] }) => {
      const numbers = jobs.numbers.get(id)?.map((number) => ({ number, type: 'Mobile', primary: true }));
      return { json: numbers === undefined ? readFixture('acculynx', 'phone-numbers') : { items: numbers } };
    },
  },
  {
    method: 'GET',
    path: /^\/jobs\/([^/]+)\/representatives\/company$/,
    answer: ({ groups: [id] }) =>
      id === 'job-unassigned' ? { status: 404 } : { json: readFixture('acculynx', 'company-representative') },
  },
  { method: 'GET', path: /^\/users\/[0-9a-f-]{36}$/, answer: () => ({ json: readFixture('acculynx', 'user') }) },
  {
    method: 'GET',
    path: /^\/jobs\/([^/]+)\/initial-appointment$/,
    answer: ({ groups: [id = ''] }) => {
      const startDate = jobs.starts.get(id);
      const fixture = readFixture('acculynx', 'initial-appointment');
      return startDate === null ? { status: 404 } : { json: { ...fixture, ...(startDate && { startDate }) } };
    },
  },
  {
    method: 'POST',
    path: /^\/jobs\/([^/]+)\/messages$/,
    answer: ({ groups: [id], body, headers }) => {
      if (headers['content-type'] !== 'application/json') throw new Error('the body must be JSON');
      if (typeof body.message !== 'string' || Object.keys(body).length !== 1)
        throw new Error('{ message } is required');
      jobs.messages.push(`${id} ${body.message}`);
      return { json: { messageId: 'd1f6e4d0-3f0e-4c6e-8d3b-5a1f0a3c9b77' } };
    },
  },
];

/** Each job has a contact of its own. */
function contactsOf(jobId: string) {
  const contacts = readFixture('acculynx', 'job-contacts');
  contacts.items[0].contact.id = jobId;
  return contacts;
}

const crm = await startCrmServer(routes, ({ headers }) => {
  if (headers.authorization !== `Bearer ${KEY}`) throw new Error('the API key is missing');
});
const fixture = await forFile(
  openRecipe('acculynx', crm, {
    ACCULYNX_API_KEY: KEY,
    ACCULYNX_API_URL: crm.url,
    ACCULYNX_WEBHOOK_SECRET: SECRET,
  }),
);

function milestone(jobId: string, name = 'Approved') {
  const body = readFixture('acculynx', 'milestone-changed');
  body.event.job.id = jobId;
  body.event.job.milestone.name = name;
  return body;
}

function appointment(jobId: string) {
  const body = readFixture('acculynx', 'initial-appointment-updated');
  body.event.job.id = jobId;
  return body;
}

describe('a milestone', () => {
  test('becomes an intro for the mobile number and the representative, and its link a message on the job', async () => {
    const body = readFixture('acculynx', 'milestone-changed');
    const { id } = body.event.job;
    expect(await fixture.send(HOOK, body)).toBe(200);
    const [intro, ...others] = await fixture.intros(id);
    expect(others).toEqual([]);
    expect(intro).toMatchObject({
      touchpoint: 'approved_moving_forward',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'John', last_name: 'Smith', phone: '+14155550123' },
      reference: { source: 'acculynx', type: 'job', id },
    });
    // The recording takes seconds, and more on a busy machine.
    const { api } = fixture.service;
    expect((await api.post(`/v1/test_helpers/intros/${intro.id}/record`)).status).toBe(202);
    await api.get(`/v1/intros/${intro.id}?wait=20&version=${intro.version}`);
    await expect.poll(() => jobs.messages.filter((message) => message.startsWith(id))).toHaveLength(1);
    expect(jobs.messages[0]).toMatch(/The video from Ana Ng is ready: http/);
  });

  test('that is delivered twice creates one intro', async () => {
    const body = milestone('job-twice');
    expect(await Promise.all([fixture.send(HOOK, body), fixture.send(HOOK, body)])).toEqual([200, 200]);
    expect(await fixture.send(HOOK, { ...body, eventDateTime: '2026-05-27T00:00:00Z' })).toBe(200);
    expect(await fixture.intros('job-twice')).toHaveLength(1);
  });

  test('that is not mapped creates nothing, and is confirmed', async () => {
    expect(await fixture.send(HOOK, milestone('job-unmapped', 'Invoiced'))).toBe(200);
    expect(await fixture.send(HOOK, milestone('job-unmapped', '__proto__'))).toBe(200);
    expect(await fixture.intros('job-unmapped')).toEqual([]);
    expect(fixture.recipe.output()).toContain('milestone Invoiced is not mapped');
  });

  test('without a usable number creates nothing, and leaves one message', async () => {
    jobs.numbers.set('job-no-phone', []);
    jobs.numbers.set('job-bad-phone', ['555-01']);
    for (const id of ['job-no-phone', 'job-bad-phone', 'job-bad-phone']) {
      expect(await fixture.send(HOOK, milestone(id))).toBe(200);
      expect(await fixture.intros(id)).toEqual([]);
    }
    expect(jobs.messages.filter((message) => message.includes('the phone number is missing'))).toHaveLength(1);
    expect(jobs.messages.filter((message) => message.includes('the phone number is not valid'))).toHaveLength(1);
  });
});

test('a job without a representative leaves a message and no intro', async () => {
  expect(await fixture.send(HOOK, milestone('job-unassigned'))).toBe(200);
  expect(await fixture.intros('job-unassigned')).toEqual([]);
  expect(jobs.messages.find((message) => message.startsWith('job-unassigned'))).toContain('no team member in Foreword');
});

describe('an initial appointment', () => {
  test('that moves cancels its intro, and creates one for each new time, including the first one again', async () => {
    const statuses = [];
    for (const start of ['2030-03-12T14:30:00Z', '2030-03-13T14:30:00Z', '2030-03-12T14:30:00Z']) {
      jobs.starts.set('job-moves', start);
      expect(await fixture.send(HOOK, appointment('job-moves'))).toBe(200);
      // A repeat changes nothing.
      expect(await fixture.send(HOOK, appointment('job-moves'))).toBe(200);
      const intros = await fixture.intros('job-moves');
      expect(intros[0].context.appointment.starts_at).toBe(new Date(start).toISOString());
      statuses.push(intros.map(({ status }: { status: string }) => status).join());
    }
    expect(statuses).toEqual(['requested', 'requested,cancelled', 'requested,cancelled,cancelled']);
  });

  test('that is removed cancels its intro', async () => {
    expect(await fixture.send(HOOK, appointment('job-removed'))).toBe(200);
    expect(await fixture.intros('job-removed')).toHaveLength(1);
    expect(await fixture.send(HOOK, milestone('job-removed', 'Cancelled'))).toBe(200);
    expect(await fixture.intros('job-removed')).toMatchObject([{ status: 'cancelled' }]);
    jobs.starts.set('job-removed', '2030-04-01T14:30:00Z');
    expect(await fixture.send(HOOK, appointment('job-removed'))).toBe(200);
    jobs.starts.set('job-removed', null);
    expect(await fixture.send(HOOK, appointment('job-removed'))).toBe(200);
    expect((await fixture.intros('job-removed')).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('requests', () => {
  test('with a wrong secret, method, path or body are rejected, and create nothing', async () => {
    const before = crm.calls.length;
    const body = milestone('job-forged');
    for (const path of ['/crm', '/crm/wrong', `/crm/${SECRET}x`, '/crm/%E0%A4%A']) {
      expect([400, 401]).toContain(await fixture.send(path, body));
    }
    expect(await fixture.send('/other', body)).toBe(404);
    expect((await fetch(fixture.recipe.url + HOOK)).status).toBe(405);
    for (const hostile of ['', '{', '[]', 'null', '{"topicName":1}', { topicName: 'x', eventDateTime: 'yesterday' }])
      expect(await fixture.send(HOOK, hostile)).toBe(400);
    expect(await fixture.send(HOOK, 'x'.repeat(2 * 1024 * 1024)).catch(() => 413)).toBe(413);
    expect(await fixture.send('/foreword', { type: 'intro.ready', data: {} })).toBe(401);
    expect(crm.calls).toHaveLength(before);
    expect((await fetch(`${fixture.recipe.url}/healthz`)).status).toBe(200);
  });

  test('wait for a CRM that limits its rate, and are left to the CRM if it stays unavailable', async () => {
    crm.interrupt('/job-busy/contacts', [{ status: 429, headers: { 'retry-after': '1' } }]);
    expect(await fixture.send(HOOK, milestone('job-busy'))).toBe(200);
    expect(await fixture.intros('job-busy')).toHaveLength(1);
    crm.interrupt('/job-down/contacts', [{ status: 429, headers: { 'retry-after': '120' } }]);
    expect(await fixture.send(HOOK, milestone('job-down'))).toBe(503);
    expect(await fixture.intros('job-down')).toEqual([]);
    expect(await fixture.send(HOOK, milestone('job-down'))).toBe(200);
    expect(await fixture.intros('job-down')).toHaveLength(1);
  });
});

test('refuses to start without its settings, in one line', async () => {
  const { code, output } = await runToExit('acculynx', { ...fixture.environment, ACCULYNX_API_KEY: '' });
  expect({ code, output }).toEqual({ code: 78, output: 'ACCULYNX_API_KEY is missing\n' });
  const short = await runToExit('acculynx', { ...fixture.environment, ACCULYNX_WEBHOOK_SECRET: 'short' });
  expect(short.output).toMatch(/^ACCULYNX_WEBHOOK_SECRET is too short[^\n]*\n$/);
  const zone = await runToExit('acculynx', { ...fixture.environment, TIME_ZONE: 'Chicago' });
  expect(zone.output).toMatch(/^TIME_ZONE must be an IANA time zone[^\n]*\n$/);
});
