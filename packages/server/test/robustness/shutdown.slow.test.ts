import pg from 'pg';
import { expect, test } from 'vitest';
import { anEvent, anIntro, createIntro, eventually, settled } from '../acceptance/support/actions.ts';
import { openPhone, sendHalf } from '../acceptance/support/recorder.ts';
import { createApi, forFile, openService, type Reply } from '../harness/index.ts';

const SENDERS = 20;

const fixture = await forFile(openService());

/** Sends one request after another until the connection is refused. */
async function sendUntilGone(url: string, name: string, answers: Reply[]): Promise<void> {
  const api = createApi(url, fixture.organization.key);
  for (let n = 0; ; n++) {
    const reference = { source: 'shutdown', id: 'shutdown' };
    const key = `shutdown:${name}:${n}`;
    const send =
      n % 2 === 0
        ? api.post('/v1/intros', anIntro({ reference }), { key })
        : api.post('/v1/touchpoint-events', anEvent({ reference }), { key });
    const reply = await send.catch(() => undefined);
    if (reply === undefined) return;
    answers.push(reply);
  }
}

test('SIGTERM under load drains requests, exits with 0 within 10 s and loses nothing acknowledged', async () => {
  const node = await fixture.newNode({});
  const answers: Reply[] = [];
  const senders = Array.from({ length: SENDERS }, (_, n) => sendUntilGone(node.url, String(n), answers));
  await eventually(() => answers.length >= 4 * SENDERS);
  // After 10 seconds, the service would exit with 1.
  expect(await node.stop()).toBe(0);
  await Promise.all(senders);
  expect(answers.length).toBeGreaterThan(SENDERS);
  for (const { status } of answers) expect([201, 202, 503]).toContain(status);
  const acknowledged = answers.filter(({ status }) => status < 300);
  expect(acknowledged.length).toBeGreaterThan(SENDERS);
  for (let start = 0; start < acknowledged.length; start += SENDERS) {
    await Promise.all(
      acknowledged.slice(start, start + SENDERS).map(async ({ body }) => {
        const kind = body.object === 'intro' ? 'intros' : 'events';
        expect((await fixture.api.get(`/v1/${kind}/${body.id}`)).body.id).toBe(body.id);
      }),
    );
  }
});

test('SIGTERM during a burst does not wait for idle connections', async () => {
  const node = await fixture.newNode({});
  const api = createApi(node.url, fixture.organization.key);
  const sent = Array.from({ length: 200 }, () => api.post('/v1/intros', anIntro()).catch(() => undefined));
  await Promise.race(sent);
  // The clients keep their connections open for longer than the 10 seconds after which it would be 1.
  expect(await node.stop()).toBe(0);
  const answers = (await Promise.all(sent)).filter((reply) => reply !== undefined);
  expect(answers.length).toBeGreaterThan(0);
  for (const { status, body } of answers) {
    expect(status).toBe(201);
    expect((await fixture.api.get(`/v1/intros/${body.id}`)).status).toBe(200);
  }
});

test('SIGTERM does not wait for a phone that lost its signal during an upload, which continues at another node', async () => {
  const node = await fixture.newNode({});
  const phone = await openPhone({ run: fixture.run, service: node }, (await createIntro(fixture.api)).id);
  const at = await phone.begin({ length: 400_000 });
  const socket = await sendHalf({ service: node }, at, 400_000, new Uint8Array(150_000));
  // So that the node has read it.
  await createApi(node.url, fixture.organization.key).get('/v1/touchpoints');
  expect(await node.stop()).toBe(0);
  socket.destroy();
  const moved = new URL(at, fixture.service.url).href;
  const offset = await phone.offset(moved);
  expect((await phone.patch(moved, offset, new Uint8Array(400_000 - offset))).status).toBe(204);
});

test('SIGTERM does not wait for a statement of a job that another transaction blocks', async () => {
  const node = await fixture.newNode({});
  const client = new pg.Client({ connectionString: fixture.database.url });
  await client.connect();
  await client.query('begin; lock table webhook_deliveries, message_queue, recordings');
  const blocked = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(
    () => client.query(blocked),
    // Enough that jobs of both nodes are blocked.
    ({ rows }) => rows.length > 5,
  );
  // The statements of jobs may take 30 seconds.
  const exitCode = await node.stop();
  await client.end();
  expect(exitCode).toBe(0);
});

test('SIGTERM does not wait until the files of all takes that are due have been deleted', async () => {
  const { body: intro } = await fixture.api.post('/v1/intros', anIntro());
  await fixture.database.query(
    `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at, files_check_at)
     select i.organization_id, i.environment, 'rec_' || lpad(n::text, 26, '0'), i.id, i.member_id, 'discarded', 'video/mp4', now(), now(), now()
     from intros i, generate_series(1, 30000) n where i.id = $1`,
    [intro.id],
  );
  const count = async () =>
    (
      await fixture.database.query<{ left: number }>(
        'select count(*)::int as left from recordings where deleted_at is null',
      )
    )[0]?.left;
  const node = await fixture.newNode({ FOREWORD_ROLE: 'media' });
  await eventually(count, (left) => left !== undefined && left < 30_000);
  expect(await node.stop()).toBe(0);
  expect(await count()).toBeGreaterThan(0);
});

test('events accepted by a node that stops are processed by another, with one intro each', async () => {
  const node = await fixture.newNode({});
  const api = createApi(node.url, fixture.organization.key);
  const send = () => api.post('/v1/touchpoint-events', anEvent({ reference: { id: 'taken over' } }));
  const receipts = await Promise.all(Array.from({ length: 100 }, send));
  expect(await node.stop()).toBe(0);
  const events = await Promise.all(receipts.map(({ body }) => settled(fixture.api, body.id)));
  expect(events.map(({ status }) => status)).toEqual(Array(100).fill('processed'));
  expect((await fixture.api.get('/v1/intros?reference_id=taken%20over&limit=100')).body.data).toHaveLength(100);
});

test('a node that stops writes the requests it has not logged yet', async () => {
  const node = await fixture.newNode({});
  const { headers } = await createApi(node.url, fixture.organization.key).get('/v1/touchpoints');
  expect(await node.stop()).toBe(0);
  const select = 'select path from request_log where id = $1';
  expect(await fixture.database.query(select, [headers.get('request-id')])).toEqual([{ path: '/v1/touchpoints' }]);
});
