import fs from 'node:fs';
import path from 'node:path';
import type { ConsoleQuery } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { sweepRetention } from '../../src/privacy/retention/index.ts';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openTeam } from '../console/team-fixture.ts';
import { openPool } from '../db/fixture.ts';
import { forFile } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const team = await forFile(openTeam());

const read = async (query: ConsoleQuery<'GET /activity'> = {}, client = team.owner) => {
  const { status, body } = await client.call('GET /activity', { query });
  expect(status).toBe(200);
  return body;
};

const exported = async (query = '', client = team.owner): Promise<{ status: number; lines: string[] }> => {
  const response = await client.get(`/console/export/activity.csv${query}`);
  return { status: response.status, lines: (await response.text()).trim().split('\r\n') };
};

describe('the list of activity', () => {
  test('names actors and objects as they are called now, and filters by actor, action and id', async () => {
    const { id } = await team.add({ first_name: 'Bo', last_name: 'Lee' });
    await team.manager.call('POST /members/{id}', { params: { id }, body: { title: 'estimator' } });
    await team.owner.call('POST /members/{id}', { params: { id }, body: { last_name: 'Lind' } });
    const { entries } = await read({ q: id });
    expect(entries.map(({ action, fields }) => [action, fields])).toEqual([
      ['member.changed', ['last_name']],
      ['member.changed', ['title']],
      ['member.added', []],
    ]);
    expect(entries[1]).toMatchObject({
      actor: { type: 'member', id: team.managerId, name: 'manager Team' },
      object: { id, name: 'Bo Lind' },
      ip: expect.any(String),
    });
    const ofManager = await read({ q: id, actor: team.managerId });
    expect(ofManager.entries.map(({ fields }) => fields)).toEqual([['title']]);
    expect((await read({ q: id, action: 'member.added' })).entries).toHaveLength(1);
    expect((await read({ q: id, group: 'brand' })).entries).toEqual([]);
    expect((await read({ q: id, actor_type: 'key' })).entries).toEqual([]);
    const [first] = entries;
    expect((await read({ q: first?.request_id ?? '' })).entries.map(({ id: one }) => one)).toEqual([first?.id]);
    expect((await read({ q: first?.id ?? '' })).entries).toHaveLength(1);
  });

  test('shows who got a reassigned intro', async () => {
    const { id: intro } = await createIntro(team.api);
    const { id: member } = await team.add({ first_name: 'Cleo', last_name: 'Park' });
    await team.manager.call('POST /intros/{id}/reassign', { params: { id: intro }, body: { member } });
    const { entries } = await read({ q: intro });
    expect(entries).toMatchObject([
      {
        action: 'intro.reassigned',
        object: { id: intro, name: 'Dana Reyes' },
        related: { id: member, name: 'Cleo Park' },
      },
    ]);
  });

  test('has pages without gaps or repetitions, even for entries of the same moment', async () => {
    await team.database.sql`insert into audit_entries (organization_id, environment, id, at, action, actor_type)
       select ${team.organization.id}, 'test', 'aud_' || lpad(n::text, 26, '0'), '2026-01-01', 'export.created', 'operator' from generate_series(1, 120) n`;
    const found: string[] = [];
    let before: string | undefined;
    do {
      const page = await read({ group: 'export', ...(before !== undefined && { before }) });
      found.push(...page.entries.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((id) => id.startsWith('aud_0000'))).toHaveLength(120);
    const { status } = await team.owner.call('GET /activity', { query: { before: 'aud_none' } });
    expect(status).toBe(422);
  });

  test('has the entries of whole days in the organization’s time zone, as has the export', async () => {
    await team.database.query(
      `insert into audit_entries (organization_id, environment, id, at, action, actor_type)
       select $1, 'test', 'aud_day' || row_number() over (), at::timestamptz, 'brand.changed', 'operator'
       from unnest($2::text[]) at`,
      [
        team.organization.id,
        ['2026-03-07T05:59:59Z', '2026-03-07T06:00:00Z', '2026-03-09T04:59:59Z', '2026-03-09T05:00:00Z'],
      ],
    );
    // The clocks change on the last day.
    const period = { from: '2026-03-07', to: '2026-03-08' };
    const days = async (query: ConsoleQuery<'GET /activity'>) =>
      (await read({ group: 'brand', ...query })).entries.map(({ id }) => id).filter((id) => id.startsWith('aud_day'));
    expect(await days(period)).toEqual(['aud_day3', 'aud_day2']);
    expect(await days({ to: period.to })).toEqual(['aud_day3', 'aud_day2', 'aud_day1']);
    expect(await days({ from: period.from })).toEqual(['aud_day4', 'aud_day3', 'aud_day2']);
    expect((await exported('?group=brand&from=2026-03-07&to=2026-03-08')).lines).toHaveLength(3);
    const wrong = await team.owner.call('GET /activity', { query: { from: '2026-02-30' } });
    expect(wrong).toMatchObject({ status: 422, error: { field: 'from' } });
  });

  test('shows managers no sign-ins, keys and addresses', async () => {
    await team.owner.call('POST /keys', { body: { name: 'Hidden' } });
    const { entries } = await read({}, team.manager);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter(({ action }) => /^(session|passkey|key)\./.test(action))).toEqual([]);
    expect(entries.every(({ ip, user_agent }) => ip === null && user_agent === null)).toBe(true);
    expect((await read({ action: 'key.created' }, team.manager)).entries).toEqual([]);
    expect((await read({ action: 'key.created' })).entries.length).toBeGreaterThan(0);
  });
});

