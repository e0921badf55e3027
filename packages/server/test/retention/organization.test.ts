import { RETENTION_POLICIES } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';
import { forFile, tryForeword } from '../harness/index.ts';
import { openRows } from './old-rows.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

const team = await forFile(openTeam());
const rows = openRows(team.database, team.organization.id);

const daysOf = async (rule: string) => {
  const { rules } = (await team.owner.call('GET /retention')).body;
  return rules.find((one) => one.rule === rule);
};
const set = (rule: 'videos' | 'events' | 'requests', days: number) =>
  team.owner.call('POST /retention', { body: { rule, days } });

const newIntro = {
  member: { email: 'member@acme.example' },
  recipient: { first_name: 'Dana', phone: '+15005550123' },
};

describe('the settings', () => {
  test('show every rule with its default', async () => {
    const { rules } = (await team.other.owner.call('GET /retention')).body;
    expect(rules.map(({ rule, days }) => [rule, days])).toEqual(
      Object.entries(RETENTION_POLICIES).map(([rule, policy]) => [rule, policy.default]),
    );
  });

  test('a shorter period takes effect after a day, is recorded, and can be undone', async () => {
    const { status, body } = await set('videos', 30);
    expect(status).toBe(200);
    const shown = body.rules.find(({ rule }) => rule === 'videos');
    expect(shown).toMatchObject({ days: 30, days_until_then: 180, effective_at: expect.any(String) });
    const { entries } = (await team.owner.call('GET /activity')).body;
    expect(entries[0]).toMatchObject({ action: 'organization.changed', fields: ['videos_days'] });
    await set('videos', 180);
    expect(await daysOf('videos')).toMatchObject({ days: 180, effective_at: null, days_until_then: null });
  });

  test('a period outside of the limits is refused, and changes nothing', async () => {
    const before = await daysOf('videos');
    for (const path of ['POST /retention', 'POST /retention/preview'] as const) {
      const { status, error } = await team.owner.call(path, { body: { rule: 'videos', days: 6 } });
      expect([status, error.field, error.message]).toEqual([422, 'days', 'days must be a whole number from 7 to 180.']);
    }
    expect(await daysOf('videos')).toEqual(before);
  });

  test('the commands list and change them; a dry run and a preview count exactly what would be removed', async () => {
    const run = (...args: string[]) => team.run('retention', ...args, '--org', team.organization.id);
    const events = [await rows.event(ago(40)), await rows.event(ago(40)), await rows.event(ago(28))];
    const { data } = await run('list');
    expect(data).toHaveLength(Object.keys(RETENTION_POLICIES).length);
    expect(data[0]).toMatchObject({
      id: 'videos',
      object: 'retention_rule',
      default_days: 180,
      min_days: 7,
      max_days: 180,
    });
    const preview = await run('set', 'events', '--days', '30', '--dry-run', 'true');
    expect(preview).toMatchObject({ object: 'retention_preview', days: 30, removes: 2, has_more: false });
    expect(
      (await team.owner.call('POST /retention/preview', { body: { rule: 'events', days: 30 } })).body,
    ).toMatchObject({ count: 2, has_more: false, effective_at: expect.any(String) });
    expect(await rows.list('touchpoint_events')).toEqual(expect.arrayContaining(events));
    expect(await daysOf('events')).toMatchObject({ days: 400, effective_at: null });
    expect(await run('set', 'requests', '--days', '14')).toMatchObject({
      id: 'requests',
      days: 14,
      effective_at: null,
    });
    expect((await team.owner.call('GET /requests/choices')).body.retention_days).toBe(14);
    const tooLong = ['retention', 'set', 'requests', '--days', '31', '--org', team.organization.id];
    const refused = await tryForeword(team.environment, ...tooLong);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--days must be a whole number from 1 to 30'),
    ]);
  });
});

