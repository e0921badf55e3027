import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openPhone, sendHalf } from '../acceptance/support/recorder.ts';
import { forFile, logLines, nextKey, openService, sleep } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { completeBody } from './bodies.ts';
import { countStored, expectErrorShape } from './outcome.ts';

const IDLE = 500;
const SLOW = 20;
const DRIP_MS = 1_000;

const folder = temporaryFolder();
const fixture = await forFile(openService({ OBJECTS_URL: `file://${folder}` }));

interface Line {
  readonly level: string;
  readonly request_id?: string;
  readonly operation?: string;
  readonly status?: number;
}

const head = (to: string, type: string, length: number): string =>
  `POST ${to} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fixture.organization.key}\r\n` +
  `Idempotency-Key: ${nextKey()}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

function connect(): net.Socket {
  const { hostname, port } = new URL(fixture.service.url);
  return net.connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
}

/** Sends a piece after each pause until the server has answered or closed the connection. */
async function drip(startWith: string, nextPiece: (n: number) => string | Buffer, pauseMs = DRIP_MS): Promise<string> {
  const socket = connect();
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(startWith);
  let sent = 0;
  const timer = setInterval(() => socket.write(nextPiece(sent++)), pauseMs);
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  clearInterval(timer);
  await sleep(100);
  socket.destroy();
  return received;
}

/** These take the 10 to 15 seconds of the service's limits, so all of them wait at the same time. */
test('slow requests get a 408 that is logged, uploads may take longer, and stalled ones keep what was received', async () => {
  const intros = [await createIntro(fixture.api), await createIntro(fixture.api)];
  const before = await countStored(fixture.database);
  const idle = Array.from({ length: IDLE }, connect);
  const body = JSON.stringify(completeBody('intros'));
  const clip = Buffer.alloc(1_000_000, 1);
  const slow = Array.from({ length: SLOW }, () => [
    drip(head('/v1/intros', 'application/json', 5_000), (n) => body[n % body.length] ?? ' '),
    drip('GET /healthz HTTP/1.1\r\nHost: a\r\n', (n) => 'X-Slow: yes\r\n'[n % 13] ?? ' '),
    drip('GET /', () => 'a'),
  ]).flat();
  const upload = drip(
    head(`/v1/test_helpers/intros/${intros[0].id}/record`, 'video/mp4', clip.length),
    (n) => clip.subarray(n * 50_000, (n + 1) * 50_000),
    850,
  );
  const phone = await openPhone(fixture, intros[1].id);
  const at = await phone.begin({ length: 400_000 });
  const stalled = await sendHalf(fixture, at, 400_000, new Uint8Array(150_000).fill(3));
  const cutOff = once(stalled.resume(), 'close');

  expect((await fixture.api.get('/v1/touchpoints')).status).toBe(200);
  const responses = await Promise.all(slow);
  for (const response of responses) {
    expect(response).toMatch(/^HTTP\/1.1 408 /);
    expectErrorShape({ status: 408, body: JSON.parse(response.split('\r\n\r\n')[1] ?? '') });
  }
  const id = /request-id: (\S+)/i.exec(responses[0] ?? '')?.[1];
  expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  const lines = () => logLines<Line>(fixture.service);
  await eventually(
    async () => lines().find(({ request_id }) => request_id === id),
    (line) => line?.operation === 'createIntro' && line.status === 408,
  );
  expect(await upload).toMatch(/^HTTP\/1.1 202 /);

  await cutOff;
  const kept = await eventually(
    () => phone.offset(at),
    (offset) => offset > 0,
  );
  expect(kept).toBe(150_000);
  expect((await phone.patch(at, kept, new Uint8Array(250_000).fill(4))).status).toBe(204);
  const take = at.split('/').at(-1) ?? '';
  const [row] = await fixture.database.sql`select organization_id, parts from recordings where id = ${take}`;
  const read = (part: string) => fs.readFile(path.join(folder, row?.organization_id, take, 'original', part));
  const parts: Buffer[] = await Promise.all(row?.parts.map(read) ?? []);
  expect(Buffer.concat(parts)).toEqual(Buffer.concat([Buffer.alloc(150_000, 3), Buffer.alloc(250_000, 4)]));
  for (const socket of idle) socket.destroy();
  const { keys } = await countStored(fixture.database);
  expect(keys).toBe(before.keys + 1);
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
});