describe('the export', () => {
  test('has a line per entry that matches, oldest first, and is an entry itself', async () => {
    const { id } = await team.add({ first_name: 'Dee', last_name: 'Moss' });
    const { status, lines } = await exported(`?q=${id}`);
    expect(status).toBe(200);
    expect(lines[0]).toMatch(/^\ufeff?id,at,action,actor_type,/);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`,member.added,member,${team.ownerId},owner Team,${id},`);
    expect((await read()).entries[0]).toMatchObject({ action: 'export.created', object: { id: 'activity' } });
    await team.manager.get('/console/export/intros.csv?days=7');
    expect((await read()).entries[0]).toMatchObject({
      action: 'export.created',
      object: { id: 'intros' },
      actor: { id: team.managerId },
    });
  });

  test('refuses unknown filters', async () => {
    expect((await exported('?action=none')).status).toBe(422);
    expect((await exported('?before=aud_1')).status).toBe(422);
  });
});

test('foreword audit lists entries, and writes them to a file', async () => {
  const { id } = await team.add();
  const org = ['--org', team.organization.id];
  const list = await team.run('audit', 'list', ...org, '--id', id);
  expect(list.data).toMatchObject([{ object: 'audit_entry', action: 'member.added', target: { id } }]);
  const file = path.join(temporaryFolder(), 'activity.csv');
  const written = await team.run('audit', 'export', file, ...org, '--id', id);
  expect(written).toMatchObject({ object: 'audit_export', file });
  // It contains personal data.
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file, 'utf8').trim().split('\r\n')).toHaveLength(2);
  expect((await read()).entries[0]).toMatchObject({ action: 'export.created', actor: { type: 'operator' } });
});

test('the archive of an organization is written once at a time, and the refused ones are not recorded', async () => {
  const count =
    "select count(*)::int as n from audit_entries where organization_id = $1 and object_id = 'organization'";
  const created = async () => (await team.database.query<{ n: number }>(count, [team.organization.id]))[0]?.n ?? 0;
  // One of four requests at once may arrive after another has ended, so it takes some rounds until one is refused.
  const { written, refused, before } = await eventually(
    async () => {
      const before = await created();
      const responses = await Promise.all([1, 2, 3, 4].map(() => team.owner.get('/console/export/organization.tar')));
      const written = responses.filter(({ status }) => status === 200);
      await Promise.all(written.map((response) => response.arrayBuffer()));
      return { before, written, refused: responses.find(({ status }) => status === 429) };
    },
    (round) => round.refused !== undefined,
    60_000,
  );
  expect(await refused?.json()).toMatchObject({
    error: { code: 'rate_limited', message: expect.stringContaining('already running') },
  });
  expect(await created()).toBe(before + written.length);

  const estimate = async () => (await team.owner.call('GET /export')).body.is_running;
  await expect.poll(estimate).toBe(false);
  // Downloads that are cancelled at different steps.
  for (const afterMs of [2, 5, 10, 20, 40]) {
    const options = { headers: { cookie: team.owner.cookie }, signal: AbortSignal.timeout(afterMs) };
    const left = fetch(`${team.service.url}/console/export/organization.tar`, options);
    await left.then((response) => response.arrayBuffer()).catch(() => null);
    await expect.poll(estimate).toBe(false);
  }
  await expect.poll(async () => (await team.owner.get('/console/export/organization.tar')).status).toBe(200);
});

test('an intro that a member hands over in the recorder has the member, the address and the request', async () => {
  const { id: intro } = await createIntro(team.api);
  const { id: colleague } = await team.add();
  const { url } = await team.run('intro', 'link', intro);
  const link = team.service.url + new URL(url).pathname;
  const headers = { 'content-type': 'application/json', origin: team.service.url };
  const reply = await fetch(`${link}/hand-over`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ member: colleague }),
  });
  expect(reply.status).toBe(204);
  const { entries } = await read({ q: intro });
  expect(entries).toMatchObject([
    {
      action: 'intro.reassigned',
      actor: { type: 'member', id: team.organization.memberId },
      related: { id: colleague },
      ip: expect.any(String),
      request_id: reply.headers.get('request-id'),
    },
  ]);
});

const db = await forFile(Promise.resolve(openPool(team.database.url)));

const count = async (): Promise<number> => {
  const sql = 'select count(*)::int as n from audit_entries where organization_id = $1';
  const [row] = await team.database.query<{ n: number }>(sql, [team.organization.id]);
  return row?.n ?? 0;
};

/** Above the ids of the entries on many pages. */
let added = 1_000;
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
