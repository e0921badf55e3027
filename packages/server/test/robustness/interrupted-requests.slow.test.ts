import net from 'node:net';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { forFile, logLines, nextKey, openService, sleep } from '../harness/index.ts';
import { completeBody } from './bodies.ts';
import { exchange } from './socket.ts';

const fixture = await forFile(openService());

const REQUEST_ID = /^req_[0-9a-z]{26}$/;
const head = (path: string, type: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fixture.organization.key}\r\nIdempotency-Key: ${nextKey()}\r\n` +
  `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

function connect(): net.Socket {
  const { hostname, port } = new URL(fixture.service.url);
  return net.connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
}

interface Line {
  readonly level: string;
  readonly request_id?: string;
  readonly operation?: string;
  readonly status?: number;
}

const lines = () => logLines<Line>(fixture.service);

test('a request whose body breaks off is logged once, and not as an error of the service', async () => {
  const body = JSON.stringify(completeBody('intros'));
  const socket = connect();
  socket.write(head('/v1/intros', 'application/json', body.length) + body.slice(0, 40));
  await sleep(100);
  socket.destroy();
  const logged = await eventually(
    async () => lines().filter(({ operation }) => operation === 'createIntro'),
    (found) => found.length > 0,
  );
  expect(logged).toEqual([expect.objectContaining({ level: 'info', status: 400, error: 'malformed_request' })]);
  expect(lines().filter(({ level }) => level !== 'info')).toEqual([]);
});

test('bytes that are not a request also get a request id and a log line', async () => {
  const [reply] = await exchange(fixture.service.url, 'nonsense\r\n\r\n');
  const id = reply?.headers.get('request-id') ?? '';
  expect([reply?.status, id]).toEqual([400, expect.stringMatching(REQUEST_ID)]);
  await eventually(
    async () => lines().filter(({ request_id }) => request_id === id),
    (found) => found.length === 1 && found[0]?.status === 400,
  );
});

test('an upload may take as long as a slow connection needs; other bodies time out after 15 seconds, and are logged', {
  timeout: 60_000,
}, async () => {
  const intro = await createIntro(fixture.organization.api);
  const clip = Buffer.alloc(1_000_000, 1);
  const send = async (path: string, type: string): Promise<{ response: string; waitedMs: number }> => {
    const startedMs = performance.now();
    const socket = connect();
    let response = '';
    const responded = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        response += chunk;
        resolve();
      });
      socket.once('close', () => resolve());
    });
    let isOver = false;
    void responded.then(() => {
      isOver = true;
    });
    socket.write(head(path, type, clip.length));
    for (let piece = 0; piece < 20 && !isOver; piece++) {
      socket.write(clip.subarray(piece * 50_000, (piece + 1) * 50_000));
      await sleep(850);
    }
    await responded;
    socket.destroy();
    return { response, waitedMs: performance.now() - startedMs };
  };
  const drip = async () => {
    const startedMs = performance.now();
    const socket = connect();
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.write(`${head('/v1/intros', 'application/json', 100)}{`);
    await new Promise((resolve) => socket.once('close', resolve));
    return { response, waitedMs: performance.now() - startedMs };
  };
  const [accepted, rejected] = await Promise.all([
    send(`/v1/test_helpers/intros/${intro.id}/record`, 'video/mp4'),
    drip(),
  ]);
  expect(accepted.waitedMs).toBeGreaterThan(15_000);
  expect(accepted.response).toMatch(/^HTTP\/1.1 202 /);
  expect(rejected.response).toMatch(/^HTTP\/1.1 408 /);
  const id = /request-id: (\S+)/i.exec(rejected.response)?.[1];
  expect(id).toMatch(REQUEST_ID);
  await eventually(
    async () => lines().find(({ request_id }) => request_id === id),
    (line) => line?.operation === 'createIntro' && line.status === 408,
  );
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
});
