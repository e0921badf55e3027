import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anEvent, eventually, REFERENCE, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const acme = fixture.organization;
const api = acme.api;

const dryRun = (event: object, from = api) => from.post('/v1/dry_run', event);

/** The number of the organization's rows in each table. */
async function countAll(): Promise<Record<string, number>> {
  const tables = await fixture.database.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'organization_id'
       and table_name not in ('request_log', 'rate_buckets')`,
  );
  expect(tables.length).toBeGreaterThan(30);
  const counts = tables.map(async ({ name }) => {
    const count = `select count(*)::int as n from ${name} where organization_id = $1`;
    const [row] = await fixture.database.query<{ n: number }>(count, [acme.id]);
    return [name, row?.n ?? -1] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

describe('a dry run', () => {
  test('returns the intro that the same event then creates', async () => {
    const event = anEvent({
      touchpoint: 'new_appointment',
      context: { appointment: APPOINTMENT, trade: 'roofing' },
      reference: REFERENCE,
      metadata: { crm_owner: 'west', priority: 2 },
    });
    const { status, body } = await dryRun(event);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'dry_run',
      status: 'processed',
      touchpoint: { slug: 'new_appointment', name: 'New appointment' },
      member: { id: acme.memberId, external_id: 'rep_17' },
      error: null,
    });
    const { id } = await sendEvent(api, event);
    const intro = (await api.get(`/v1/intros/${(await settled(api, id)).intro}`)).body;
    const { instructions, delivery, ...same } = body.intro;
    expect(intro).toMatchObject(same);
    expect(intro.member).toEqual(body.member);
    expect(intro.instructions.script).toBe(instructions.script);
    expect(intro.delivery.responsibility).toBe(delivery.responsibility);
    expect(instructions.words).toBe(instructions.script.trim().split(/\s+/).length);
    expect(instructions.seconds).toBeGreaterThan(5);
  });

  test('creates nothing and notifies no one', async () => {
    // The intro of the test before is complete once the message to its member is settled.
    await eventually(
      () =>
        fixture.database.sql`select from all_messages where purpose = 'ask' and settled_at is not null
          and organization_id = ${acme.id}`,
      { length: 1 },
    );
    const before = await countAll();
    expect((await dryRun(anEvent())).status).toBe(200);
    expect((await dryRun(anEvent({ touchpoint: 'no_such' }))).status).toBe(422);
    expect(await countAll()).toEqual(before);
  });

  test('needs no Idempotency-Key, and ignores one', async () => {
    const json = { 'content-type': 'application/json' };
    const send = (changes: object, headers: Record<string, string> = {}) =>
      api.raw('POST', '/v1/dry_run', { headers: { ...json, ...headers }, body: JSON.stringify(anEvent(changes)) });
    expect((await send({})).status).toBe(200);
    const key = { 'idempotency-key': 'acme_crm:appt_1:dry_run' };
    expect((await send({}, key)).status).toBe(200);
    const other = await send({ touchpoint: 'project_update' }, key);
    expect(other.body).toMatchObject({ touchpoint: { slug: 'project_update' } });
    expect(other.headers.has('idempotent-replayed')).toBe(false);
    expect((await api.post('/v1/touchpoint-events', anEvent(), { key: key['idempotency-key'] })).status).toBe(202);
  });
});

test('an event that would be accepted and then fail is failed, with the error that it would get', async () => {
  await fixture.run('touchpoint', 'set', '--org', acme.id, 'project_update', '--delivery', 'service');
  await fixture.database.sql`insert into opt_outs values (${acme.id}, 'test', '+14155550188', 'text', now())`;
  const event = anEvent({ touchpoint: 'project_update', recipient: { first_name: 'Dana', phone: '+14155550188' } });
  const { status, body } = await dryRun(event);
  expect([status, body.status, body.intro]).toEqual([200, 'failed', null]);
  const { error } = await settled(api, (await sendEvent(api, event)).id);
  expect(body.error).toEqual(error);
  expect(error.code).toBe('recipient_opted_out');
});
