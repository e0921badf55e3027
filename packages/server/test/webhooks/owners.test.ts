import { expect, test } from 'vitest';
import { openCarriers } from '../../src/delivery/index.ts';
import { createOwnerEmails, OWNER_EMAILS } from '../../src/delivery/queue/owner-emails.ts';
import { startJobs } from '../../src/platform/jobs.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver, status } from './receiver.ts';
import { openFixture } from './webhook-fixture.ts';

const fixture = await forFile(openFixture());

test('disabling an endpoint emails its owner, once, in the same commit', async () => {
  const { db, clock } = fixture;
  const settings = { text: { carrier: 'log' }, twilioApiUrl: 'http://127.0.0.1:1', mail: undefined } as const;
  const carriers = openCarriers(settings, { seal: createSeal(Buffer.alloc(32)), clock });
  const log = createLogger('silent');
  const connection = { connectionString: fixture.database.url };
  const jobs = await startJobs({ connection, queues: [OWNER_EMAILS], works: false, log });
  const ownerEmails = createOwnerEmails({ publicUrl: 'https://go.acme.example', db, clock, jobs, carriers, log });
  const tenant = await fixture.newTenant();
  await fixture.database.query(
    `insert into members (organization_id, environment, id, first_name, last_name, email, role, created_at)
     values ($1, 'test', 'mem_1', 'Olga', 'X', 'olga@acme.example', 'owner', now())`,
    [tenant.organizationId],
  );
  const receiver = await startReceiver(status(410));
  const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
  const sender = fixture.startSender({ onDisabled: ownerEmails.notifyEndpointDisabled });
  const emails = () =>
    fixture.database.query<{ address: string; body: string; off: boolean }>(
      'select l.address, l.body, not e.active as off from owner_letters l join webhook_endpoints e using (organization_id)',
    );
  for (let i = 0; i < 3; i++) await fixture.publish(tenant, 'intro.ready', {});
  await expect.poll(async () => (await emails()).length, { timeout: 20_000 }).toBe(1);
  await fixture.publish(tenant, 'intro.ready', {});
  await sender.stop();
  expect(await emails()).toEqual([
    { address: 'olga@acme.example', body: expect.stringContaining(endpoint.id), off: true },
  ]);
  expect(await jobs.waiting(OWNER_EMAILS)).toBe(1);
  await jobs.stop(1_000);
  await receiver.close();
});
