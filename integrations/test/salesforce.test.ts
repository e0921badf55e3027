import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { forFile } from '../../packages/server/test/harness/index.ts';
import { type CrmCall, type CrmRoute, startCrmServer } from './crm-server.ts';
import { runBlock } from './doc-block.ts';
import { openRecipe, readFixture } from './fixture.ts';
import { runToExit } from './recipe-process.ts';

const PATH_SECRET = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const ORGANIZATION = '00Dd0000000aBcDEAU';
const CLIENT_SECRET = '8A4BE698BCA216718ECB0B1DCA294C69732EAD9472A1790F8FED38DD2E02B5FA';
const DATA = '/services/data/v67.0';
const OWNER = '005R0000000hij0IAA';

/** The organization's records, beyond the fixtures. */
const organization = {
  tokens: 0,
  stages: new Map<string, string>(),
  phones: new Map<string, string | null>(),
  events: new Map<string, Record<string, unknown> | null>(),
  links: new Map<string, string>(),
  writes: [] as string[],
  tasks: [] as Record<string, string>[],
};

function answerQuery({ url }: CrmCall) {
  const soql = new URL(url, 'http://crm').searchParams.get('q') ?? '';
  const [, id = ''] = /'(\w+)'/.exec(soql) ?? [];
  if (/FROM Opportunity WHERE Id = '\w{18}'$/.test(soql)) {
    if (organization.stages.get(id) === 'deleted') return { json: { totalSize: 0, done: true, records: [] } };
    const result = readFixture('salesforce', 'opportunity');
    const [record] = result.records;
    record.StageName = organization.stages.get(id) ?? record.StageName;
    const [role] = record.OpportunityContactRoles.records;
    if (organization.phones.has(id))
      Object.assign(role.Contact, { MobilePhone: organization.phones.get(id), Phone: null });
    return { json: result };
  }
  if (/^SELECT Id FROM Event WHERE WhatId = '\w{18}'$/.test(soql)) {
    const records = [...organization.events].filter(([, event]) => event?.WhatId === id).map(([Id]) => ({ Id }));
    return { json: { totalSize: records.length, done: true, records } };
  }
  const [, field] =
    /^SELECT Description FROM Task WHERE (WhatId|WhoId) = '\w{18}' AND Subject = 'Foreword'$/.exec(soql) ?? [];
  if (field === undefined) throw new Error(`unexpected query: ${soql}`);
  const records = organization.tasks.filter((task) => task[field] === id);
  return { json: { totalSize: records.length, done: true, records } };
}

function answerRecord({ url, groups: [type = '', id = ''] }: CrmCall) {
  const fields = new URL(url, 'http://crm').searchParams.get('fields');
  if (fields === null) throw new Error('fields are required');
  const event = organization.events.get(id);
  if (event === null) return { status: 404, json: [{ errorCode: 'NOT_FOUND', message: 'gone' }] };
  if (fields === 'Foreword_Video__c') return { json: { Foreword_Video__c: organization.links.get(id) ?? null } };
  if (type === 'Event') return { json: { ...readFixture('salesforce', 'event'), ...event, Id: id } };
  if (type === 'Contact') return { json: readFixture('salesforce', 'contact') };
  if (type === 'User' && id === OWNER) return { json: { Id: id, Email: 'ana@acme.example' } };
  throw new Error(`unexpected ${type}`);
}

const routes: CrmRoute[] = [
  {
    method: 'POST',
    path: /^\/services\/oauth2\/token$/,
    answer: ({ body, url }) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      const expected = { grant_type: 'client_credentials', client_id: '3MVG9', client_secret: CLIENT_SECRET };
      if (JSON.stringify(form) !== JSON.stringify(expected)) return { status: 400, json: { error: 'invalid_client' } };
      organization.tokens += 1;
      return { json: { access_token: `token-${organization.tokens}`, instance_url: url, token_type: 'Bearer' } };
    },
  },
  { method: 'GET', path: new RegExp(`^${DATA}/query$`), answer: answerQuery },
  { method: 'GET', path: new RegExp(`^${DATA}/sobjects/(\\w+)/(\\w{18})$`), answer: answerRecord },
  {
    method: 'PATCH',
    path: new RegExp(`^${DATA}/sobjects/(Opportunity|Event)/(\\w{18})$`),
    answer: ({ groups: [type = '', id = ''], body }) => {
      if (Object.keys(body).join() !== 'Foreword_Video__c') throw new Error('only the link is written');
      organization.links.set(id, body.Foreword_Video__c);
      organization.writes.push(`${type} ${id}`);
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: new RegExp(`^${DATA}/sobjects/Task$`),
    answer: ({ body }) => {
      if (body.Subject !== 'Foreword' || body.Status !== 'Completed') throw new Error('unexpected task');
      organization.tasks.push(body);
      return { status: 201, json: { id: '00T', success: true, errors: [] } };
    },
  },
];

