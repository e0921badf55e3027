import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { CarrierSettings } from '../../src/delivery/index.ts';
import { sleep } from '../harness/index.ts';
import { type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const INTROS = 20;
/** Rejected requests before the account works. */
const FAULTS = 24;
const WORKERS = 2;
const TIMEOUT_MS = 60_000;

let fixture: DeliveryFixture;
let service: CarrierService;
const children = new Set<ChildProcess>();

async function startWorker(settings: CarrierSettings): Promise<ChildProcess> {
  const given = JSON.stringify({ url: fixture.database.url, settings });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'delivery.child.ts'), given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

afterEach(async () => {
  await Promise.all([...children].map(kill));
  await fixture.close();
  await service.close();
});

/** Instead of waiting: claims of killed workers are abandoned, and the account is tried again. */
async function hurry(): Promise<void> {
  await fixture.database.query(
    "update messages set claimed_at = claimed_at - interval '61 s' where status = 'sending' and claimed_at < now() - interval '2 s'",
  );
  await fixture.database.query('update carrier_holds set next_probe_at = least(next_probe_at, now())');
  await fixture.database.query("update messages set due_at = now() where status = 'scheduled' and due_at > now()");
}

test(
  `two workers, killed at random while ${INTROS} texts wait for their account, lose none and send none twice`,
  async () => {
    service = await startTwilioService();
    const text = { carrier: 'twilio', account: TWILIO } as const;
    const settings = { ...LOG_ONLY, text, twilioApiUrl: service.url };
    fixture = await openDelivery(new Date().toISOString(), settings);
    await fixture.database.query('create table published (type text, id text)');
    const { tenant } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await fixture.database.query(
      `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at) values ($1, 'test', 0, 1440, now())`,
      [tenant.organizationId],
    );
    const ids: string[] = [];
    for (let n = 0; n < INTROS; n++) ids.push(await fixture.createIntro());
    await fixture.tick();
    for (const id of ids) await fixture.record(id);
    const rejected = { kind: 'respond', status: 401, body: JSON.stringify({ code: 20003, message: 'no' }) } as const;
    service.next(...Array.from({ length: FAULTS }, () => rejected));

    let isOver = false;
    const crashing = Array.from({ length: WORKERS }, async () => {
      while (!isOver) {
        const worker = await startWorker(settings);
        await sleep(randomInt(500, 3_000));
        await kill(worker);
      }
    });
    const countSent = async () =>
      (await fixture.database.query<{ n: number }>("select count(*)::int as n from intros where status = 'sent'"))[0]
        ?.n;
    const end = performance.now() + TIMEOUT_MS;
    while ((await countSent()) !== INTROS && performance.now() < end) {
      await sleep(500);
      await hurry();
      // Requeues claims of killed workers, which live too short for it, and works as one more node.
      fixture.setNow(new Date().toISOString());
      await fixture.tick();
    }
    isOver = true;
    await Promise.all(crashing);
    expect(await countSent()).toBe(INTROS);
    expect(new Set(service.accepted.map(({ to }) => to)).size).toBe(INTROS);
    expect(service.accepted).toHaveLength(INTROS);
    expect(await fixture.database.query('select 1 from carrier_holds')).toEqual([]);
    const byWorkers = await fixture.database.query<{ type: string; id: string }>('select type, id from published');
    const published = [...byWorkers, ...fixture.events.map(({ type, subject: id }) => ({ type, id }))];
    expect(published.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      ids.toSorted().map((id) => ({ type: 'intro.sent', id })),
    );
  },
  2 * TIMEOUT_MS,
);
