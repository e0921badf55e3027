import fs from 'node:fs';
import { IMPORT_MAX_CHARACTERS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { makePng } from '../cli/picture-maker.ts';
import { openTeam } from '../console/team-fixture.ts';
import { forFile, isLong, nextKey } from '../harness/index.ts';
import { completeBody, type JsonObject } from './bodies.ts';
import { countStored, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';

const BODY_LIMIT_BYTES = 64 * 1024;
const HEADER_BYTES = 15_000;
/** Far more than each input takes on a busy machine, and far less than an exponential algorithm would take. */
const ANSWERED_WITHIN_MS = 20_000;
const MIB = 1024 * 1024;
/** For bodies: V8 keeps memory that it once needed for parsing. */
const ALLOWED_GROWTH_BYTES = 200 * MIB;
const CONCURRENCY = 4;
const WARM_UP_REQUESTS = 200;

const team = await forFile(openTeam());
const { cookie } = team.owner;
const { api } = team.organization;

const fillWith = (part: (index: number) => string, before: string, after: string): string => {
  let text = before;
  for (let i = 0; text.length + part(i).length + after.length < BODY_LIMIT_BYTES; i++) text += part(i);
  return text + after;
};
const nest = (open: string, close: string, around: readonly [string, string] = ['', '']) => {
  const depth = Math.floor((BODY_LIMIT_BYTES - around.join('').length - 1) / (open.length + close.length));
  return `${around[0]}${open.repeat(depth)}1${close.repeat(depth)}${around[1]}`;
};
const { metadata: _, ...withoutMetadata } = completeBody('intros') as JsonObject;
const inMetadata = (key: string): readonly [string, string] => [
  `${JSON.stringify(withoutMetadata).slice(0, -1)},"metadata":{${key}`,
  '}}',
];

const HOSTILE: [name: string, body: string][] = [
  ['64 KiB of open objects', '{"a":'.repeat(BODY_LIMIT_BYTES / 5)],
  ['objects in objects', nest('{"a":', '}')],
  ['members in members', nest('{"member":', '}')],
  ['lists in lists below metadata', nest('[', ']', inMetadata('"a":'))],
  ['objects in objects below metadata', nest('{"a":', '}', inMetadata('"a":'))],
  [
    'thousands of unknown fields in the recipient',
    fillWith((i) => `"${i.toString(36)}":0,`, '{"recipient":{', '"z":0}}'),
  ],
  [
    'thousands of pairs of metadata',
    fillWith((i) => `"${i.toString(36)}":0,`, inMetadata('')[0], `"z":0${inMetadata('')[1]}`),
  ],
  [
    'thousands of bad keys of metadata',
    fillWith((i) => `"!${i.toString(36)}":[],`, inMetadata('')[0], `"z":0${inMetadata('')[1]}`),
  ],
  ['one endless key of metadata', `${inMetadata('')[0]}"${'a'.repeat(60_000)}":1${inMetadata('')[1]}`],
  ['one endless unknown field', `{"${'é'.repeat(30_000)}":1}`],
  ['one endless number', `${inMetadata('"n":')[0]}${'9'.repeat(60_000)}${inMetadata('')[1]}`],
  [
    'one endless email address',
    JSON.stringify({ ...completeBody('intros'), member: { email: `${'a@'.repeat(30_000)}` } }),
  ],
  ['thousands of escapes', `{"member":"${'\\u0000'.repeat(10_000)}"}`],
  ['thousands of the same field', fillWith(() => '"member":{},', '{', '"member":{}}')],
];

const residentBytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${team.service.pid}/status`, 'utf8'))?.[1]) * 1024;
const sendSeveral = (body: string) =>
  Promise.all(
    Array.from({ length: CONCURRENCY }, (_, i) =>
      api.raw('POST', i % 2 === 0 ? '/v1/intros' : '/v1/touchpoint-events', {
        headers: { 'content-type': 'application/json', 'idempotency-key': nextKey() },
        body,
      }),
    ),
  );

test('hostile bodies are rejected, store nothing, and do not grow the process', async () => {
  // Memory that the process needs for normal bodies of the same size does not count.
  const normal = JSON.stringify(completeBody('intros')).padEnd(BODY_LIMIT_BYTES);
  for (let sent = 0; sent < WARM_UP_REQUESTS; sent += CONCURRENCY) await sendSeveral(normal);
  const [before, restingBytes] = [await countStored(team.database), residentBytes()];
  for (const [name, body] of HOSTILE) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_LIMIT_BYTES);
    for (let round = 0; round < (isLong ? 5 : 2); round++) {
      const codes = (await sendSeveral(body)).map((reply) => outcomeOf(reply).code);
      expect([name, ...codes]).toEqual([name, ...codes.map(() => 'validation_failed')]);
    }
    expect(residentBytes() - restingBytes, name).toBeLessThan(ALLOWED_GROWTH_BYTES);
  }
  expect(await countStored(team.database)).toEqual(before);
});

const fill = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

async function send(url: string, init: RequestInit): Promise<void> {
  const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  const response = await fetch(team.service.url + url, { redirect: 'manual', signal, ...init });
  await response.arrayBuffer();
  expect(response.status).not.toBe(500);
}

const postEvent = (body: string) => () =>
  send('/v1/touchpoint-events', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.organization.key}`,
      'idempotency-key': nextKey(),
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
  ['one long text', () => postEvent(JSON.stringify({ ...VALID, touchpoint: 'x'.repeat(60_000) }))],
  [
    'a text of combining marks',
    () => postEvent(JSON.stringify({ ...VALID, reference: { id: '\u0301'.repeat(20_000) } })),
  ],
  [
    'a text of joined emoji',
    () => postEvent(JSON.stringify({ ...VALID, recipient: { first_name: '👩‍👩‍👧'.repeat(2_000) } })),
  ],
  ['a time of 60,000 digits', () => postEvent(JSON.stringify({ ...VALID, occurred_at: `2026-${fill('0', 60_000)}` }))],
  ['no JSON', () => postEvent(fill('"\\', BODY_LIMIT_BYTES))],
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
  [
    'a photo of 6 MB',
    () =>
      postConsole(`/members/${team.organization.memberId}/photo`, {
        image: Buffer.alloc(6_000_000, 'RIFF').toString('base64'),
      }),
  ],
  [
    'a sign-in form of 64 KiB',
    () => () =>
      send('/console/signin', {
        method: 'POST',
        headers: { origin: team.service.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: fill('a=b&', BODY_LIMIT_BYTES - 10),
      }),
  ],
  [
    'a delivery report of 64 KiB',
    () => () =>
      send('/carriers/twilio/inbound', {
        method: 'POST',
        headers: { 'x-twilio-signature': 'x', 'content-type': 'application/x-www-form-urlencoded' },
        body: fill('a=b&', BODY_LIMIT_BYTES - 10),
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

test.each(INPUTS)('%s gets a response in time that is not a server error', async (_what, prepare) => {
  await prepare()();
  expect((await fetch(`${team.service.url}/healthz`)).status).toBe(200);
});
