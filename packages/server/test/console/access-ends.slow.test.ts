import { describe, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';
import { openStream } from './live-stream.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());
const otherNode = await team.newNode({});

const signIn = (email: string) => team.signIn(team.organization.id, email);

const statusOf = async (client: ConsoleClient): Promise<number> => (await client.call('GET /session')).status;

const change = (id: string, body: { email?: string; title?: string }) =>
  team.owner.call('POST /members/{id}', { params: { id }, body });

describe('a session', () => {
  test.each(['console', 'command', 'API'])(
    'and open links end when the %s deactivates the member, and stay ended after a reactivation',
    async (by) => {
      const { id, email } = await team.add();
      const there = await signIn(email);
      const link = await team.run('signin', '--org', team.organization.id, '--email', email);
      if (by === 'command') await team.run('member', 'deactivate', id);
      else if (by === 'API') await team.api.post(`/v1/members/${id}/deactivate`);
      else await team.owner.call('POST /v1/members/{id}/deactivate', { params: { id } });
      expect(await statusOf(there)).toBe(401);
      expect((await team.owner.call('POST /v1/members/{id}/reactivate', { params: { id } })).status).toBe(200);
      expect(await statusOf(there)).toBe(401);
      expect((await team.owner.get(new URL(link.url).pathname)).status).toBe(410);
      expect(await statusOf(await signIn(email))).toBe(200);
    },
  );

  test('ends when someone else changes the member’s email, and not when other fields change', async () => {
    const { id, email } = await team.add();
    const there = await signIn(email);
    const link = await team.run('signin', '--org', team.organization.id, '--email', email);
    await change(id, { title: 'Estimator' });
    await change(id, { email: email.toUpperCase() });
    expect(await statusOf(there)).toBe(200);
    expect((await change(id, { email: 'the.right@acme.example' })).status).toBe(200);
    expect(await statusOf(there)).toBe(401);
    expect((await team.owner.get(new URL(link.url).pathname)).status).toBe(410);
  });

  test('continues when members change their own email', async () => {
    const { id } = (await team.owner.call('GET /session')).body.member;
    expect((await change(id, { email: 'still.owner@acme.example' })).status).toBe(200);
    expect(await statusOf(team.owner)).toBe(200);
  });

  test('ends when an import changes the member’s email, and not for others in the file', async () => {
    const one = await team.add({ external_id: 'rep_1' });
    const two = await team.add({ external_id: 'rep_2' });
    const [first, second] = [await signIn(one.email), await signIn(two.email)];
    const text = `external_id,email,title\nrep_1,moved@acme.example,\nrep_2,${two.email},Foreman\n`;
    const { body } = await team.owner.call('POST /members/import/preview', { body: { text } });
    expect(body.counts).toMatchObject({ change: 2, problem: 0 });
    const asked = { text, fingerprint: body.fingerprint, skip_problems: false };
    expect((await team.owner.call('POST /members/import', { body: asked })).body).toMatchObject({ changed: 2 });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  test('continues when the response with a rotated secret is lost', async () => {
    const { email, id } = await team.add();
    const there = await signIn(email);
    const past = (column: string, seconds: number) =>
      team.database.query(
        `update console_sessions set ${column} = ${column} - $2 * interval '1 second' where member_id = $1`,
        [id, seconds],
      );
    await past('rotated_at', 7 * 3600);
    const lost = await there.get('/console/home');
    expect(lost.headers.getSetCookie()).toHaveLength(1);
    await past('rotated_at', 300);
    expect(await statusOf(there)).toBe(200);
    const [cookie = ''] = (await there.get('/console/home')).headers.getSetCookie();
    const fresh = cookie.split(';')[0] ?? '';
    const answered = await team.owner.get('/console/api/session', { cookie: fresh });
    expect(await answered.json()).toMatchObject({ member: { email } });
    // From here on the old secret works for a minute, and the lost one never.
    await past('previous_until', 61);
    expect(await statusOf(there)).toBe(401);
    const [secret = ''] = (lost.headers.getSetCookie()[0] ?? '').split(';');
    expect((await team.owner.get('/console/api/session', { cookie: secret })).status).toBe(401);
  });
});

describe('live updates', () => {
  /** Below the interval of the check that finds expired sessions. */
  const NOTIFIED_WITHIN_MS = 20_000;

  async function openStreams() {
    const { id, email } = await team.add();
    const who = { org: team.organization.id, email };
    const there = await openConsole({ url: otherNode.url, environment: team.environment }, who);
    const here = await signIn(email);
    return { id, here, there, streams: [await openStream(here), await openStream(there)] };
  }

  const untilClosed = (streams: readonly { isOpen(): boolean }[]) =>
    eventually(
      async () => streams.some((stream) => stream.isOpen()),
      (open) => !open,
      NOTIFIED_WITHIN_MS,
    );

  test.each(['console', 'command'])('end on each node for a member whom the %s deactivates', async (by) => {
    const staying = await openStream(team.manager);
    const { id, here, streams } = await openStreams();
    if (by === 'command') await team.run('member', 'deactivate', id);
    else await team.owner.call('POST /v1/members/{id}/deactivate', { params: { id } });
    await untilClosed(streams);
    expect((await here.get('/console/api/live')).status).toBe(401);
    expect(staying.isOpen()).toBe(true);
    await staying.close();
  });

  test('end for a session that is ended from another device, and not for that device', async () => {
    const { here, there, streams } = await openStreams();
    const [ended, staying] = streams;
    const { sessions } = (await there.call('GET /sessions')).body;
    const other = sessions.find((session) => !session.is_this);
    expect(other).toBeDefined();
    expect((await there.call('DELETE /sessions/{id}', { params: { id: other?.id ?? '' } })).status).toBe(200);
    await untilClosed(ended === undefined ? [] : [ended]);
    expect((await here.call('GET /session')).status).toBe(401);
    expect(staying?.isOpen()).toBe(true);
    await staying?.close();
  });
});
