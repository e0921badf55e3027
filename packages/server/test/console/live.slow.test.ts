import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { forFile, sleep } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { openStream } from './live-stream.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());
type OpenStream = Awaited<ReturnType<typeof openStream>>;

const untilMore = (stream: OpenStream, topic: string, before: number) =>
  expect.poll(() => stream.count(topic)).toBeGreaterThan(before);

/** Opens a console, and waits until the events of earlier changes have arrived. */
async function openQuietStream(client: ConsoleClient): Promise<OpenStream> {
  const stream = await openStream(client);
  await sleep(1_100);
  return stream;
}

// The first console starts the listener, which publishes every topic once because it may have missed changes.
const first = await openStream(team.manager);
await eventually(() => first.count('webhooks') > 0);
await first.close();

test('an open console receives a change event immediately, without any data', async () => {
  const stream = await openQuietStream(team.manager);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  const before = stream.count('intros');
  await createIntro(team.organization.api);
  await untilMore(stream, 'intros', before);
  expect(stream.received.at(-1)?.text).toBe('data: {"topic":"intros"}');
  await stream.close();
});

test('changes of the brand, members and touchpoints have their own topics', async () => {
  const stream = await openQuietStream(team.member);
  const topics = ['organization', 'members', 'touchpoints'];
  const before = topics.map((topic) => stream.count(topic));
  const { logo_url: _logo, ...brand } = (await team.manager.call('GET /brand')).body;
  await team.manager.call('POST /brand', { body: { ...brand, name: 'Acme Renamed' } });
  await team.add();
  await team.database.sql`update touchpoints set name = name where organization_id = ${team.organization.id}`;
  for (const [at, topic] of topics.entries()) await untilMore(stream, topic, before[at] ?? 0);
  expect((await team.member.call('GET /session')).body.organization.name).toBe('Acme Renamed');
  await stream.close();
});

test('another organization receives no event', async () => {
  const [ours, theirs] = await Promise.all([team.manager, team.other.owner].map(openQuietStream));
  if (ours === undefined || theirs === undefined) throw new Error('two consoles were opened');
  const [before, silent] = [ours.count('intros'), theirs.count('intros') - theirs.count('webhooks')];
  await createIntro(team.organization.api);
  await untilMore(ours, 'intros', before);
  await sleep(500);
  // After a gap in the notifications, every console receives every topic. That reveals nothing.
  expect(theirs.count('intros') - theirs.count('webhooks')).toBe(silent);
  await Promise.all([ours.close(), theirs.close()]);
});

test('after a lost database connection, open consoles receive every topic', async () => {
  const stream = await openQuietStream(team.manager);
  const begin = stream.received.length;
  await team.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'foreword listener'`,
  );
  await expect
    .poll(() => [...new Set(stream.received.slice(begin).map(({ topic }) => topic))].sort())
    .toEqual(['intros', 'members', 'organization', 'touchpoints', 'webhooks']);
  const before = stream.count('intros');
  await createIntro(team.organization.api);
  await untilMore(stream, 'intros', before);
  await stream.close();
});

test('requires a session, and allows 20 streams per session', async () => {
  expect((await fetch(`${team.service.url}/console/api/live`)).status).toBe(401);
  const streams = await Promise.all(Array.from({ length: 20 }, () => team.owner.get('/console/api/live')));
  expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const refused = await team.owner.get('/console/api/live');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  const another = await team.manager.get('/console/api/live');
  expect(another.status).toBe(200);
  await another.body?.cancel();
  await streams[0]?.body?.cancel();
  await expect.poll(async () => (await team.owner.get('/console/api/live')).status).toBe(200);
  await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()));
});

test('closed tabs and HEAD requests leave no stream open', async () => {
  const url = `${team.service.url}/console/api/live`;
  const { cookie } = team.manager;
  for (let n = 0; n < 25; n++) {
    const leaving = new AbortController();
    const opening = fetch(url, { headers: { cookie }, signal: leaving.signal }).catch(() => undefined);
    // Some disconnect during the request, some later.
    await sleep(n % 5);
    leaving.abort();
    await opening;
    await fetch(url, { method: 'HEAD', headers: { cookie } });
  }
  const windows = await eventually(
    () => Promise.all(Array.from({ length: 20 }, () => team.manager.get('/console/api/live'))),
    (opened) => {
      const isRoom = opened.every(({ status }) => status === 200);
      if (!isRoom) for (const { body } of opened) void body?.cancel();
      return isRoom;
    },
  );
  await Promise.all(windows.map(({ body }) => body?.cancel()));
});

test('open consoles do not delay a shutdown, even when one of them reads nothing', async () => {
  const stream = await openStream(team.manager);
  const deaf = await team.owner.get('/console/api/live');
  // Browsers open connections ahead of need.
  const spare = net.connect(Number(new URL(team.service.url).port), '127.0.0.1');
  await once(spare, 'connect');
  expect(await team.service.stop()).toBe(0);
  await expect.poll(() => stream.isOpen()).toBe(false);
  await deaf.body?.cancel();
  spare.destroy();
});
