import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { IMPORT_MAX_CHARACTERS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { makePng } from '../cli/picture-maker.ts';
import { openTeam } from '../console/team-fixture.ts';
import { forFile, sleep } from '../harness/index.ts';
import { exchange } from './socket.ts';

const ALLOWED_MS = 100;
/** Each input is sent up to this often, and the shortest stall counts: compiling and collecting garbage are not due to it. */
const TIMES = 6;
/** The processor time of `measureSpeed` on an idle machine. A busy one shares its caches and takes several times as long. */
const USUAL_SPEED_MS = 35;
const BODY_BYTES = 64 * 1024;
const HEADER_BYTES = 15_000;

const preload = pathToFileURL(path.join(import.meta.dirname, 'stall-meter.child.ts')).href;
const team = await forFile(openTeam({ NODE_OPTIONS: `--import=${preload}` }));
const { cookie } = team.owner;

const readings = () => [...team.service.output().matchAll(/^longest stall: (\S+) ms$/gm)].map(([, ms]) => Number(ms));

const PHOTO = JSON.stringify({ image: Buffer.alloc(6_000_000, 'RIFF').toString('base64') });

/** Processor milliseconds for reading a large request. */
function measureSpeed(): number {
  const start = process.threadCpuUsage();
  Buffer.from(JSON.parse(PHOTO).image, 'base64');
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** The longest stall since the last call. */
async function readStall(): Promise<number> {
  const before = readings().length;
  process.kill(team.service.pid, 'SIGUSR2');
  while (readings().length === before) await sleep(5);
  return readings().at(-1) ?? Number.NaN;
}

const fill = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

async function send(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(team.service.url + url, { redirect: 'manual', ...init });
  await response.arrayBuffer();
  expect(response.status).not.toBe(500);
}

const postEvent = (body: string) => () =>
  send('/v1/touchpoint-events', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.organization.key}`,
      'idempotency-key': `stall:${Math.random()}`,
      'content-type': 'application/json',
    },
    body,
  });

const get =
  (url: string, headers: Record<string, string> = {}) =>
  () =>
    send(url, { headers });

const postConsole = (url: string, body: object) => () =>
  send(`/console/api${url}`, {
    method: 'POST',
    headers: { cookie, origin: team.service.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const importing = (start: string, text: string, end = '') =>
  postConsole('/members/import/preview', {
    text: start + fill(text, IMPORT_MAX_CHARACTERS - start.length - end.length) + end,
  });

const members = () =>
  Array.from(
    { length: 9_999 },
    (_, n) =>
      `Ana,Ng,ana${n}@acme.example,+1415555${String(n).padStart(4, '0')},rep_${n},retail,member,${'x'.repeat(50)}\n`,
  ).join('');

const preview = (script: string) =>
  postConsole('/touchpoint-preview', { page_title: '{{ trade }}', script, text_message: null });

const LOGO = makePng({ width: 1_200, height: 1_200 }, [1, 2, 3], [4, 5, 6]).toString('base64');
const SECRET = 'A'.repeat(43);
const VALID = {
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
};

const INPUTS: readonly [what: string, send: () => () => Promise<unknown>][] = [
  ['nested arrays', () => postEvent(fill('[', BODY_BYTES / 2 - 10) + fill(']', BODY_BYTES / 2 - 10))],
  ['nested objects in metadata', () => postEvent(`{"metadata":${fill('{"a":', 60_000)}1${fill('}', 12_000)}}`)],
  ['thousands of unknown fields', () => postEvent(`{${Array.from({ length: 5_000 }, (_, n) => `"f${n}":1`).join()}}`)],
  ['one long text', () => postEvent(JSON.stringify({ ...VALID, touchpoint: 'x'.repeat(60_000) }))],
  [
    'a text of combining marks',
    () => postEvent(JSON.stringify({ ...VALID, reference: { id: '\u0301'.repeat(20_000) } })),
  ],
  [
    'a text of joined emoji',
    () => postEvent(JSON.stringify({ ...VALID, recipient: { first_name: '👩‍👩‍👧'.repeat(2_000) } })),
  ],
  ['a number of 60,000 digits', () => postEvent(`{"occurred_at":${fill('9', 60_000)}}`)],
  ['a time of 60,000 digits', () => postEvent(JSON.stringify({ ...VALID, occurred_at: `2026-${fill('0', 60_000)}` }))],
  ['no JSON', () => postEvent(fill('"\\', BODY_BYTES))],
  ['thousands of query parameters', () => get(`/v1/intros?${fill('a&', HEADER_BYTES)}`)],
  ['a long list of one parameter', () => get(`/v1/intros?${fill('status=ready&', HEADER_BYTES)}`)],
  ['a long path', () => get(`/${fill('a/', HEADER_BYTES)}`)],
  ['an encoded path', () => get(`/v1/intros/${fill('%41', HEADER_BYTES)}`)],
  ['a long key', () => get('/v1/intros', { authorization: `Bearer ${fill('x', HEADER_BYTES)}` })],
  ['many cookies', () => get('/console/api/session', { cookie: fill('a=b; ', HEADER_BYTES) })],
  ['cookies without a value', () => get('/console/api/session', { cookie: fill(';', HEADER_BYTES) })],
  ['many encodings', () => get('/openapi.json', { 'accept-encoding': fill('br;q=0,', HEADER_BYTES) })],
  ['many ETags', () => get('/openapi.json', { 'if-none-match': fill('W/"a",', HEADER_BYTES) })],
  ['many proxies', () => get(`/r/${SECRET}`, { 'x-forwarded-for': fill('10.0.0.1,', HEADER_BYTES) })],
  ['a long search', () => get(`/console/api/intros?search=${fill('a+', HEADER_BYTES - 100)}`, { cookie })],
  ['a search for members', () => get(`/console/api/members?search=${fill('%25_', HEADER_BYTES - 100)}`, { cookie })],
  ['a million columns', () => importing('email', ',')],
  ['one heading', () => importing('email,', '-')],
  [
    'the most members',
    () =>
      postConsole('/members/import/preview', {
        text: `first_name,last_name,email,phone,external_id,lanes,role,title\n${members()}`,
      }),
  ],
  ['only line breaks', () => importing('email\n', '\n')],
  ['wide lines', () => importing(`email${fill(',x', 998)}\n`, `${fill(',', 290)}\n`)],
  ['an open quotation mark', () => importing('email\n"', 'a')],
  ['quotation marks', () => importing('email\n', '"')],
  ['nested loops', () => preview(`${fill('{% for a in (1..100) %}', 400)}x${fill('{% endfor %}', 200)}`)],
  ['many outputs', () => preview(fill('{{ recipient.first_name }}', 5_000))],
  ['many filters', () => preview(`{{ recipient.first_name${fill(' | upcase', 4_900)} }}`)],
  ['open tags', () => preview(fill('{%', 5_000))],
  ['a large logo', () => postConsole('/brand/logo', { version: 1, file: LOGO })],
  [
    'a drawing of groups',
    () =>
      postConsole('/brand/logo', { version: 1, file: Buffer.from(`<svg>${fill('<g>', 490_000)}`).toString('base64') }),
  ],
  ['a photo of 6 MB', () => postConsole('/home/photo', { image: Buffer.alloc(6_000_000, 'RIFF').toString('base64') })],
  [
    'a sign-in form of 64 KiB',
    () => () =>
      send('/console/signin', {
        method: 'POST',
        headers: { origin: team.service.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: fill('a=b&', BODY_BYTES - 10),
      }),
  ],
  [
    'a delivery report of 64 KiB',
    () => () =>
      send('/carriers/twilio/inbound', {
        method: 'POST',
        headers: { 'x-twilio-signature': 'x', 'content-type': 'application/x-www-form-urlencoded' },
        body: fill('a=b&', BODY_BYTES - 10),
      }),
  ],
  [
    'thousands of headers',
    () => () =>
      exchange(team.service.url, `GET /healthz HTTP/1.1\r\nHost: a\r\n${fill('a:b\r\n', HEADER_BYTES)}\r\n`, {
        timeoutMs: 500,
      }),
  ],
  [
    'a chunk full of requests',
    () => () =>
      exchange(team.service.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_700), { timeoutMs: 1_000 }),
  ],
];

test.each(INPUTS)('%s: the event loop stalls for at most 100 ms', async (_what, prepare) => {
  const request = prepare();
  const stalls: number[] = [];
  for (let n = 0; n < TIMES && Math.min(...stalls) > ALLOWED_MS; n++) {
    const slowness = Math.max(1, measureSpeed() / USUAL_SPEED_MS);
    await readStall();
    await request();
    stalls.push((await readStall()) / slowness);
  }
  expect(Math.min(...stalls)).toBeLessThanOrEqual(ALLOWED_MS);
});