describe('a repeated request', () => {
  test('for a removed event returns the same as before, and creates nothing', async () => {
    const body = { touchpoint: 'project_update', occurred_at: '2026-03-05T10:00:00Z', ...newIntro };
    const key = nextKey();
    const first = await team.api.post('/v1/touchpoint-events', body, { key });
    expect(first.status).toBe(202);
    const again = await team.api.post('/v1/touchpoint-events', body, { key });
    await team.database.query('delete from touchpoint_events where id = $1', [first.body.id]);
    const later = await team.api.post('/v1/touchpoint-events', body, { key });
    expect([later.status, later.body]).toEqual([again.status, again.body]);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect(await rows.list('touchpoint_events', 'id', `id = '${first.body.id}'`)).toEqual([]);
    const other = { ...body, recipient: { ...body.recipient, first_name: 'Erin' } };
    expect((await team.api.post('/v1/touchpoint-events', other, { key })).status).toBe(409);
  });

  test('without its stored response returns the intro as it is now, and 409 once the intro was removed', async () => {
    const [key, cancelKey] = [nextKey(), nextKey()];
    const { body: intro } = await team.api.post('/v1/intros', newIntro, { key });
    const path = `/v1/intros/${intro.id}`;
    const { body: cancelled } = await team.api.post(`${path}/cancel`, undefined, { key: cancelKey });
    await team.database.query('update idempotency_keys set response = null where object_id = $1', [intro.id]);
    for (const reply of [
      await team.api.post('/v1/intros', newIntro, { key }),
      await team.api.post(`${path}/cancel`, undefined, { key: cancelKey }),
    ]) {
      expect(reply.headers.get('idempotent-replayed')).toBe('true');
      expect(reply.body).toEqual(cancelled);
    }
    const other = { ...newIntro, recipient: { ...newIntro.recipient, first_name: 'Erin' } };
    expect((await team.api.post('/v1/intros', other, { key })).body.error.message).toContain('different request');

    await team.database.query('delete from messages where intro_id = $1', [intro.id]);
    await team.database.query('delete from intros where id = $1', [intro.id]);
    expect((await team.api.get(path)).status).toBe(404);
    for (const reply of [
      await team.api.post('/v1/intros', newIntro, { key }),
      await team.api.post(`${path}/cancel`, undefined, { key: cancelKey }),
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([409, 'idempotency_conflict']);
      expect(reply.body.error.message).toContain(`It belongs to ${intro.id}`);
    }
  });

  test('of an unchanged record returns its member as it is now, and creates none', async () => {
    const key = nextKey();
    const person = { first_name: 'Ivy', last_name: 'Stone', email: 'ivy@acme.example' };
    const { body } = await team.api.post('/v1/members', person, { key });
    const { body: changed } = await team.api.post(`/v1/members/${body.id}`, { title: 'estimator' });
    await team.database.query('update idempotency_keys set response = null where object_id = $1', [body.id]);
    const repeated = await team.api.post('/v1/members', person, { key });
    expect([repeated.status, repeated.body]).toEqual([200, changed]);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  });

  test('for a webhook endpoint names the endpoint', async () => {
    const key = nextKey();
    const endpoint = { url: 'https://crm.acme.example/hook', active: false };
    const { body } = await team.api.post('/v1/webhook_endpoints', endpoint, { key });
    await team.database.query('update idempotency_keys set response = null where object_id = $1', [body.id]);
    const { status, body: refused } = await team.api.post('/v1/webhook_endpoints', endpoint, { key });
    expect([status, refused.error.message]).toEqual([409, expect.stringContaining(body.id)]);
  });
});

test("a member's link to a removed intro answers 410", async () => {
  const { body: intro } = await team.api.post('/v1/intros', newIntro);
  const { url } = await team.run('intro', 'link', intro.id);
  await team.database.query('delete from intros where id = $1', [intro.id]);
  const link = team.service.url + new URL(url).pathname;
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('Acme')]);
  expect((await fetch(`${link.slice(0, -4)}AAAA`)).status).toBe(404);
});
