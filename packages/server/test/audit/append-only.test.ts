import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pools.ts';
import type { Tables } from '../../src/db/tenancy.ts';
import { sweepRetention } from '../../src/privacy/retention/index.ts';
import { openTeam } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';

const team = await forFile(openTeam());
const db = openDatabase<Tables>(
  { connectionString: team.database.url },
  { max: 1, name: 'audit test', onError: () => undefined },
);
afterAll(() => db.close());

const count = async (): Promise<number> => {
  const sql = 'select count(*)::int as n from audit_entries where organization_id = $1';
  const [row] = await team.database.query<{ n: number }>(sql, [team.organization.id]);
  return row?.n ?? 0;
};

let added = 0;
async function addOld(daysAgo: number): Promise<string> {
  const id = `aud_${String(++added).padStart(26, '0')}`;
  await team.database.sql`insert into audit_entries (organization_id, environment, id, at, action, actor_type)
     values (${team.organization.id}, 'test', ${id}, now() - ${daysAgo} * interval '1 day', 'brand.changed', 'system')`;
  return id;
}

const ids = async (): Promise<string[]> => {
  const sql = `select id from audit_entries where organization_id = $1 and action = 'brand.changed' order by at`;
  return (await team.database.query<{ id: string }>(sql, [team.organization.id])).map(({ id }) => id);
};

describe('the table', () => {
  test.each([
    ['update', "update audit_entries set action = 'key.revoked'"],
    ['delete', 'delete from audit_entries'],
    ['truncate', 'truncate audit_entries'],
  ])('rejects %s, even by its owner', async (_name, statement) => {
    const before = await count();
    await expect(team.database.query(statement)).rejects.toThrow('append-only');
    expect(await count()).toBe(before);
  });

  test('keeps the last 90 days, even with the retention function', async () => {
    const before = await count();
    const remove = "select remove_audit_entries($1, 'test', now() - interval '1 hour')";
    await addOld(89);
    await expect(team.database.query(remove, [team.organization.id])).rejects.toThrow('append-only');
    expect(await count()).toBe(before + 1);
  });
});

describe('retention', () => {
  test('deletes whole days older than a year by default, and nothing of other organizations', async () => {
    const [old, kept] = [await addOld(370), await addOld(360)];
    const theirs = 'aud_zzzzzzzzzzzzzzzzzzzzzzzzzz';
    await team.database.sql`insert into audit_entries (organization_id, environment, id, at, action, actor_type)
       values (${team.other.organization.id}, 'test', ${theirs}, now() - interval '360 days', 'brand.changed', 'system')`;
    await sweepRetention({ db, clock: () => new Date() }, ['audit']);
    await sweepRetention({ db, clock: () => new Date() }, ['audit']);
    expect(await ids()).not.toContain(old);
    expect(await ids()).toContain(kept);
    await team.owner.call('POST /retention', { body: { rule: 'audit', days: 90 } });
    await sweepRetention({ db, clock: () => new Date() }, ['audit']);
    expect(await ids()).not.toContain(kept);
    const sql = 'select id from audit_entries where id = $1';
    expect(await team.database.query(sql, [theirs])).toHaveLength(1);
  });

  test.each([[89], [3651], [90.5]])('cannot be set to %s days', async (days) => {
    const { status, error } = await team.owner.call('POST /retention', { body: { rule: 'audit', days } });
    expect([status, error.field]).toEqual([422, 'days']);
  });
});

test('an entry and its change are rolled back together', async () => {
  const before = await count();
  await team.database.query(
    `create function fail_audit() returns trigger language plpgsql as $$ begin raise exception 'no entry'; end $$`,
  );
  await team.database.query(
    `create trigger fail_audit before insert on audit_entries for each row when (new.organization_id = '${team.organization.id}') execute function fail_audit()`,
  );
  const name = 'Acme Unrecorded';
  try {
    const { logo_url: _logo, ...brand } = (await team.owner.call('GET /brand')).body;
    expect((await team.owner.call('POST /brand', { body: { ...brand, name } })).status).toBe(500);
  } finally {
    await team.database.query('drop trigger fail_audit on audit_entries; drop function fail_audit');
  }
  expect(await count()).toBe(before);
  expect((await team.owner.call('GET /brand')).body.name).not.toBe(name);
});
