import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '../harness/index.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

const WORKER = path.join(import.meta.dirname, 'sender.child.ts');
const MESSAGES = 2_000;
const KILLS = 8;

let stage: Stage;
let receiver: Receiver;
let worker: ChildProcess;

beforeAll(async () => {
  stage = await openStage();
  receiver = await startReceiver((response) => void setTimeout(() => response.end(), 5));
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await receiver.close();
  await stage.close();
});

const startWorker = (): ChildProcess => fork(WORKER, [stage.database.url], { execArgv: [] });

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

it('every webhook arrives at least once although its worker is killed again and again', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => stage.newTenant()));
  for (const tenant of tenants) {
    for (let n = 0; n < 4; n++)
      await stage.newEndpoint(tenant, { url: `${receiver.url}/${tenant.organizationId}/${n}` });
  }
  worker = startWorker();
  const telling = (async () => {
    for (let n = 0; n < MESSAGES / 20; n++) {
      await Promise.all(tenants.map((tenant) => stage.tell(tenant, 'intro.ready', { n })));
      await sleep(40);
    }
  })();
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(300 + kills * 70);
    await kill(worker);
    worker = startWorker();
  }
  await telling;
  // What a killed worker had claimed is due once its time is over; a test need not wait for that.
  const rescue = () =>
    stage.database.query("update webhook_deliveries set due_at = now() where due_at > now() + interval '10 seconds'");
  await sleep(1_000);
  await kill(worker);
  await rescue();
  worker = startWorker();
  const left = async () =>
    (
      await stage.database.query<{ n: number }>(
        "select count(*)::int as n from webhook_deliveries where status <> 'delivered'",
      )
    )[0]?.n;
  await expect.poll(left, { timeout: 30_000, interval: 100 }).toBe(0);
  const told = await stage.database.query<{ id: string }>('select id from webhook_messages');
  expect(told).toHaveLength(MESSAGES / 4);
  const seen = new Map<string, Set<string>>();
  for (const { headers, path: at } of receiver.received) {
    const id = headers['webhook-id'] ?? '';
    seen.set(id, (seen.get(id) ?? new Set()).add(at));
  }
  expect([...seen.keys()].sort()).toEqual(told.map(({ id }) => id).sort());
  for (const paths of seen.values()) expect(paths.size).toBe(4);
  // Killed eight times, it may repeat what was under way, and not much more.
  expect(receiver.received.length - MESSAGES).toBeLessThan(KILLS * 4 * 20 * 4);
}, 90_000);
