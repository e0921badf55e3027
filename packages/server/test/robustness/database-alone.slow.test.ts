import { beforeAll, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { fillInstallation } from './database-alone-fixture.ts';
import { dumpTables, tokensIn } from './dump.ts';

const CONCURRENT = 8;
const UNKNOWN = 'Zz9Yy8Xx7Ww6';

const installation = await forFile(fillInstallation());

let addresses = 0;
/** From a new address each time, because wrong links are limited by address. */
function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const n = ++addresses;
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  const options = { headers: { 'x-forwarded-for': address, ...headers }, redirect: 'manual' } as const;
  return fetch(installation.service.url + path, options);
}

/** The response of each way to use a token. */
async function tryToken(token: string): Promise<Record<string, number>> {
  const bearer = (key: string) => ask('/v1/touchpoints', { authorization: `Bearer ${key}` });
  const responses = {
    page: await ask(`/i/${token}`),
    recorder: await ask(`/r/${token}`),
    signIn: await ask(`/console/signin/${token}`),
    key: await bearer(token),
    keyWithPrefix: await bearer(`fw_test_${token}`),
  };
  for (const response of Object.values(responses)) await response.body?.cancel();
  return Object.fromEntries(Object.entries(responses).map(([way, { status }]) => [way, status]));
}

async function findWorking(tokens: ReadonlySet<string>): Promise<string[]> {
  const refused = await tryToken(UNKNOWN);
  const waiting = [...tokens];
  const working: string[] = [];
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
        const statuses = await tryToken(token);
        if (JSON.stringify(statuses) !== JSON.stringify(refused)) working.push(`${token} ${JSON.stringify(statuses)}`);
      }
    }),
  );
  return working;
}

const tokenOf = (path: string): string => path.split('/').at(-1) ?? '';

describe('with everything that the database contains', () => {
  let dump: Map<string, string>;
  beforeAll(async () => {
    dump = await dumpTables(installation.database);
  });

  test('a stranger opens no recorder, no page, and neither the console nor the API', async () => {
    for (const table of ['messages', 'webhook_messages', 'webhook_attempts', 'idempotency_keys', 'request_log']) {
      expect([...dump.keys()], table).toContain(`public.${table}`);
    }
    expect([...dump.keys()].some((name) => name.startsWith('pgboss.'))).toBe(true);
    expect(await installation.database.query('select 1 from pg_largeobject_metadata')).toEqual([]);
    const tokens = new Set([...dump.values()].flatMap((text) => [...tokensIn(text)]));
    expect(tokens.size).toBeGreaterThan(100);
    expect(await findWorking(tokens)).toEqual([]);
    // The same search finds the links that work.
    const live = new Set(installation.livePaths.map(tokenOf));
    expect(await findWorking(live)).toHaveLength(live.size);
  });
});
