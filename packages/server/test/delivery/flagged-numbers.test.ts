import type { Transaction } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { resendManually } from '../../src/delivery/index.ts';
import type { Tables, Tenant } from '../../src/tables.ts';
import { forFile } from '../harness/index.ts';
import { type Behavior, startTwilioService, TWILIO } from './carrier-services.ts';
import { LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const DAY_MS = 86_400_000;
const refusal = (code: number): Behavior => ({
  kind: 'respond',
  status: 400,
  body: JSON.stringify({ code, message: 'No' }),
});
const LANDLINE = refusal(21635);

let tenant: Tenant;
let memberId: string;
let phone: string;
let phones = 0;
const service = await forFile(startTwilioService());
const text = { carrier: 'twilio', account: TWILIO } as const;
const fixture = await forFile(openDelivery('2026-06-10T15:00:00Z', { ...LOG_ONLY, text, twilioApiUrl: service.url }));
beforeEach(async () => {
  phones += 1;
  phone = `+1312557${String(phones).padStart(4, '0')}`;
  service.accepted.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } }));
});

const textOf = async (id: string) => (await fixture.messages(id)).findLast(({ purpose }) => purpose === 'deliver');
const wait = (days: number) => fixture.advanceTo(new Date(fixture.now().getTime() + days * DAY_MS).toISOString());
const flags = () =>
  fixture.database.query('select organization_id as of, failure from flagged_numbers where phone = $1', [phone]);

/** Creates an intro and attempts to send its text. */
async function texted(behavior?: Behavior, from = { tenant, member: memberId }): Promise<string> {
  const id = await fixture.createIntro({ ...from, phone });
  await fixture.tick();
  await fixture.record(id);
  if (behavior !== undefined) service.next(behavior);
  await fixture.tick();
  return id;
}

async function report(id: string, status: 'delivered' | 'undelivered', code: 'unreachable_number' | null = null) {
  const text = await textOf(id);
  const call = { carrier: 'twilio', carrierId: text?.carrier_id ?? '', report: { status, code, message: null } };
  await fixture.delivery.routes.receiveStatus(tenant, text?.id ?? '', call);
}

async function resend(id: string): Promise<void> {
  const run = (tx: Transaction<Tables>) => resendManually(fixture, tx, tenant, id, fixture.now());
  await fixture.db.kysely.transaction().execute(run);
  await fixture.tick();
}

describe('a number that the carrier reports as a landline', () => {
  test('gets no more texts of the organization, and each intro says why; others may text it', async () => {
    await texted(LANDLINE);
    expect(await flags()).toEqual([{ of: tenant.organizationId, failure: 'unreachable_number' }]);
    const next = await texted();
    expect(service.accepted).toEqual([]);
    expect(await fixture.intro(next)).toMatchObject({ status: 'ready', delivery_error_code: 'unreachable_number' });
    expect(await textOf(next)).toMatchObject({ status: 'dropped', attempts: 0, error_code: 'unreachable_number' });
    const other = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await texted(undefined, { tenant: other.tenant, member: other.memberId });
    expect(service.accepted.map(({ to }) => to)).toEqual([phone]);
  });

  test('is flagged by a delivery report, too, and a repeated report changes nothing', async () => {
    const id = await texted();
    for (let n = 0; n < 2; n++) await report(id, 'undelivered', 'unreachable_number');
    expect(await flags()).toHaveLength(1);
    expect(await fixture.intro(await texted())).toMatchObject({ delivery_error_code: 'unreachable_number' });
    expect(service.accepted).toHaveLength(1);
  });

  test('gets a text that someone sends by hand, and others again once it arrived', async () => {
    const first = await texted(LANDLINE);
    await resend(first);
    expect(service.accepted.map(({ to }) => to)).toEqual([phone]);
    expect(await flags()).toHaveLength(1);
    await report(first, 'delivered');
    expect(await flags()).toEqual([]);
    await wait(2);
    await texted();
    expect(service.accepted).toHaveLength(2);
  });

  test.each([
    ['words', 'My new phone'],
    ['a keyword', 'START'],
  ])('gets texts again once it texts us %s', async (_what, body) => {
    await texted(LANDLINE);
    await fixture.delivery.routes.replies.receive({ from: phone, body, organizationId: tenant.organizationId });
    expect(await flags()).toEqual([]);
  });

  test('is tried again after 90 days', async () => {
    await texted(LANDLINE);
    await wait(89);
    expect(await fixture.intro(await texted())).toMatchObject({ delivery_error_code: 'unreachable_number' });
    await wait(1);
    expect(await fixture.intro(await texted())).toMatchObject({ status: 'sent', delivery_error_code: null });
  });
});

test.each([
  [21211, 'invalid_number'],
  [30007, null],
  [21612, null],
  [30003, null],
])('the code %s flags the number as %s', async (code, failure) => {
  await texted(refusal(code));
  expect(await flags()).toEqual(failure === null ? [] : [{ of: tenant.organizationId, failure }]);
});

test('a test number that is asked to fail is not flagged', async () => {
  phone = '+15005550001';
  const id = await texted();
  expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: 'invalid_number' });
  expect(await flags()).toEqual([]);
});

test("a member's number is not flagged: the member gets an email instead", async () => {
  await fixture.database.query("update members set notify_by = 'text', phone = $2 where id = $1", [memberId, phone]);
  const id = await fixture.createIntro({ tenant, member: memberId });
  service.next(LANDLINE);
  await fixture.tick();
  expect((await fixture.messages(id)).map(({ channel }) => channel)).toEqual(expect.arrayContaining(['text', 'email']));
  expect(await flags()).toEqual([]);
});
