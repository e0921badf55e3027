import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openConsole } from './console-client.ts';
import { openStream } from './live-stream.ts';
import { openTeam } from './team-fixture.ts';

const LEAVE = { to_record: 'leave', recorded: 'leave', replace_pages: false } as const;
/** Far below the interval of the check that finds expired sessions. */
const AT_ONCE_MS = 3_000;

const team = await forFile(openTeam());
const otherNode = await team.newNode({});

async function openStreams() {
  const { id, email } = await team.add();
  const at = (url: string) => openConsole({ url, environment: team.environment }, { org: team.organization.id, email });
  const [here, there] = [await at(team.service.url), await at(otherNode.url)];
  return { id, here, there, streams: [await openStream(here), await openStream(there)] };
}

const untilClosed = (streams: readonly { isOpen(): boolean }[]) =>
  eventually(
    async () => streams.some((stream) => stream.isOpen()),
    (open) => !open,
    AT_ONCE_MS,
  );

test.each(['console', 'command'])(
  'a member whom the %s deactivates gets no further live updates on any node, and others do',
  async (by) => {
    const staying = await openStream(team.manager);
    const { id, here, streams } = await openStreams();
    if (by === 'command') await team.run('member', 'deactivate', id);
    else await team.owner.call('POST /members/:id/deactivate', { params: { id }, body: LEAVE });
    await untilClosed(streams);
    expect((await here.get('/console/api/live')).status).toBe(401);
    expect(staying.isOpen()).toBe(true);
    await staying.close();
  },
);

test('a session that is ended from another device gets no further live updates, and the other device does', async () => {
  const { here, there, streams } = await openStreams();
  const [ended, staying] = streams;
  const { sessions } = (await there.call('GET /sessions')).body;
  const other = sessions.find((session) => !session.is_this);
  expect(other).toBeDefined();
  expect((await there.call('DELETE /sessions/:id', { params: { id: other?.id ?? '' } })).status).toBe(200);
  await untilClosed(ended === undefined ? [] : [ended]);
  expect((await here.call('GET /session')).status).toBe(401);
  expect(staying?.isOpen()).toBe(true);
  await staying?.close();
});
