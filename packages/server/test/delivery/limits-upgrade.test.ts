import { expect, test } from 'vitest';
import { readTextLimits } from '../../src/delivery/index.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { readMigrations } from '../../src/platform/migrate.ts';
import type { Tables, Tenant } from '../../src/tables.ts';
import { createTestDatabase } from '../harness/index.ts';

const tenant: Tenant = { organizationId: 'org_before', environment: 'test' };
const owned = `'${tenant.organizationId}', 'test'`;

/** One text for each number. */
const texts = (phones: readonly string[], { daysAgo, carrier = 'twilio' }: { daysAgo: number; carrier?: string }) =>
  phones.map(
    (phone) => `
    insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, due_at, address,
      carrier, created_at, accepted_at)
    values (${owned}, 'msg_${phone}', 'int_${phone}', 'recipient', 'deliver', 'text', 'accepted', now(), '${phone}',
      '${carrier}', now(), now() - interval '${daysAgo} days')`,
  );

const intro = (status: string, phone: string) => `
  insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone, instructed,
    responsibility, metadata, created_at)
  values (${owned}, 'int_${status}', '${status}', 'mem_1', 'Dana', '${phone}', false, 'service', '{}', now())`;

test('after the upgrade, an organization texts the countries that it texted before, and its busiest day counts', async () => {
  const database = await createTestDatabase('template0');
  const db = openDatabase<Tables>(
    { connectionString: database.url },
    { max: 2, name: 'test', keyedPlans: true, onError: () => undefined },
  );
  try {
    const migrations = readMigrations();
    const at = migrations.findIndex(({ name }) => name.endsWith('text_limits.sql'));
    for (const { sql } of migrations.slice(0, at)) await database.query(sql);
    const setup = [
      `insert into organizations (id, name, industry, timezone, created_at)
       values ('${tenant.organizationId}', 'Acme', 'real_estate', 'Europe/London', now())`,
      `insert into members (organization_id, environment, id, first_name, last_name, email, phone, role, created_at)
       values (${owned}, 'mem_1', 'Ana', 'Ng', 'ana@acme.example', '+33612345678', 'owner', now())`,
      ...texts(['+16045550123', '+18765550123', '+447400123456', '+882161234567'], { daysAgo: 20 }),
      ...texts(['+4915112345678'], { daysAgo: 89 }),
      ...texts(['+5511912345678'], { daysAgo: 91 }),
      ...texts(['+818012345678'], { daysAgo: 1, carrier: 'log' }),
      ...texts(['+15005550006'], { daysAgo: 1, carrier: 'simulated' }),
      intro('requested', '+61412345678'),
      intro('cancelled', '+6591234567'),
    ];
    for (const statement of setup) await database.query(statement);
    for (const { sql } of migrations.slice(at)) await database.query(sql);

    const limits = await readTextLimits(db.kysely, tenant, new Date());
    expect(limits.countries).toEqual(['AU', 'CA', 'DE', 'FR', 'GB', 'JM']);
    expect(limits.hasOwnCountries).toBe(false);
    const counts = await database.query('select subject, sent from text_counts');
    expect(counts).toEqual([{ subject: '', sent: 4 }]);
  } finally {
    await db.close();
    await database.drop();
  }
});
