import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { forFile, isLong, sleep } from '../harness/index.ts';
import { startReceiver } from './receiver.ts';
import { openFixture } from './webhook-fixture.ts';

const WORKER = path.join(import.meta.dirname, 'sender.child.ts');
const MESSAGES = isLong ? 2_000 : 800;
const KILLS = isLong ? 8 : 3;

let worker: ChildProcess;

const fixture = await forFile(openFixture());
const receiver = await forFile(startReceiver((response) => void setTimeout(() => response.end(), 5)));
afterAll(async () => {
  worker.kill('SIGKILL');
});

const startWorker = (): ChildProcess => fork(WORKER, [fixture.database.url], { execArgv: [] });

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

test('every webhook arrives at least once even though its worker is killed repeatedly', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => fixture.newTenant()));
  for (const tenant of tenants) {
    for (let n = 0; n < 4; n++)
      await fixture.newEndpoint(tenant, { url: `${receiver.url}/${tenant.organizationId}/${n}` });
  }
  worker = startWorker();
  const publishing = (async () => {
    for (let n = 0; n < MESSAGES / 20; n++) {
      await Promise.all(tenants.map((tenant) => fixture.publish(tenant, 'intro.ready', { n })));
      await sleep(40);
    }
  })();
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(300 + kills * 70);
    await kill(worker);
    worker = startWorker();
  }
  await publishing;
  // The claims of a killed worker expire later than a test can wait.
  const expireClaims = () =>
    fixture.database.query("update webhook_deliveries set due_at = now() where due_at > now() + interval '10 seconds'");
  await kill(worker);
  await expireClaims();
  worker = startWorker();
  const countUndelivered = async () =>
    (
      await fixture.database.query<{ n: number }>(
        "select count(*)::int as n from webhook_deliveries where status <> 'delivered'",
      )
    )[0]?.n;
  await expect.poll(countUndelivered, { timeout: 120_000, interval: 100 }).toBe(0);
  const messages = await fixture.database.query<{ id: string }>('select id from webhook_messages');
  expect(messages).toHaveLength(MESSAGES / 4);
  const seen = new Map<string, Set<string>>();
  for (const { headers, path: at } of receiver.received) {
    const id = headers['webhook-id'] ?? '';
    seen.set(id, (seen.get(id) ?? new Set()).add(at));
  }
  expect([...seen.keys()].sort()).toEqual(messages.map(({ id }) => id).sort());
  for (const paths of seen.values()) expect(paths.size).toBe(4);
  // After each kill, only the attempts in flight may be repeated.
  expect(receiver.received.length - MESSAGES).toBeLessThan(KILLS * 4 * 20 * 4);
}, 240_000);
