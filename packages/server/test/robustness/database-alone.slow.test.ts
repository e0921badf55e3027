import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
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
  });

  test('this search finds the links that work, in every encoding', async () => {
    const tokens = installation.livePaths.map(tokenOf);
    expect(await findWorking(new Set([...tokens, installation.organization.key]))).toHaveLength(tokens.length + 1);
    for (const token of tokens) {
      const url = `https://acme.example/i/${token}?a=b`;
      const base64 = Buffer.from(JSON.stringify({ url })).toString('base64');
      const hex = Buffer.from(url).toString('hex');
      for (const text of [url, encodeURIComponent(url), base64, `\\x${hex}`, JSON.stringify({ body: base64 })]) {
        expect([...tokensIn(text)], text).toContain(token);
      }
    }
  });
});

/** How the API and the console show stored links. */
async function readShown() {
  const { owner, intros, replays, api } = installation;
  const shown: Record<string, unknown> = {};
  for (const id of Object.values(intros)) {
    const { messages, team } = (await owner.call('GET /intros/:id', { params: { id } })).body;
    shown[id] = { messages, webhooks: team?.webhooks };
  }
  const { endpoints } = (await owner.call('GET /webhooks')).body;
  for (const { id } of endpoints) {
    const { attempts } = (await owner.call('GET /webhooks/:id/attempts', { params: { id } })).body;
    shown[id] = attempts;
  }
  for (const { path, key } of replays) {
    const { status, headers, body } = await api.post(path, undefined, { key });
    shown[path] = { status, replayed: headers.get('idempotent-replayed'), body: { ...body, media: undefined } };
  }
  return shown;
}

/** Stores what the installation shows in the columns of the version before, in clear. */
async function restoreClearRows(): Promise<void> {
  const { database, owner, intros, replays } = installation;
  for (const id of Object.values(intros)) {
    const { messages, team } = (await owner.call('GET /intros/:id', { params: { id } })).body;
    for (const message of messages) {
      await database.query('update messages set body = $2, wording = null where id = $1', [message.id, message.body]);
    }
    for (const webhook of team?.webhooks ?? []) {
      const payload = JSON.stringify(webhook.payload);
      await database.query('update webhook_messages set payload = $2, sealed_payload = null where id = $1', [
        webhook.id,
        payload,
      ]);
    }
  }
  const { endpoints } = (await owner.call('GET /webhooks')).body;
  for (const { id } of endpoints) {
    const { attempts } = (await owner.call('GET /webhooks/:id/attempts', { params: { id } })).body;
    for (const attempt of attempts) {
      await database.query('update webhook_attempts set answer = $2, sealed_answer = null where id = $1', [
        attempt.id,
        attempt.answer,
      ]);
    }
  }
  for (const { key, body } of replays) {
    // That version had no media.
    const response = JSON.stringify({ ...(body as object), media: undefined });
    await database.query('update idempotency_keys set response = $2 where key = $1', [key, response]);
  }
}

describe('links that an earlier version stored', () => {
  test('are removed by the next node that starts, and everything reads as before', async () => {
    const { database, newNode, livePaths } = installation;
    const before = await readShown();
    await restoreClearRows();
    expect(await readShown()).toEqual(before);
    const clear = new Set([...(await dumpTables(database)).values()].flatMap((text) => [...tokensIn(text)]));
    expect(clear).toContain(tokenOf(livePaths[0] ?? ''));

    const node = await newNode({});
    const INDEXES = `select (select count(*)::int from messages where body is not null)
      + (select count(*)::int from webhook_messages where payload is not null)
      + (select count(*)::int from webhook_attempts where answer is not null)
      + (select count(*)::int from idempotency_keys where response like '%"recipient_url":"http%') as n`;
    await eventually(
      async () => (await database.query<{ n: number }>(INDEXES))[0]?.n,
      (n) => n === 0,
    );
    for (const stored of ['messages', 'webhooks', 'responses']) {
      await expect.poll(() => node.output()).toContain(`"stored":"${stored}"`);
    }
    expect(await readShown()).toEqual(before);
    const tokens = new Set([...(await dumpTables(database)).values()].flatMap((text) => [...tokensIn(text)]));
    for (const path of livePaths) expect(tokens).not.toContain(tokenOf(path));
  });

  test('are never sent by a node that cannot read what replaces them', async () => {
    const { database, intros } = installation;
    const columns = 'organization_id, message_id, endpoint_id, claim';
    const [pending] = await database.query<{ message_id: string; claim: number }>(
      `update webhook_deliveries set status = 'pending', due_at = now() + interval '1 hour'
       where message_id = (select id from webhook_messages where object_id = $1 limit 1) returning ${columns}`,
      [intros.texted],
    );
    // As the version before claims it.
    const claimed = await database.query(
      `update webhook_deliveries d set claim = d.claim + 1, due_at = now() where message_id = $1 returning ${columns}`,
      [pending?.message_id],
    );
    expect(claimed).toEqual([]);
    const unchanged = `select ${columns} from webhook_deliveries where message_id = $1`;
    expect(await database.query(unchanged, [pending?.message_id])).toEqual([pending]);
  });
});