const crm = await startCrmServer(routes, ({ url, headers, body }) => {
  if (url.startsWith('/services/oauth2/')) return;
  if (!/^Bearer token-\d+$/.test(headers.authorization ?? '')) throw new Error('the access token is missing');
  if (body !== '' && headers['content-type'] !== 'application/json') throw new Error('bodies are JSON');
});
const fixture = await forFile(
  openRecipe('salesforce', crm, {
    SALESFORCE_URL: crm.url,
    SALESFORCE_CLIENT_ID: '3MVG9',
    SALESFORCE_CLIENT_SECRET: CLIENT_SECRET,
    SALESFORCE_ORGANIZATION_ID: ORGANIZATION,
    SALESFORCE_PATH_SECRET: PATH_SECRET,
  }),
);

const readXml = (name: string) =>
  fs.readFileSync(path.join(import.meta.dirname, `../salesforce/fixtures/${name}.xml`), 'utf8');

const idOf = (type: 'Opportunity' | 'Event', number: number) =>
  `${type === 'Opportunity' ? '006' : '00U'}R${String(number).padStart(11, '0')}MAA`;

/** A message about some records, each with a notification of its own. */
function messageAbout(type: 'Opportunity' | 'Event', ...numbers: number[]) {
  const xml = readXml(type.toLowerCase());
  const [notification = ''] = /<Notification>[\s\S]*<\/Notification>/.exec(xml) ?? [];
  const all = numbers.map((number) => notification.replace(/<sf:Id>\w+</, `<sf:Id>${idOf(type, number)}<`));
  return xml.replace(notification, all.join(''));
}

const HOOK = `/crm/${PATH_SECRET}`;
const send = (xml: string, where = HOOK) => fixture.send(where, xml, { 'content-type': 'text/xml; charset=utf-8' });
const stage = (number: number, name: string) => organization.stages.set(idOf('Opportunity', number), name);

