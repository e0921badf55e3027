import { DAY_MS, MINUTE_MS } from '@foreword/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Row, Tenant } from '../../src/db/tenancy.ts';
import { sendDueEmail } from '../../src/delivery/owner-emails.ts';
import { createKey, notifyOfExpiringKeys } from '../../src/http/access/index.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';
import { type MailService, refusal, startMail } from './mail-server.ts';

const NOON = '2026-06-10T17:00:00Z';
const ENDPOINT = 'we_00000000000000000000000000';

let fixture: DeliveryFixture;
let tenant: Tenant;
let mail: MailService;
/** The mail server's response to the next recipients; null accepts. */
let response: number | null;

beforeEach(async () => {
  response = null;
  mail = await startMail({
    hideSTARTTLS: true,
    onRcptTo: (_address, _session, done) => done(response === null ? null : refusal(response, 'no')),
  });
  const server = { url: `smtp://127.0.0.1:${mail.port}`, from: 'intros@acme.example' };
  fixture = await openDelivery(NOON, { ...LOG_ONLY, mail: server });
  ({ tenant } = await fixture.createOrganization({ member: { email: 'member@acme.example' } }));
  for (const [name, columns] of [
    ['olga', {}],
    ['omar', {}],
    ['gone', { active: false }],
    ['mia', { role: 'manager' }],
  ] as const) {
    await fixture.addMember(tenant, { first_name: name, email: `${name}@acme.example`, ...columns });
  }
});
afterEach(async () => {
  await fixture.close();
  await mail.close();
});

const endpoint = (): Row<'webhook_endpoints'> => ({
  organization_id: tenant.organizationId,
  environment: tenant.environment,
  id: ENDPOINT,
  url: 'https://hooks.acme.example/in?token=hunter2',
  description: null,
  events: ['*'],
  active: false,
  disabled_reason: 'failing',
  secret: Buffer.alloc(0),
  previous_secret: null,
  previous_secret_expires_at: null,
  failing_since: fixture.now(),
  created_at: fixture.now(),
});

const notify = (reason: 'gone' | 'failing' = 'failing') =>
  fixture.db.kysely
    .transaction()
    .execute((tx) => fixture.delivery.ownerEmails.notifyEndpointDisabled(tx, endpoint(), reason));

const emails = () => fixture.database.query<Row<'owner_emails'>>('select * from owner_emails order by address');
const statuses = async () => (await emails()).map(({ status }) => status);

test.each([
  ['failing', 'failed for five days'],
  ['gone', 'status 410'],
] as const)(
  '%s: each active owner, and no one else, gets an email with the endpoint, the reason and what to do',
  async (reason, why) => {
    await notify(reason);
    await fixture.sendEmails();
    expect(await statuses()).toEqual(['accepted', 'accepted']);
    const [first, second] = await emails();
    expect([first?.address, second?.address]).toEqual(['olga@acme.example', 'omar@acme.example']);
    expect(first).toMatchObject({ attempts: 1, subject: 'Webhooks to hooks.acme.example are turned off' });
    for (const part of [
      'Hi olga,',
      'Acme Roofing',
      `https://hooks.acme.example/in (${ENDPOINT})`,
      why,
      `POST /v1/webhook_endpoints/${ENDPOINT} with {"active": true}`,
      '/replay',
    ]) {
      expect(first?.body).toContain(part);
    }
    expect(first?.body).not.toContain('hunter2');
  },
);

test('a busy mail server is tried again, and several workers send each email once', async () => {
  response = 451;
  await notify();
  await fixture.sendEmails();
  for (const { error_message } of await emails()) expect(error_message).toContain('451');
  expect(await statuses()).toEqual(['scheduled', 'scheduled']);
  response = null;
  expect(await fixture.delivery.sendNextEmail()).toBe(false);
  await fixture.pass(MINUTE_MS);
  const workers = Array.from({ length: 3 }, () => fixture.deliveryWith().startSendingEmails());
  await expect.poll(statuses).toEqual(['accepted', 'accepted']);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(mail.emails).toHaveLength(2);
  for (const { id } of await emails()) {
    const own = mail.emails.map(({ source }) => source).filter((source) => source.includes(`<${id}.`));
    expect(own, id).toHaveLength(1);
    expect(own[0]).toContain('Subject: Webhooks to hooks.acme.example are turned off');
    expect(own[0]).toContain('From: Foreword <intros@acme.example>');
    expect(own[0]).not.toMatch(/false|undefined/);
  }
});

test('an email whose worker died is sent by another one after a minute, and none is sent again', async () => {
  await notify();
  const dies = () => Promise.reject(new Error('died'));
  await expect(sendDueEmail({ db: fixture.db, clock: fixture.now }, dies)).rejects.toThrow('died');
  await fixture.sendEmails();
  expect((await statuses()).toSorted()).toEqual(['accepted', 'scheduled']);
  await fixture.pass(MINUTE_MS);
  await fixture.sendEmails();
  expect((await emails()).map(({ attempts }) => attempts).toSorted()).toEqual([1, 2]);
  await fixture.pass(DAY_MS);
  expect(await fixture.delivery.sendNextEmail()).toBe(false);
  expect(mail.emails).toHaveLength(2);
});

test.each([
  ['the mail server refuses the address', 550, 0],
  ['the last of ten attempts fails', 451, 9],
])('an email fails when %s', async (_reason, code, attempts) => {
  await notify();
  await fixture.database.query('update owner_emails set attempts = $1', [attempts]);
  response = code;
  await fixture.sendEmails();
  expect(await statuses()).toEqual(['failed', 'failed']);
  expect(mail.emails).toEqual([]);
});

test('each owner gets one email a week before a key expires, from one of several nodes, with its name and day', async () => {
  const inDays = (days: number) => ({
    expires_at: new Date(fixture.now().getTime() + days * 86_400_000),
    allowed_ips: null,
  });
  const create = (name: string, days: number) => createKey(fixture.db.kysely, fixture.now, tenant, name, inDays(days));
  await create('CRM', 30);
  await create('Later', 60);
  await create('Short-lived', 5);
  const check = () =>
    notifyOfExpiringKeys({ db: fixture.db, clock: fixture.now, notify: fixture.delivery.ownerEmails.notifyKeyExpires });
  await check();
  expect(await emails()).toEqual([]);
  await fixture.pass(23.5 * 86_400_000);
  await Promise.all([check(), check(), check()]);
  await check();
  const sent = await emails();
  expect(sent.map(({ address }) => address)).toEqual(['olga@acme.example', 'omar@acme.example']);
  expect(sent[0]?.subject).toBe('The API key “CRM” expires on July 10, 2026');
  expect(sent[0]?.body).toContain('It has never been used.');
});
