import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openService, sleep } from '../harness/index.ts';
import { HTTP_SECRET, startHttpService } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const ATTACK = 3;
const LIMIT = 20;
const INTROS = 60;
const KILLS = 6;
const SETTLED_WITHIN_MS = 60_000;

test('a leaked key that creates and records intros for satellite numbers causes no text', async () => {
  const carrier = await startHttpService();
  const fixture = await openService({
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: carrier.url,
    SMS_HTTP_SECRET: HTTP_SECRET,
  });
  const { api, organization, run } = fixture;
  await run('delivery', 'set', '--org', organization.id, '--texts-from', '00:00', '--texts-until', '24:00');
  const attack = async (prefix: string) => {
    const intros = await Promise.all(
      Array.from({ length: ATTACK }, (_, at) => {
        const recipient = { first_name: 'Dana', phone: `${prefix}${String(at).padStart(4, '0')}` };
        return createIntro(api, { recipient, delivery: { responsibility: 'service' } });
      }),
    );
    for (const { id } of intros) expect((await api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
    const reasons = new Set<string>();
    for (const { id } of intros) {
      const intro = await eventually(
        async () => (await api.get(`/v1/intros/${id}`)).body,
        ({ delivery }) => delivery.error !== null,
        SETTLED_WITHIN_MS,
      );
      expect(intro.status).toBe('ready');
      reasons.add(intro.delivery.reason);
      const { body: timeline } = await api.get(`/v1/intros/${id}/timeline`);
      expect(timeline.data.at(-1)).toMatchObject({ type: 'not_sent', detail: { code: intro.delivery.reason } });
    }
    return [...reasons];
  };
  try {
    expect(await attack('+88216123')).toEqual(['test_recording']);
    expect(await attack('+1312555')).toEqual(['test_recording']);
    await run('delivery', 'set', '--org', organization.id, '--text-test-recordings', 'true');
    expect(await attack('+88216124')).toEqual(['country_not_allowed']);
    expect(carrier.accepted).toEqual([]);
    const metrics = await (await fetch(`${fixture.service.url}/metrics`)).text();
    expect(metrics).toContain(`foreword_texts_limited_total{reason="test_recording"} ${2 * ATTACK}`);
  } finally {
    await fixture.close();
    await carrier.close();
  }
}, 240_000);

const children = new Set<ChildProcess>();

async function startWorker(url: string, settings: object): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'delivery.child.ts'), JSON.stringify({ url, settings })],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.add(child);
  child.once('exit', () => children.delete(child));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const countOf = async (fixture: DeliveryFixture, condition: string) =>
  (await fixture.database.query<{ n: number }>(`select count(*)::int as n from messages where ${condition}`))[0]?.n ??
  0;

test('two nodes that are killed again and again send exactly as many texts as the daily limit allows', async () => {
  const carrier = await startHttpService(false);
  const settings = {
    ...LOG_ONLY,
    text: { carrier: 'http', address: { url: carrier.url, secret: HTTP_SECRET } },
  } as const;
  const fixture = await openDelivery(new Date().toISOString(), settings);
  try {
    await fixture.database.query('create table published (type text, id text)');
    const { tenant } = await fixture.createOrganization({
      timezone: 'America/Chicago',
      member: { notify_by: 'email' },
    });
    await fixture.database.query(
      `insert into delivery_settings (organization_id, environment, texts_from, texts_until, daily_texts, updated_at)
       values ($1, 'test', 0, 1440, ${LIMIT}, now())`,
      [tenant.organizationId],
    );
    for (let at = 0; at < INTROS; at += 1) {
      await fixture.record(await fixture.createIntro({ phone: `+1312444${String(at).padStart(4, '0')}` }));
    }
    for (let killed = 0; killed < KILLS; killed += 1) {
      const workers = await Promise.all([
        startWorker(fixture.database.url, settings),
        startWorker(fixture.database.url, settings),
      ]);
      await sleep(40 * killed);
      await Promise.all(workers.map(kill));
    }
    // Ages the claims of killed workers, instead of waiting for a minute.
    await fixture.database.query(
      "update messages set claimed_at = claimed_at - interval '2 minutes' where status = 'sending'",
    );
    await startWorker(fixture.database.url, settings);
    const isHeld = "purpose = 'deliver' and status = 'scheduled' and held_for = 'daily_limit'";
    await expect.poll(() => countOf(fixture, isHeld), { timeout: SETTLED_WITHIN_MS }).toBe(INTROS - LIMIT);
    await expect
      .poll(() => countOf(fixture, "purpose = 'deliver' and status = 'accepted'"), { timeout: SETTLED_WITHIN_MS })
      .toBe(LIMIT);
    expect(carrier.accepted).toHaveLength(LIMIT);
    const [count] = await fixture.database.query("select sent from text_counts where subject = ''");
    expect(count).toEqual({ sent: LIMIT });
  } finally {
    await Promise.all([...children].map(kill));
    await fixture.close();
    await carrier.close();
  }
}, 180_000);