describe('an opportunity', () => {
  test('becomes an intro for the mobile number and the owner, and its link a field of the opportunity, written once', async () => {
    const id = '006R00000009QZaIAM';
    expect(await send(readXml('opportunity'))).toBe(200);
    const [intro, ...others] = await fixture.intros(id);
    expect(others).toEqual([]);
    expect(intro).toMatchObject({
      touchpoint: 'project_kickoff',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Mary', last_name: 'Mcmillan', phone: '+14155550123' },
      reference: { source: 'salesforce', type: 'opportunity', id },
    });
    for (let times = 0; times < 2; times += 1) await fixture.sendReady(id);
    expect(organization.links.get(id)).toMatch(/^http/);
    expect(organization.writes).toEqual([`Opportunity ${id}`]);
  });

  test('in a message with several becomes an intro for each, and a repeat changes nothing', async () => {
    const batch = messageAbout('Opportunity', 11, 12, 13, 12);
    expect(await Promise.all([send(batch), send(batch)])).toEqual([200, 200]);
    expect(await send(batch)).toBe(200);
    for (const number of [11, 12, 13]) expect(await fixture.intros(idOf('Opportunity', number))).toHaveLength(1);
    expect(organization.tokens).toBe(1);
  });

  test('in a stage that is not mapped, and another type of record, create nothing and are acknowledged', async () => {
    stage(21, 'Prospecting');
    expect(await send(messageAbout('Opportunity', 21))).toBe(200);
    expect(await send(messageAbout('Opportunity', 22).replace('sf:Opportunity', 'sf:Account'))).toBe(200);
    for (const number of [21, 22]) expect(await fixture.intros(idOf('Opportunity', number))).toEqual([]);
    expect(fixture.recipe.output()).toContain('the stage Prospecting is not mapped');
  });

  test('that is lost or deleted cancels its intros, and a lost one those of its events', async () => {
    organization.events.set(idOf('Event', 23), { WhatId: idOf('Opportunity', 23) });
    expect(await send(messageAbout('Opportunity', 23, 24))).toBe(200);
    expect(await send(messageAbout('Event', 23))).toBe(200);
    stage(23, 'Closed Lost');
    stage(24, 'deleted');
    const cancelled = [idOf('Opportunity', 23), idOf('Opportunity', 24), idOf('Event', 23)];
    for (const id of cancelled) expect(await fixture.intros(id)).toMatchObject([{ status: 'requested' }]);
    expect(await send(messageAbout('Opportunity', 23, 24))).toBe(200);
    for (const id of cancelled) expect(await fixture.intros(id)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('without a usable number creates nothing, and leaves one task', async () => {
    organization.phones.set(idOf('Opportunity', 31), null);
    organization.phones.set(idOf('Opportunity', 32), '555-01');
    for (const number of [31, 32, 32]) expect(await send(messageAbout('Opportunity', number))).toBe(200);
    for (const number of [31, 32]) expect(await fixture.intros(idOf('Opportunity', number))).toEqual([]);
    expect(organization.tasks.map(({ WhatId }) => WhatId)).toEqual([idOf('Opportunity', 31), idOf('Opportunity', 32)]);
  });
});

describe('an event', () => {
  test('that moves gets a new intro, and one whose subject says that it is cancelled loses it', async () => {
    const id = idOf('Event', 77);
    for (const start of ['2031-05-02T17:00:00.000+0000', '2031-05-03T17:00:00.000+0000']) {
      organization.events.set(id, { StartDateTime: start });
      expect(await send(messageAbout('Event', 77))).toBe(200);
    }
    expect(await fixture.intros(id)).toMatchObject([
      {
        status: 'requested',
        touchpoint: 'new_inspection',
        reference: { type: 'appointment' },
        context: { appointment: { starts_at: '2031-05-03T17:00:00.000Z' } },
      },
      { status: 'cancelled' },
    ]);
    organization.events.set(id, { Subject: 'CANCELED' });
    expect(await send(messageAbout('Event', 77))).toBe(200);
    expect((await fixture.intros(id))[0]).toMatchObject({ status: 'cancelled' });
  });

  test('gets the link in its own field', async () => {
    expect(await send(readXml('event'))).toBe(200);
    await fixture.sendReady('00UR00000012abcMAA');
    expect(organization.writes).toContain('Event 00UR00000012abcMAA');
  });
});

describe('requests', () => {
  test('with a wrong secret or organization are rejected, and create nothing', async () => {
    const before = crm.calls.length;
    const message = messageAbout('Opportunity', 41);
    for (const where of ['/crm', '/crm/wrong', `${HOOK}x`]) expect(await send(message, where)).toBe(401);
    const anotherOrganization = '00Dd0000000efghEAA';
    expect(await send(message.replace(ORGANIZATION, anotherOrganization))).toBe(401);
    expect(crm.calls).toHaveLength(before);
    expect(await fixture.intros(idOf('Opportunity', 41))).toEqual([]);
  });

  test('with hostile XML are rejected: entities, document types, bombs, broken tags and queries in IDs', async () => {
    const before = crm.calls.length;
    const message = messageAbout('Opportunity', 42);
    const [head = '', rest = ''] = message.split('?>');
    const bomb = `${head}?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${rest}`;
    const external = `${head}?><!DOCTYPE x SYSTEM "file:///etc/passwd">${rest}`;
    const hostile = ['', 'x', '{}', bomb, external, message.replace('Closed Won', '&b;'), message.slice(0, -20)];
    const ids = ["' OR Id != '", '../Account/1', ''].map((id) => message.replace(idOf('Opportunity', 42), id));
    const nested = '<a>'.repeat(100_000);
    const shapes = [message.replaceAll('Notification>', 'Other>'), message.replace('</sObject>', ''), `${message}<a/>`];
    for (const xml of [...hostile, ...ids, nested, ...shapes, `<${'a'.repeat(500_000)}`])
      expect(await send(xml)).toBe(400);
    expect(await send(messageAbout('Opportunity', ...Array.from({ length: 101 }, (_, index) => index)))).toBe(400);
    expect(crm.calls).toHaveLength(before);
  });

  test('get a new access token when the old one is refused', async () => {
    const { tokens } = organization;
    crm.interrupt('/query', [{ status: 401, json: [{ errorCode: 'INVALID_SESSION_ID', message: 'expired' }] }]);
    expect(await send(messageAbout('Opportunity', 51))).toBe(200);
    expect(await fixture.intros(idOf('Opportunity', 51))).toHaveLength(1);
    expect(organization.tokens).toBe(tokens + 1);
  });

  test('are not acknowledged while the limit of requests is reached, and complete after that', async () => {
    const batch = messageAbout('Opportunity', 52, 53);
    const limit = { status: 403, json: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'limit' }] };
    crm.interrupt('/query', [limit, limit, { status: 429, headers: { 'retry-after': '1' } }]);
    expect(await send(batch)).toBe(503);
    expect(await send(batch)).toBe(200);
    for (const number of [52, 53]) expect(await fixture.intros(idOf('Opportunity', number))).toHaveLength(1);
  });
});

test('the command of the documentation is acknowledged', async () => {
  const environment = { RECIPE_URL: fixture.recipe.url, SALESFORCE_PATH_SECRET: PATH_SECRET };
  expect(await runBlock('salesforce', 'SALESFORCE_PATH_SECRET', environment)).toContain('<Ack>true</Ack>');
});

test('refuses to start with wrong settings, in one line', async () => {
  const { code, output } = await runToExit('salesforce', { ...fixture.environment, SALESFORCE_ORGANIZATION_ID: '123' });
  expect(code).toBe(78);
  expect(output).toMatch(/^SALESFORCE_ORGANIZATION_ID must start with 00D[^\n]*\n$/);
});
