import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { forFile } from '../../packages/server/test/harness/index.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { runBlock } from './doc-block.ts';
import { openRecipe, readFixture } from './fixture.ts';

const KEY = 'fka_0123456789abcdef';
const SYSTEM_KEY = '560270f7914b5b4a5f4dc1793ebc2796';

/** The account's records, beyond the fixtures. */
const account = {
  stages: new Map<string, string>(),
  phones: new Map<string, unknown[]>(),
  links: new Map<string, string>(),
  writes: [] as string[],
  starts: new Map<string, string | null>(),
  outcomes: new Map<string, string>(),
  notes: [] as string[],
};

const FIELDS = 'firstName,lastName,stage,phones,assignedUserId,customForewordVideo';

const routes: CrmRoute[] = [
  {
    method: 'GET',
    path: /^\/people\/(\d+)$/,
    answer: ({ groups: [id = ''], url }) => {
      if (new URL(url, 'http://crm').searchParams.get('fields') !== FIELDS) throw new Error('unexpected fields');
      const person = readFixture('follow-up-boss', 'person');
      const phones = account.phones.get(id) ?? person.phones;
      const stage = account.stages.get(id) ?? person.stage;
      return { json: { ...person, id: Number(id), stage, phones, customForewordVideo: account.links.get(id) ?? null } };
    },
  },
  {
    method: 'PUT',
    path: /^\/people\/(\d+)$/,
    answer: ({ groups: [id = ''], body }) => {
      if (Object.keys(body).join() !== 'customForewordVideo') throw new Error('only the link is written');
      account.links.set(id, body.customForewordVideo);
      account.writes.push(id);
      return { json: { id: Number(id) } };
    },
  },
  {
    method: 'GET',
    path: /^\/appointments\/(\d+)$/,
    answer: ({ groups: [id = ''] }) => {
      const start = account.starts.get(id);
      if (start === null) return { status: 404, json: { errorMessage: 'not found' } };
      const appointment = readFixture('follow-up-boss', 'appointment');
      const outcome = account.outcomes.get(id) ?? null;
      return { json: { ...appointment, id: Number(id), start: start ?? appointment.start, outcome } };
    },
  },
  { method: 'GET', path: /^\/users\/7$/, answer: () => ({ json: readFixture('follow-up-boss', 'user') }) },
  {
    method: 'POST',
    path: /^\/notes$/,
    answer: ({ body }) => {
      if (typeof body.personId !== 'number') throw new Error('personId must be a number');
      if (Object.keys(body).sort().join() !== 'body,personId,subject') throw new Error('unexpected fields of a note');
      account.notes.push(`${body.personId} ${body.body}`);
      return { status: 201, json: { id: 1 } };
    },
  },
];

const crm = await startCrmServer(routes, ({ headers }) => {
  const basic = `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`;
  if (headers.authorization !== basic) throw new Error('the API key is not sent with basic authentication');
  if (headers['x-system'] !== 'Acme' || headers['x-system-key'] !== SYSTEM_KEY) throw new Error('no system headers');
});
const settings = { FUB_API_KEY: KEY, FUB_SYSTEM: 'Acme', FUB_SYSTEM_KEY: SYSTEM_KEY, FUB_API_URL: crm.url };
const fixture = await forFile(
  openRecipe('follow-up-boss', crm, settings, { organization: { industry: 'real_estate' } }),
);

/** Follow Up Boss signs the body in base64: https://docs.followupboss.com/reference/webhooks-guide */
const sign = (body: string, key = SYSTEM_KEY) =>
  createHmac('sha256', key).update(Buffer.from(body).toString('base64')).digest('hex');

function send(body: unknown) {
  const text = JSON.stringify(body);
  return fixture.send('/crm', text, { 'fub-signature': sign(text) });
}

let events = 0;
/** Each webhook has an event id of its own; a repeat sends the same object. */
function webhook(event: string, ...resourceIds: number[]) {
  events += 1;
  return { ...readFixture('follow-up-boss', 'people-stage-updated'), eventId: `event-${events}`, event, resourceIds };
}

