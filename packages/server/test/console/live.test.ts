import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { sleep } from '../harness/index.ts';
import type { ConsoleClient } from './support.ts';
import { openTeamStage, type TeamStage } from './team.ts';

let stage: TeamStage;
beforeAll(async () => {
  stage = await openTeamStage({ RATE_LIMIT: 'off' });
  // With the first console the service begins to listen, and says everything once: it may have missed something.
  const first = await openStream(stage.manager);
  await eventually(
    async () => first.count('webhooks'),
    (n) => n > 0,
  );
  await first.close();
}, 180_000);
afterAll(() => stage.close());

/** An open console: what it was told so far, and when. */
async function openStream(client: ConsoleClient) {
  const response = await client.get('/console/api/live');
  const told: { topic: string; atMs: number }[] = [];
  let isOpen = true;
  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body ?? []) {
        const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = messages.pop() ?? '';
        for (const message of messages) {
          if (!message.startsWith('data: ')) continue;
          told.push({ ...(JSON.parse(message.slice(6)) as { topic: string }), atMs: performance.now() });
        }
      }
    } catch {
      // Cut off: it is closed.
    }
    isOpen = false;
  }
  const count = (topic: string) => told.filter((one) => one.topic === topic).length;
  if (response.status === 200) void read();
  return { response, told, count, isOpen: () => isOpen, close: () => response.body?.cancel() };
}

test('an open console hears of a change at once, and what it hears holds nothing', async () => {
  const stream = await openStream(stage.manager);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  await sleep(1_100);
  const before = stream.count('intros');
  const begun = performance.now();
  await createIntro(stage.org.api);
  await eventually(
    async () => stream.count('intros'),
    (n) => n > before,
  );
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(Object.keys(stream.told.at(-1) ?? {}).sort()).toEqual(['atMs', 'topic']);
  await stream.close();
});

test('however much happens, each topic is told once a second', async () => {
  const stream = await openStream(stage.manager);
  await sleep(1_100);
  const begin = stream.told.length;
  for (const end = performance.now() + 2_500; performance.now() < end; ) await createIntro(stage.org.api);
  const heard = stream.told.slice(begin).filter(({ topic }) => topic === 'intros');
  expect(heard.length).toBeGreaterThanOrEqual(2);
  for (const [at, { atMs }] of heard.slice(1).entries()) {
    expect(atMs - (heard[at]?.atMs ?? 0)).toBeGreaterThan(900);
  }
  await stream.close();
});

test('another organization hears nothing of it', async () => {
  const [ours, theirs] = [await openStream(stage.manager), await openStream(stage.stranger.owner)];
  await sleep(1_100);
  const [before, silent] = [ours.count('intros'), theirs.count('intros') - theirs.count('webhooks')];
  await createIntro(stage.org.api);
  await eventually(
    async () => ours.count('intros'),
    (n) => n > before,
  );
  await sleep(500);
  // After a gap in what the service hears, everybody is told everything: that is no word of ours.
  expect(theirs.count('intros') - theirs.count('webhooks')).toBe(silent);
  await Promise.all([ours.close(), theirs.close()]);
});

test('members and touchpoints are told as what they are', async () => {
  const stream = await openStream(stage.member);
  await sleep(1_100);
  const before = { members: stream.count('members'), touchpoints: stream.count('touchpoints') };
  await stage.add();
  await stage.database.query('update touchpoints set name = name where organization_id = $1', [stage.org.id]);
  await eventually(
    async () => stream.count('members'),
    (n) => n > before.members,
  );
  await eventually(
    async () => stream.count('touchpoints'),
    (n) => n > before.touchpoints,
  );
  await stream.close();
});

test('nobody hears without being signed in, and no session has more than twenty windows', async () => {
  expect((await fetch(`${stage.service.url}/console/api/live`)).status).toBe(401);
  const streams = await Promise.all(Array.from({ length: 20 }, () => stage.owner.get('/console/api/live')));
  expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const refused = await stage.owner.get('/console/api/live');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  expect((await stage.manager.get('/console/api/live')).status).toBe(200);
  await streams[0]?.body?.cancel();
  await eventually(
    async () => (await stage.owner.get('/console/api/live')).status,
    (status) => status === 200,
  );
  await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()));
});

test('whoever was signed out is cut off within half a minute or so', { timeout: 60_000 }, async () => {
  const { body } = await stage.member.call('GET /session');
  const stream = await openStream(stage.member);
  await stage.database.query('update console_sessions set ended_at = now() where member_id = $1', [body.member.id]);
  await eventually(
    async () => stream.isOpen(),
    (open) => !open,
    45_000,
  );
  expect((await stage.member.get('/console/api/live')).status).toBe(401);
});

test('open consoles hold up no stop', async () => {
  const stream = await openStream(stage.manager);
  const begun = performance.now();
  expect(await stage.service.stop()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
  await eventually(
    async () => stream.isOpen(),
    (open) => !open,
  );
});
