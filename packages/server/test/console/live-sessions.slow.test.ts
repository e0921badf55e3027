import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { openConsole } from './console-client.ts';
import { openStream } from './live-stream.ts';
import { openTeam, type Team } from './team-fixture.ts';

let team: Team;
beforeAll(async () => {
  team = await openTeam({ RATE_LIMIT: 'off' });
});
afterAll(() => team?.close());

test('streams of ended sessions and deactivated members are closed within about 30 seconds', {
  timeout: 60_000,
}, async () => {
  const { body } = await team.member.call('GET /session');
  const left = await team.add({ email: 'left@acme.example' });
  const site = { url: team.service.url, environment: { DATABASE_URL: team.database.url } };
  const leaver = await openConsole(site, { org: team.organization.id, email: 'left@acme.example' });
  const [stream, other, staying] = [
    await openStream(team.member),
    await openStream(leaver),
    await openStream(team.manager),
  ];
  await team.database.query('update console_sessions set ended_at = now() where member_id = $1', [body.member.id]);
  await team.database.query('update members set active = false where id = $1', [left.id]);
  await eventually(
    async () => stream.isOpen() || other.isOpen(),
    (open) => !open,
    45_000,
  );
  expect((await team.member.get('/console/api/live')).status).toBe(401);
  expect(staying.isOpen()).toBe(true);
  await staying.close();
});