describe('a stage', () => {
  test('becomes an intro for the mobile number and the agent, and its link a field of the person, written once', async () => {
    expect(await send(readFixture('follow-up-boss', 'people-stage-updated'))).toBe(200);
    const [intro, ...others] = await fixture.intros('1234');
    expect(others).toEqual([]);
    expect(intro).toMatchObject({
      touchpoint: 'under_contract',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Mary', last_name: 'Mcmillan', phone: '+14155550123' },
      reference: { source: 'follow_up_boss', type: 'person', id: '1234' },
    });
    for (let times = 0; times < 2; times += 1) await fixture.sendReady('1234');
    expect(account.links.get('1234')).toMatch(/^http/);
    expect(account.writes).toEqual(['1234']);
  });

  test('of several people becomes an intro for each, and a repeat changes nothing', async () => {
    const batch = webhook('peopleStageUpdated', 11, 12, 13, 12);
    expect(await Promise.all([send(batch), send(batch)])).toEqual([200, 200]);
    expect(await send({ ...batch, eventId: 'another', eventCreated: '2026-04-29T00:00:00+00:00' })).toBe(200);
    for (const id of ['11', '12', '13']) expect(await fixture.intros(id)).toHaveLength(1);
  });

  test('that is not mapped, and an event of another kind, create nothing and are confirmed', async () => {
    account.stages.set('21', 'Nurture');
    expect(await send(webhook('peopleStageUpdated', 21))).toBe(200);
    expect(await send(webhook('peopleTagsCreated', 21))).toBe(200);
    expect(await fixture.intros('21')).toEqual([]);
    expect(fixture.recipe.output()).toContain('the stage Nurture is not mapped');
  });

  test('that means the end cancels the intro', async () => {
    expect(await send(webhook('peopleStageUpdated', 22))).toBe(200);
    expect(await fixture.intros('22')).toMatchObject([{ status: 'requested' }]);
    account.stages.set('22', 'Trash');
    expect(await send(webhook('peopleStageUpdated', 22))).toBe(200);
    expect(await fixture.intros('22')).toMatchObject([{ status: 'cancelled' }]);
  });

  test('without a usable number creates nothing, and leaves one note', async () => {
    account.phones.set('31', []);
    account.phones.set('32', [{ value: '555-01', type: 'mobile' }]);
    for (const id of [31, 32, 32]) expect(await send(webhook('peopleStageUpdated', id))).toBe(200);
    for (const id of ['31', '32']) expect(await fixture.intros(id)).toEqual([]);
    expect(account.notes.filter((note) => note.startsWith('31 '))).toHaveLength(1);
    expect(account.notes.filter((note) => note.startsWith('32 '))).toHaveLength(1);
  });
});

describe('an appointment', () => {
  test('that moves gets a new intro, and one that is deleted loses it', async () => {
    for (const start of ['2031-05-02T17:00:00Z', '2031-05-03T17:00:00Z']) {
      account.starts.set('77', start);
      expect(await send(webhook('appointmentsUpdated', 77))).toBe(200);
    }
    const appointment = { starts_at: '2031-05-03T17:00:00.000Z', timezone: 'America/Chicago' };
    expect(await fixture.intros('77')).toMatchObject([
      { status: 'requested', touchpoint: 'showing', context: { appointment } },
      { status: 'cancelled' },
    ]);
    account.starts.set('77', null);
    expect(await send(webhook('appointmentsDeleted', 77))).toBe(200);
    expect((await fixture.intros('77'))[0]).toMatchObject({ status: 'cancelled' });
  });

  test('is cancelled by its outcome; the link of another one goes to the invited person', async () => {
    expect(await send({ ...readFixture('follow-up-boss', 'appointments-created'), resourceIds: [78, 79] })).toBe(200);
    account.outcomes.set('78', 'No show');
    expect(await send(webhook('appointmentsUpdated', 78))).toBe(200);
    expect(await fixture.intros('78')).toMatchObject([{ status: 'cancelled' }]);
    account.links.delete('1234');
    await fixture.sendReady('79');
    expect(account.links.get('1234')).toMatch(/^http/);
  });
});

describe('requests', () => {
  test('with a wrong signature or body are rejected, and create nothing', async () => {
    const before = crm.calls.length;
    const body = JSON.stringify(webhook('peopleStageUpdated', 41));
    const wrong = [{}, { 'fub-signature': sign(body, 'another-key') }, { 'fub-signature': sign(`${body} `) }];
    for (const headers of wrong) expect(await fixture.send('/crm', body, headers)).toBe(401);
    const valid = webhook('peopleStageUpdated', 41);
    const hostile = [null, [], {}, { ...valid, resourceIds: [] }, { ...valid, resourceIds: ['../me'] }];
    for (const one of [...hostile, { ...valid, eventCreated: 'yesterday' }]) expect(await send(one)).toBe(400);
    expect(crm.calls).toHaveLength(before);
    expect(await fixture.intros('41')).toEqual([]);
  });

  test('that were not answered before a kill are complete after their repeat, with one intro each', async () => {
    const batch = webhook('peopleStageUpdated', 61, 62);
    crm.interrupt('/people/62', [{ status: 503 }, { status: 503 }, { status: 503 }]);
    const unanswered = send(batch).catch(() => 'killed');
    await expect.poll(() => crm.calls.some(({ url }) => url.includes('/people/62'))).toBe(true);
    await fixture.restart();
    expect(await unanswered).toBe('killed');
    crm.interrupt('/people/62', []);
    await expect.poll(() => send(batch)).toBe(200);
    for (const id of ['61', '62']) expect(await fixture.intros(id)).toHaveLength(1);
  });
});

test('the command of the documentation is accepted', async () => {
  const environment = { RECIPE_URL: fixture.recipe.url, FUB_SYSTEM_KEY: SYSTEM_KEY };
  expect(await runBlock('follow-up-boss', 'SIGNATURE=', environment)).toBe('{"ok":true}');
});
