import { createHash } from 'node:crypto';
import type { ConsoleKey } from '@foreword/contract';

import { describe, expect, test } from 'vitest';
import { createIntro, sendEvent } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';
import { newRetryKey } from './console-client.ts';
import { CALLS, OPERATIONS, UNKNOWN_IDS } from './operation-calls.ts';

/** Values that our forms never send. PostgreSQL rejects some of them, so they must be rejected earlier. */
const TEXTS = ['\0', 'a\0b', '\ud800', '\u0007', `${'9'.repeat(40)}`, "'", '%', '\\', '', ' ', 'x'.repeat(5_000)];
const NUMBERS = [-1, 1.5, 2 ** 31, 1e300];
const OTHERS = [null, true, {}, ['\0']];
/** Encoded for a URL. The last four are not valid text. */
const ESCAPED = [
  '%00',
  'a%00b',
  '%27',
  '..%2f..',
  '%2e%2e',
  `${'9'.repeat(40)}`,
  'x'.repeat(2_000),
  '%ED%A0%80',
  '%FF',
  '%',
  '%zz',
];

let sessions = 0;

/** One session per call, because some calls end it. */
async function signIn(): Promise<string> {
  const secret = `${'h'.repeat(24)}${String(++sessions).padStart(8, '0')}`;
  await database.query(
    `insert into console_sessions (organization_id, environment, id, member_id, hash, device, created_at, rotated_at, seen_at)
     values ($1, 'test', $2, $3, $4, 'Test', now(), now(), now())`,
    [acme.id, `ses_${String(sessions).padStart(26, '0')}`, owner, createHash('sha256').update(secret).digest()],
  );
  return `foreword_session=${secret}`;
}

const fixture = await forFile(openService());
const { database, service, organization: acme } = fixture;
const names = ['--first-name', 'Hal', '--last-name', 'Host', '--email', 'hal@acme.example'];
const owner = (await fixture.run('member', 'create', '--org', acme.id, ...names, '--role', 'owner')).id;
const hook = await acme.api.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
const ours = {
  ...UNKNOWN_IDS,
  member: acme.memberId,
  intro: (await createIntro(acme.api)).id,
  event: (await sendEvent(acme.api)).id,
  webhook: hook.body.id,
  slug: 'project_kickoff',
};

interface Asked {
  readonly params: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const fixtureOf = (key: ConsoleKey): Asked => {
  const { params = {}, body = {} } = CALLS[key](ours) as Partial<Asked>;
  return { params, body };
};

function pathOf(key: ConsoleKey, params: Record<string, string>): string {
  const [, pattern = ''] = key.split(' ');
  return `/console/api${pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '')}`;
}

let cookie = '';

async function ask(key: ConsoleKey, path: string, body?: string): Promise<[status: number, text: string]> {
  const [method = 'GET'] = key.split(' ');
  const headers = { cookie, origin: service.url, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...headers,
      ...(method !== 'GET' && { 'content-type': 'application/json', 'idempotency-key': newRetryKey() }),
    },
    ...(method !== 'GET' && { body: body ?? '{}' }),
  });
  if (response.status === 401) cookie = await signIn();
  return [response.status, (await response.text()).slice(0, 200)];
}

async function expectRefused(key: ConsoleKey, path: string, body?: string): Promise<void> {
  const [status, text] = await ask(key, path, body);
  expect([path.slice(0, 300), body?.slice(0, 300), status, status < 500 ? '' : text]).toEqual([
    path.slice(0, 300),
    body?.slice(0, 300),
    status,
    '',
  ]);
}

/** Concurrent, because most of the time is spent waiting for the database. */
const AT_ONCE = 8;
async function expectAllRefused(key: ConsoleKey, asked: readonly (readonly [path: string, body?: string])[]) {
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    await Promise.all(asked.slice(at, at + AT_ONCE).map(([path, body]) => expectRefused(key, path, body)));
  }
}

describe.each(OPERATIONS)('%s', (key, operation) => {
  test('never fails on hostile values in the path or query', async () => {
    cookie = await signIn();
    const { params, body } = fixtureOf(key);
    const usual = JSON.stringify(body);
    const inPath = Object.keys(params).flatMap((name) =>
      ESCAPED.map((text) => [pathOf(key, { ...params, [name]: text }), usual] as const),
    );
    const queries = Object.keys(operation.query?.properties ?? {}).flatMap((name) => [
      ...ESCAPED.map((text) => `${name}=${text}`),
      ...[`${name}=a&${name}=b`, `${name}[x]=a`],
    ]);
    // An unknown name is refused whatever its value is.
    const inQuery = [...queries, 'unknown=%00', '__proto__=a', 'constructor=%FF'].map(
      (query) => [`${pathOf(key, params)}?${query}`] as const,
    );
    await expectAllRefused(key, [...inPath, ...inQuery]);
  });

  test('never fails on hostile values in the body', async () => {
    if (operation.body === undefined) return;
    cookie = await signIn();
    const { params, body } = fixtureOf(key);
    const path = pathOf(key, params);
    const whole = ['', '[]', 'null', '"\\ud800"', '{', '{"__proto__":{"a":1}}', `{"a":${'['.repeat(5_000)}`];
    const fields = Object.keys(operation.body.schema.properties).flatMap((name) =>
      [...TEXTS, ...NUMBERS, ...OTHERS].map((value) => JSON.stringify({ ...body, [name]: value })),
    );
    await expectAllRefused(
      key,
      [...whole, ...fields].map((text) => [path, text] as const),
    );
  });
});

const BESIDE = [
  '/console/media/%/x',
  '/console/preview/%',
  '/console/files/%',
  '/console/signin/%',
  '/console/page-preview/%',
];

test('file routes never fail on hostile values in the path', async () => {
  cookie = await signIn();
  for (const pattern of BESIDE) {
    for (const text of ESCAPED) await expectRefused('GET /session', pattern.replace('%', text));
  }
  for (const path of [
    '/console/signin',
    '/console/signin/company',
    '/console/export/intros.csv',
    '/console/page-preview',
    '/console',
  ]) {
    for (const name of ['next', 'out', 'days', 'draft', 'scheme', 'state', 'code']) {
      for (const text of ESCAPED) await expectRefused('GET /session', `${path}?${name}=${text}&${name}=x`);
    }
  }
});

test('a manipulated cookie is never accepted and never causes a failure', async () => {
  const secret = (await signIn()).split('=')[1];
  for (const bent of [
    '',
    '=',
    ';',
    ';;=;',
    `foreword_session`,
    `foreword_session=%00`,
    `foreword_session="${secret}"`,
    `foreword_session=${'x'.repeat(8_000)}`,
    ` foreword_session =${secret}`,
    `xforeword_session=${secret}`,
  ]) {
    cookie = bent;
    const [status] = await ask('GET /session', '/console/api/session');
    expect([bent.slice(0, 60), status]).toEqual([bent.slice(0, 60), 401]);
  }
});
