import { once } from 'node:events';
import type net from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKey, notifyOfExpiringKeys } from '../../src/access/index.ts';
import { listOwnerEmails, OWNER_EMAILS } from '../../src/delivery/index.ts';
import type { Tenant, WebhookEndpointRow } from '../../src/tables.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';
const ENDPOINT = 'we_00000000000000000000000000';
const POLL = { timeout: 20_000 };

let fixture: DeliveryFixture;
let tenant: Tenant;
let server: SMTPServer;
/** The source of each email that the mail server accepted. */
let arrived: string[];
/** The mail server's responses to the next recipients; null accepts. */
let response: number | null;

beforeEach(async () => {
  arrived = [];
  response = null;
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo(_address, _session, done) {
      done(response === null ? null : Object.assign(new Error('no'), { responseCode: response }));
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        arrived.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as net.AddressInfo;
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'intros@acme.example' };
  fixture = await openDelivery(NOON, { ...LOG_ONLY, mail }, { startsJobs: true });
  ({ tenant } = await fixture.createOrganization({ member: { email: 'member@acme.example' } }));
  for (const [name, role, active] of [
    ['olga', 'owner', true],
    ['omar', 'owner', true],
    ['gone', 'owner', false],
    ['mia', 'manager', true],
  ] as const) {
    await fixture.database.query(
      `insert into members (organization_id, environment, id, first_name, last_name, email, role, active, created_at)
       values ($1, 'test', $2, $2, 'X', $3, $4, $5, now())`,
      [tenant.organizationId, name, `${name}@acme.example`, role, active],
    );
  }
});
afterEach(async () => {
  await fixture.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const endpoint = (): WebhookEndpointRow => ({
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

interface Row {
  readonly id: string;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
  readonly status: string;
  readonly attempts: number;
  readonly error_message: string | null;
}
const emails = () => fixture.database.query<Row>('select * from owner_letters order by address');
const statuses = async () => (await emails()).map(({ status }) => status);
const jobs = () => fixture.database.query<{ data: object }>("select data from pgboss.job where name = 'owner-emails'");
const advance = (ms: number) => fixture.advanceTo(new Date(fixture.now().getTime() + ms).toISOString());

test.each([
  ['failing', 'failed for five days'],
  ['gone', 'status 410'],
] as const)(
  '%s: each active owner, and no one else, gets an email with the endpoint, the reason and what to do',
  async (reason, why) => {
    await notify(reason);
    await fixture.workOnOwnerEmails();
    await expect.poll(statuses, POLL).toEqual(['accepted', 'accepted']);
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

test('a rollback leaves neither an email nor a job', async () => {
  const rolledBack = fixture.db.kysely.transaction().execute(async (tx) => {
    await fixture.delivery.ownerEmails.notifyEndpointDisabled(tx, endpoint(), 'gone');
    throw new Error('undone');
  });
  await expect(rolledBack).rejects.toThrow('undone');
  expect(await emails()).toEqual([]);
  expect(await jobs()).toEqual([]);
});

test('a job contains ids only', async () => {
  await notify();
  const ids = (await emails()).map(({ id }) => ({ organizationId: tenant.organizationId, id }));
  expect((await jobs()).map(({ data }) => data)).toEqual(expect.arrayContaining(ids));
});

test('a busy mail server is tried again, and several workers send each email once', async () => {
  response = 451;
  await notify();
  for (let i = 0; i < 3; i++) await fixture.workOnOwnerEmails();
  const areRejected = async () =>
    (await emails()).every(({ error_message }) => error_message?.includes('451') ?? false);
  await expect.poll(areRejected, POLL).toBe(true);
  expect(await listOwnerEmails(fixture.db.kysely, tenant)).toMatchObject([
    { status: 'scheduled' },
    { status: 'scheduled' },
  ]);
  response = null;
  await expect.poll(statuses, POLL).toEqual(['accepted', 'accepted']);
  expect(arrived).toHaveLength(2);
  for (const { id } of await emails()) {
    const own = arrived.filter((source) => source.includes(`<${id}.`));
    expect(own, id).toHaveLength(1);
    expect(own[0]).toContain('Subject: Webhooks to hooks.acme.example are turned off');
    expect(own[0]).toContain('From: Foreword <intros@acme.example>');
    expect(own[0]).not.toMatch(/false|undefined/);
  }
}, 60_000);

test('a job that runs again after its email was sent sends nothing', async () => {
  await notify();
  const [email] = await emails();
  const job = { organizationId: tenant.organizationId, id: email?.id ?? '' };
  await fixture.delivery.ownerEmails.send(job);
  await fixture.delivery.ownerEmails.send(job);
  expect(arrived).toHaveLength(1);
  expect((await emails())[0]).toMatchObject({ status: 'accepted', attempts: 1 });
});

test.each([
  ['the mail server refuses the address', 550, 0],
  ['the last retry fails', 451, OWNER_EMAILS.retryLimit],
])('an email fails, and its job ends, when %s', async (_reason, code, attempts) => {
  await notify();
  await fixture.database.query('update owner_letters set attempts = $1', [attempts]);
  response = code;
  await fixture.workOnOwnerEmails();
  await expect.poll(statuses, POLL).toEqual(['failed', 'failed']);
  const open = "select 1 from pgboss.job where name = 'owner-emails' and state <> 'completed'";
  await expect.poll(() => fixture.database.query(open), POLL).toEqual([]);
  expect(arrived).toEqual([]);
});

test('emails that an older version left behind are adopted and sent once', async () => {
  await notify();
  await fixture.database.query("delete from pgboss.job where name = 'owner-emails'");
  const leave = (address: string, status: string, claimedAt: Date | null) =>
    fixture.database.query('update owner_letters set status = $2, claimed_at = $3 where address = $1', [
      address,
      status,
      claimedAt,
    ]);
  await leave('olga@acme.example', 'scheduled', null);
  // The older version may still be sending this one.
  await leave('omar@acme.example', 'sending', fixture.now());
  const { ownerEmails } = fixture.delivery;
  await Promise.all([ownerEmails.adopt(), ownerEmails.adopt()]);
  expect(await jobs()).toHaveLength(1);
  await fixture.workOnOwnerEmails();
  await expect.poll(statuses, POLL).toEqual(['accepted', 'sending']);
  await advance(61_000);
  await ownerEmails.adopt();
  await expect.poll(statuses, POLL).toEqual(['accepted', 'accepted']);
  expect(arrived).toHaveLength(2);
});

test('each owner gets one email a week before a key expires, from one of several nodes, with its name and day', async () => {
  const inDays = (days: number) => ({
    expiresAt: new Date(fixture.now().getTime() + days * 86_400_000),
    allowedIps: null,
  });
  const create = (name: string, days: number) => createKey(fixture.db.kysely, fixture.now, tenant, name, inDays(days));
  await create('CRM', 30);
  await create('Later', 60);
  await create('Short-lived', 5);
  const check = () =>
    notifyOfExpiringKeys({ db: fixture.db, clock: fixture.now, notify: fixture.delivery.ownerEmails.notifyKeyExpires });
  await check();
  expect(await emails()).toEqual([]);
  advance(23.5 * 86_400_000);
  await Promise.all([check(), check(), check()]);
  await check();
  const sent = await emails();
  expect(sent.map(({ address }) => address)).toEqual(['olga@acme.example', 'omar@acme.example']);
  expect(sent[0]?.subject).toBe('The API key “CRM” expires on July 10, 2026');
  expect(sent[0]?.body).toContain('It has never been used.');
});
