import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealAccount } from '../../src/delivery/index.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Tenant } from '../../src/tables.ts';
import { TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, openDelivery } from './delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await openDelivery('2026-06-10T17:00:00Z');
});
afterAll(() => fixture.close());

const hear = (from: string, body: string, tenant?: Tenant) =>
  fixture.delivery.routes.replies.receive({ from, body, organizationId: tenant?.organizationId ?? null });

const ledgerOf = (phone: string) =>
  fixture.database.query('select organization_id as of, kind from consents where phone = $1 order by id', [phone]);

test('a STOP to the number of an organization is kept for it, though it never texted there', async () => {
  const { tenant } = await fixture.createOrganization({ name: 'Ames Roofing' });
  const phone = '+14155550901';
  const known = { organization: 'Ames Roofing', isKnown: true };
  expect(await hear(phone, 'STOP', tenant)).toEqual({ keyword: 'stop', ...known });
  expect(await ledgerOf(phone)).toEqual([{ of: tenant.organizationId, kind: 'opt_out' }]);
  expect(fixture.events).toEqual([{ type: 'recipient.opted_out', subject: phone }]);
  expect(await hear(phone, 'START', tenant)).toEqual({ keyword: 'start', ...known });
  expect(await ledgerOf(phone)).toHaveLength(2);
});

test('a STOP to the common number before the first text counts for whoever has an intro to bring there', async () => {
  const phone = '+14155550902';
  const { tenant: first, memberId } = await fixture.createOrganization({
    name: 'First',
    member: { notify_by: 'email' },
  });
  const { tenant: handsOver, memberId: theirs } = await fixture.createOrganization({ name: 'Hands over' });
  const { tenant: separate, memberId: apart } = await fixture.createOrganization({ name: 'Separate' });
  await fixture.database.query(
    `insert into delivery_settings (organization_id, environment, twilio_account, updated_at) values ($1, 'test', $2, now())`,
    [separate.organizationId, sealAccount(fixture.seal, separate.organizationId, TWILIO)],
  );
  const id = await fixture.createIntro({ tenant: first, member: memberId, phone });
  await fixture.createIntro({ tenant: handsOver, member: theirs, phone, responsibility: 'integration' });
  await fixture.createIntro({ tenant: separate, member: apart, phone });
  expect(await hear(phone, 'Stop')).toEqual({ keyword: 'stop', organization: 'First', isKnown: true });
  expect(await ledgerOf(phone)).toEqual([{ of: first.organizationId, kind: 'opt_out' }]);
  await fixture.tick();
  await fixture.record(id);
  await fixture.tick();
  expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
});

test('of several organizations none is named, and each heeds it', async () => {
  const phone = '+14155550903';
  for (const name of ['One', 'Two']) {
    const { tenant, memberId } = await fixture.createOrganization({ name });
    await fixture.createIntro({ tenant, member: memberId, phone });
  }
  expect(await hear(phone, 'QUIT')).toEqual({ keyword: 'stop', organization: null, isKnown: true });
  expect(await ledgerOf(phone)).toHaveLength(2);
});

test('a STOP that concerns nobody is not said to be done, and nothing is written', async () => {
  const phone = '+14155550904';
  expect(await hear(phone, 'STOP')).toEqual({ keyword: 'stop', organization: null, isKnown: false });
  const nobody = { organizationId: newId('org', fixture.now()), environment: 'test' } as const;
  expect(await hear(phone, 'STOP', nobody)).toMatchObject({ isKnown: false });
  expect(await ledgerOf(phone)).toEqual([]);
  expect(await fixture.database.query('select 1 from opt_outs where phone = $1', [phone])).toEqual([]);
});

test('looks intros up by an index, however many there are', async () => {
  await fixture.database.query('set enable_seqscan = off');
  const plan = await fixture.database.query<Record<string, string>>(
    "explain select 1 from intros where recipient_phone = '+14155550902' and responsibility = 'service'",
  );
  expect(JSON.stringify(plan)).toContain('intros_phone');
});
