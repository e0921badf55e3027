import { beforeEach, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import type { Behavior } from './carrier-services.ts';
import type { NewIntro } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z', 'twilio'));
const { carrier } = fixture;
beforeEach(() => {
  carrier.accepted.length = 0;
});

/** An organization with this many members, each with a number, and an intro of each. */
async function introsOf(count: number): Promise<NewIntro[]> {
  const { tenant } = await fixture.createOrganization();
  const members = Array.from({ length: count }, (_, n) =>
    fixture.addMember(tenant, { role: 'member', phone: `+1312555${String(1_000 + n)}`, email: `m${n}@acme.example` }),
  );
  return (await Promise.all(members)).map((member) => ({ tenant, member }));
}

const queued = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => fixture.messagesFor(id, 'ask')))).flat();

/** A carrier may answer at any moment. */
const statusesOf = async (ids: readonly string[]) => (await queued(ids)).map(({ status }) => status);

test('members are texted after the transaction that creates their intros, and the reminders wait in the queue', async () => {
  const appointment = { startsAt: '2026-06-15T20:00:00Z', timezone: 'America/Chicago' };
  const ids = await fixture.createTogether((await introsOf(3)).map((intro) => ({ ...intro, appointment })));
  expect(await statusesOf(ids)).not.toContain('scheduled');
  await fixture.tick();
  expect(await statusesOf(ids)).toEqual(ids.map(() => 'accepted'));
  expect(carrier.accepted.map(({ body }) => body)).toEqual(
    expect.arrayContaining(ids.map((id) => expect.stringContaining(fixture.links.recordUrl(id, 0)))),
  );
  expect(carrier.accepted).toHaveLength(3);
  for (const id of ids) expect(await fixture.messagesFor(id, 'remind')).toMatchObject([{ status: 'scheduled' }]);
});

test('a transaction that fails sends nothing, and its slots are free again', async () => {
  const intros = await introsOf(80);
  for (let n = 0; n < 2; n++) await expect(fixture.createTogether(intros, { fails: true })).rejects.toThrow('fails');
  await fixture.tick();
  expect(carrier.accepted).toEqual([]);
  const ids = await fixture.createTogether(intros);
  expect((await statusesOf(ids)).filter((status) => status !== 'scheduled')).toHaveLength(80);
  await fixture.tick();
});

test('messages for which no slot is free wait in the queue, and some slots stay free for other organizations', async () => {
  const { promise: hanging, resolve: answer } = Promise.withResolvers<void>();
  const behaviors = Array.from({ length: 84 }, (): Behavior => ({ kind: 'accept_silently', until: hanging }));
  carrier.next(...behaviors);
  const ids = await fixture.createTogether(await introsOf(100));
  const statuses = await statusesOf(ids);
  expect(statuses.filter((status) => status === 'sending')).toHaveLength(84);
  expect(statuses.filter((status) => status === 'scheduled')).toHaveLength(16);
  const others = await fixture.createTogether(await introsOf(4));
  expect(await statusesOf(others)).not.toContain('scheduled');
  answer();
  await fixture.tick();
});

test('an organization with a test clock sends nothing before its clock moves', async () => {
  const [id = ''] = await fixture.createTogether(await introsOf(1), { isOnTestClock: true });
  expect(await queued([id])).toMatchObject([{ status: 'scheduled', attempts: 0 }]);
});

test('the text of a worker that ended is looked up, and not sent again', async () => {
  const [id = ''] = await fixture.createTogether(await introsOf(1));
  await fixture.tick();
  const [sent] = await queued([id]);
  // As if the worker had ended right after the carrier got it.
  await fixture.database.query('delete from message_queue where intro_id = $1', [id]);
  await fixture.database.query(
    `with removed as (delete from messages where intro_id = $1 returning *)
     insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, due_at, created_at, channel, address,
       body, carrier, attempts, claimed_at)
     select organization_id, environment, id, intro_id, audience, purpose, due_at, created_at, channel, address, body, carrier, 1,
       now() - interval '1 hour' from removed`,
    [id],
  );
  const lookups = carrier.lookups;
  await fixture.tick();
  expect(carrier.lookups).toBeGreaterThan(lookups);
  expect(await queued([id])).toMatchObject([{ status: 'accepted', carrier_id: sent?.carrier_id }]);
  const link = fixture.links.recordUrl(id, 0);
  expect(carrier.accepted.filter(({ body }) => body.endsWith(link))).toHaveLength(1);
});
