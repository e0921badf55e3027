import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from 'vitest';
import { forFile, nextKey, openService, type Service, sleep } from '../harness/index.ts';

/** Each sends its next event as soon as it has the response to the last one. */
const CLIENTS = 96;
const LOAD_MS = 15_000;
const MAX_P99_S = 5;
const DRAINED_WITHIN_MS = 30_000;

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));
const nodes = [fixture.service, ...(await Promise.all([fixture.newNode({}), fixture.newNode({})]))];

const BODY = JSON.stringify({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
});

/** Sends on a bare connection, which leaves the processors to the nodes. Returns how many events were accepted. */
async function sendUntil(endMs: number, { url }: Service): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  let accepted = 0;
  for (; performance.now() < endMs; accepted++) {
    socket.write(
      `POST /v1/touchpoint-events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fixture.organization.key}\r\n` +
        `Idempotency-Key: ${nextKey()}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString('latin1', 0, 12)).toBe('HTTP/1.1 202');
  }
  socket.destroy();
  return accepted;
}

test('with three nodes under full load, 99 of 100 accepted events are processed within 5 s, and none is lost', async () => {
  const endMs = performance.now() + LOAD_MS;
  const clients = Array.from({ length: CLIENTS }, (_, n) => sendUntil(endMs, nodes[n % nodes.length] as Service));
  const accepted = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
  const read = async () => {
    const [row] = await fixture.database.query<{ waiting: number; processed: number; p99: number }>(`
      select count(*) filter (where status = 'accepted')::int as waiting,
        count(*) filter (where status = 'processed')::int as processed,
        percentile_cont(0.99) within group (order by extract(epoch from settled_at - created_at))::float8 as p99
      from touchpoint_events`);
    return row;
  };
  for (let waited = 0; waited < DRAINED_WITHIN_MS && ((await read())?.waiting ?? 0) > 0; waited += 250)
    await sleep(250);
  const after = await read();
  expect(after).toMatchObject({ waiting: 0, processed: accepted });
  expect(after?.p99).toBeLessThan(MAX_P99_S);
}, 90_000);
