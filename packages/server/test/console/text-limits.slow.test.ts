import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const change = (body: object, client = team.owner) => client.call('POST /text-limits', { body });
const pause = () =>
  team.database
    .sql`insert into delivery_settings (organization_id, environment, texts_paused_at, texts_paused_for, updated_at)
     values (${team.organization.id}, 'test', now(), 'burst', now())
     on conflict (organization_id, environment) do update set texts_paused_at = now(), texts_paused_for = 'burst'`;
const show = () => team.run('delivery', 'show', '--org', team.organization.id);

test('an owner changes the countries, which the command shows; a manager only sees them', async () => {
  const before = (await team.manager.call('GET /text-limits')).body;
  expect(before).toMatchObject({
    countries: ['US'],
    has_own_countries: false,
    forwards_replies: false,
    limits: { organization: 1_000, member: 200, recipient: 5 },
    texts_today: 0,
    paused: null,
    account: { faults: [], held_texts: 0, is_own: false },
  });
  expect((await change({ countries: ['US', 'CA'] })).body).toMatchObject({
    countries: ['CA', 'US'],
    has_own_countries: true,
  });
  expect(await show()).toMatchObject({ countries: ['CA', 'US'], text_test_recordings: false, daily_texts: 1_000 });
  expect((await change({ forwards_replies: true })).body).toMatchObject({ forwards_replies: true });
  expect(await show()).toMatchObject({ forward_replies: true });
  const off = ['delivery', 'set', '--org', team.organization.id, '--forward-replies', 'false'];
  expect(await team.run(...off)).toMatchObject({ forward_replies: false });
  expect((await change({ forwards_replies: true }, team.manager)).status).toBe(403);
  expect((await change({ countries: null })).body).toEqual(before);

  expect((await change({ countries: ['US'] }, team.manager)).status).toBe(403);
  const unknown = await change({ countries: ['US', 'XX'] });
  expect([unknown.status, unknown.error.field]).toEqual([422, 'countries']);
  expect((await team.owner.call('GET /text-limits')).body).toEqual(before);
  expect((await team.other.owner.call('GET /text-limits')).body.countries).toEqual(['US']);
});

test('an owner or the operator resumes paused texts, of their organization only; a manager cannot', async () => {
  await pause();
  expect((await team.manager.call('GET /text-limits')).body.paused).toMatchObject({ reason: 'burst' });
  expect((await team.manager.call('POST /text-limits/resume')).status).toBe(403);
  expect((await team.other.owner.call('POST /text-limits/resume')).status).toBe(200);
  expect(await show()).toMatchObject({ texts_paused_for: 'burst' });
  expect((await team.owner.call('POST /text-limits/resume')).body.paused).toBeNull();
  await pause();
  expect(await team.run('delivery', 'resume', '--org', team.organization.id)).toMatchObject({ texts_paused_for: null });
});

test('the operator sets the daily limits, and removes them again', async () => {
  const set = (...args: string[]) => team.run('delivery', 'set', '--org', team.organization.id, ...args);
  const limits = ['--daily-texts', '5000', '--daily-texts-per-member', '50', '--daily-texts-per-recipient', '0'];
  expect(await set(...limits)).toMatchObject({
    daily_texts: 5_000,
    daily_texts_per_member: 50,
    daily_texts_per_recipient: 0,
  });
  expect((await team.owner.call('GET /text-limits')).body.limits).toEqual({
    organization: 5_000,
    member: 50,
    recipient: 0,
  });
  const defaults = limits.map((value) => (value.startsWith('--') ? value : 'default'));
  expect(await set(...defaults)).toMatchObject({ daily_texts: 1_000, daily_texts_per_member: 200 });
  await expect(set('--countries', 'US,XX')).rejects.toThrow('XX is not a country code');
});
