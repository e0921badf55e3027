import { once } from 'node:events';
import type net from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, it } from 'vitest';
import type { CarrierSettings } from '../../src/delivery/index.ts';
import type { Tenant, WebhookEndpointRow } from '../../src/tables.ts';
import { NOTHING_LEAVES, openStage, type Stage } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';

let stage: Stage;
afterEach(() => stage.close());

const ENDPOINT = 'we_00000000000000000000000000';

async function open(settings: CarrierSettings = NOTHING_LEAVES): Promise<Tenant> {
  stage = await openStage(NOON, settings);
  const { tenant } = await stage.organize({ member: { email: 'member@acme.example' } });
  for (const [name, role, active] of [
    ['olga', 'owner', true],
    ['omar', 'owner', true],
    ['gone', 'owner', false],
    ['mia', 'manager', true],
  ] as const) {
    await stage.database.query(
      `insert into members (organization_id, environment, id, first_name, last_name, email, role, active, created_at)
       values ($1, 'test', $2, $2, 'X', $3, $4, $5, now())`,
      [tenant.organizationId, name, `${name}@acme.example`, role, active],
    );
  }
  return tenant;
}

const endpointOf = (tenant: Tenant): WebhookEndpointRow => ({
  organization_id: tenant.organizationId,
  environment: tenant.environment,
  id: ENDPOINT,
  url: 'https://hooks.acme.example/in?token=hunter2',
  events: ['*'],
  active: false,
  disabled_reason: 'failing',
  secret: Buffer.alloc(0),
  previous_secret: null,
  previous_secret_expires_at: null,
  failing_since: stage.now(),
  created_at: stage.now(),
});

const tell = (tenant: Tenant, reason: 'gone' | 'failing' = 'failing') =>
  stage.db.kysely.transaction().execute((tx) => stage.delivery.tellDisabled(tx, endpointOf(tenant), reason));

interface Row {
  readonly id: string;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
  readonly status: string;
  readonly attempts: number;
  readonly error_message: string | null;
}
const letters = () => stage.database.query<Row>('select * from owner_letters order by address');
const later = (ms: number) => stage.until(new Date(stage.now().getTime() + ms).toISOString());

it.each([
  ['failing', 'For five days everything'],
  ['gone', 'status 410'],
] as const)(
  '%s: each active owner is told which endpoint, why and what to do, and nobody else',
  async (reason, why) => {
    await tell(await open(), reason);
    await stage.delivery.engine.tick();
    const [first, second, ...others] = await letters();
    expect(others).toEqual([]);
    expect([first?.address, second?.address]).toEqual(['olga@acme.example', 'omar@acme.example']);
    expect(first).toMatchObject({
      status: 'accepted',
      attempts: 1,
      subject: 'Webhooks to hooks.acme.example are turned off',
    });
    for (const words of [
      'Hi olga,',
      'Acme Roofing',
      `https://hooks.acme.example/in (${ENDPOINT})`,
      why,
      `POST /v1/webhook_endpoints/${ENDPOINT} with {"active": true}`,
      '/replay',
    ]) {
      expect(first?.body).toContain(words);
    }
    expect(first?.body).not.toContain('hunter2');
  },
);

it('nobody is told of what was rolled back', async () => {
  const tenant = await open();
  const telling = stage.db.kysely.transaction().execute(async (tx) => {
    await stage.delivery.tellDisabled(tx, endpointOf(tenant), 'gone');
    throw new Error('undone');
  });
  await expect(telling).rejects.toThrow('undone');
  await stage.delivery.engine.tick();
  expect(await letters()).toEqual([]);
});

it('several workers at once send each letter once, to the mail server as it is kept', async () => {
  const arrived: string[] = [];
  let isBusy = true;
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo(_address, _session, done) {
      done(isBusy ? Object.assign(new Error('later'), { responseCode: 451 }) : null);
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
  const settings = { ...NOTHING_LEAVES, mail: { url: `smtp://127.0.0.1:${port}`, from: 'intros@acme.example' } };
  await tell(await open(settings));
  await stage.delivery.engine.tick();
  for (const row of await letters()) expect(row).toMatchObject({ status: 'scheduled', attempts: 1 });
  isBusy = false;
  await later(5_000);
  const workers = [stage.delivery, stage.engineWith(settings), stage.engineWith(settings)];
  await Promise.all(workers.map(({ engine }) => engine.tick()));
  for (const row of await letters()) expect(row).toMatchObject({ status: 'accepted', attempts: 2 });
  expect(arrived).toHaveLength(2);
  for (const [at, { id }] of (await letters()).entries()) {
    const own = arrived.filter((source) => source.includes(`<${id}@`));
    expect(own, `letter ${at}`).toHaveLength(1);
    expect(own[0]).toContain('Subject: Webhooks to hooks.acme.example are turned off');
    expect(own[0]).toContain('From: Foreword <intros@acme.example>');
    expect(own[0]).not.toMatch(/false|undefined/);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

it('letters of a worker that died are sent by another, after a while', async () => {
  await tell(await open());
  await stage.database.query("update owner_letters set status = 'sending', attempts = 1, claimed_at = $1", [
    stage.now(),
  ]);
  await later(30_000);
  await stage.delivery.engine.tick();
  expect((await letters()).map(({ status }) => status)).toEqual(['sending', 'sending']);
  await later(31_000);
  await stage.delivery.engine.tick();
  for (const row of await letters()) expect(row).toMatchObject({ status: 'accepted', attempts: 2 });
});
