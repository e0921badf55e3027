import type { ConsoleQuery } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile, tryForeword } from '../harness/index.ts';
import { newRetryKey, openConsole } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

async function list(query: ConsoleQuery<'GET /members'>) {
  const { status, body } = await team.manager.call('GET /members', { query });
  expect(status).toBe(200);
  return body;
}

describe('roles', () => {
  const PARTING = { to_record: 'leave', recorded: 'leave', replace_pages: false } as const;

  test('cannot be changed by a manager, not even their own', async () => {
    const { id } = await team.add();
    const asked = [
      await team.manager.call('POST /members', {
        body: { key: newRetryKey(), first_name: 'A', last_name: 'B', email: 'fresh@acme.example', role: 'manager' },
      }),
      await team.manager.call('POST /members/:id', { params: { id }, body: { role: 'owner' } }),
      await team.manager.call('POST /members/:id', { params: { id: team.managerId }, body: { role: 'owner' } }),
    ];
    for (const { status, error } of asked) expect([status, error.code]).toEqual([403, 'forbidden']);
    expect((await list({ q: 'fresh@' })).members).toEqual([]);
    expect((await list({ role: 'owner' })).members.map((owner) => owner.id)).toEqual([team.ownerId]);
  });

  test("prevent a manager from changing an owner's email and from deactivating an owner", async () => {
    const { id } = await team.add({ role: 'owner' });
    const params = { id };
    const email = await team.manager.call('POST /members/:id', { params, body: { email: 'mine@acme.example' } });
    expect([email.status, email.error.field]).toEqual([403, 'email']);
    const out = await team.manager.call('POST /members/:id/deactivate', { params, body: PARTING });
    expect(out.status).toBe(403);
    const phone = await team.manager.call('POST /members/:id', { params, body: { phone: '+14155550111' } });
    expect(phone.body).toMatchObject({ phone: '+14155550111', active: true });
    await team.owner.call('POST /members/:id/deactivate', { params, body: PARTING });
    expect((await team.manager.call('POST /members/:id/reactivate', { params })).status).toBe(403);
  });

  test('keep the last active owner, even when two owners remove each other at once', async () => {
    const params = { id: team.ownerId };
    const alone = await team.owner.call('POST /members/:id', { params, body: { role: 'member' } });
    expect([alone.status, alone.error.code]).toEqual([409, 'last_owner']);
    const other = await team.add({ role: 'owner', email: 'second@acme.example' });
    const second = await openConsole(
      { url: team.service.url, environment: { DATABASE_URL: team.database.url } },
      { org: team.organization.id, email: other.email },
    );
    const both = await Promise.all([
      team.owner.call('POST /members/:id', { params: { id: other.id }, body: { role: 'manager' } }),
      second.call('POST /members/:id', { params, body: { role: 'manager' } }),
    ]);
    expect((await list({ role: 'owner', active: true })).members).toHaveLength(1);
    expect(both.map(({ status }) => status).sort()).toContain(200);
    await team.database.query(`update members set role = 'owner' where id = $1`, [team.ownerId]);
    await team.database.query(`update members set role = 'member' where id = $1`, [other.id]);
  });

  test.each([
    ['GET /members', {}],
    ['POST /members', { body: { key: newRetryKey(), first_name: 'A', last_name: 'B', email: 'ab@acme.example' } }],
    ['GET /members/:id', {}],
    ['POST /members/:id', { body: { title: 'x' } }],
    ['POST /members/:id/photo', { body: { image: '' } }],
    ['DELETE /members/:id/photo', {}],
    ['POST /members/:id/deactivate', { body: PARTING }],
    ['POST /members/:id/reactivate', {}],
    ['POST /members/:id/confirm-email', {}],
    ['POST /members/:id/replace-pages', {}],
    ['POST /members/:id/restore-pages', {}],
    ['POST /members/import/preview', { body: { text: 'email\na@b.c' } }],
    ['POST /members/import', { body: { text: 'email\na@b.c', fingerprint: 'x', skip_problems: true } }],
  ] as const)('reject %s by a member and by another organization', async (key, ask) => {
    const params = { id: team.organization.memberId };
    const refused = await team.member.call(key, { params, ...ask } as never);
    expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
    if (!key.includes(':id')) return;
    const before = await team.owner.call('GET /members/:id', { params });
    const foreign = await team.other.owner.call(key, { params, ...ask } as never);
    expect([foreign.status, foreign.error.code]).toEqual([404, 'not_found']);
    expect((await team.owner.call('GET /members/:id', { params })).body).toEqual(before.body);
  });
});

test('a member created by the command is in the list', async () => {
  const person = ['--first-name', 'Cli', '--last-name', 'Made', '--email', 'cli@acme.example'];
  const { code } = await tryForeword(team.environment, 'member', 'create', '--org', team.organization.id, ...person);
  expect(code).toBe(0);
  expect((await list({ q: 'cli made' })).members.map(({ email }) => email)).toEqual(['cli@acme.example']);
});
