import { expect, inject, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import {
  type Api,
  createTestDatabase,
  createTestOrganization,
  isLong,
  type Service,
  type SilentProxy,
  sleep,
  startService,
  startSilentProxy,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import {
  expectAllProcessedOnce,
  expectOneIdEach,
  expectStored,
  isAcknowledged,
  openLedger,
  SENDERS,
  sendDuring,
} from './ledger.ts';
import { signalPostgres } from './suspended-postgres.ts';

const NOTICED_AFTER_MS = 3_000;
const SETTLED_WITHIN_MS = 60_000;

interface Outage {
  readonly service: Service;
  readonly api: Api;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  /** Undefined: new connections work all the time. */
  readonly seconds: number | undefined;
}

async function isReady(service: Service): Promise<boolean> {
  return (await fetch(`${service.url}/readyz`)).status === 200;
}

/** Every kind of request is refused, and says when to try again. */
async function expectRefusals(service: Service, api: Api): Promise<void> {
  for (const request of [
    () => api.get('/v1/intros'),
    () =>
      api.post('/v1/intros', {
        member: { external_id: 'rep_17' },
        recipient: { first_name: 'D', phone: '+14155550123' },
      }),
  ]) {
    const { status, headers, body } = await request();
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable']);
  }
  const link = `/i/${'a'.repeat(12)}`;
  const form = { method: 'POST', body: new URLSearchParams({ reply: 'thanks' }) };
  const opened = [link, `/r/${'a'.repeat(22)}`].map((path) => [path, {}] as const);
  const submitted = ['opt-out', 'undo-opt-out', 'reply'].map((name) => [`${link}/${name}`, form] as const);
  for (const [path, init] of [...opened, ...submitted]) {
    const page = await fetch(service.url + path, init);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await page.text()).toContain('<meta http-equiv="refresh" content="5">');
  }
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/foreword_database_failing_seconds [\d.]+/);
}

/** The service answers every request during the fault, is ready after it, and has lost and repeated nothing. */
async function expectSurvives({ service, api, begin, end, seconds }: Outage): Promise<void> {
  const ledger = openLedger();
  await sendDuring(api, ledger, async () => {
    await sleep(1_000);
    await begin();
    // The fault needs a moment to be noticed.
    if (seconds === undefined) await sleep(NOTICED_AFTER_MS);
    else {
      await eventually(
        () => isReady(service),
        (ready) => !ready,
      );
      await expectRefusals(service, api);
      await sleep(seconds * 1_000);
      await end();
    }
    await eventually(() => isReady(service));
    const acknowledged = () => ledger.submissions.filter(isAcknowledged).length;
    const before = acknowledged();
    await eventually(() => acknowledged() > before + SENDERS);
  });
  expect(ledger.problems).toEqual([]);
  expect(ledger.submissions.some((submission) => !isAcknowledged(submission))).toBe(true);
  await expectStored(api, ledger.submissions);
  // Refused requests, and those whose outcome was unknown, are repeated with their keys.
  await expectOneIdEach(api, ledger, ledger.submissions);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
}

// These mostly wait, so they run at the same time.

/** After the fault was noticed. */
const FAULT_S = 2;
const SETTINGS = { RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', LOG_LEVEL: 'warn' };

async function withSilentNetwork(work: (proxy: SilentProxy, service: Service, api: Api) => Promise<void>) {
  const database = await createTestDatabase();
  const proxy = await startSilentProxy(inject('socketDir'));
  const service = await startService({
    ...SETTINGS,
    DATABASE_URL: proxy.url(new URL(database.url).pathname.slice(1)),
  });
  try {
    await work(proxy, service, (await createTestOrganization({ DATABASE_URL: database.url }, service.url)).api);
  } finally {
    await service.stop();
    await proxy.close();
    await database.drop();
  }
}

test.concurrent('established connections that fall silent: every request is answered, and nothing is lost or done twice', () =>
  withSilentNetwork((proxy, service, api) =>
    expectSurvives({ service, api, begin: () => proxy.silenceEstablished(), end: () => undefined, seconds: undefined }),
  ));

test.concurrent('a network that swallows everything: 503 for every request, ready after it ends, and nothing is lost or done twice', () =>
  withSilentNetwork(async (proxy, service, api) => {
    const [begin, end] = [() => proxy.silenceAll(), () => proxy.restore()];
    await expectSurvives({ service, api, begin, end, seconds: FAULT_S });
    expect(service.output()).toMatch(
      /"msg":"the database does not respond; .*\n(.*\n)*.*"msg":"the database responds again"/,
    );
  }));

test.concurrent('a suspended PostgreSQL: 503 for every request, ready after it ends, and nothing is lost or done twice', async () => {
  const dataDir = temporaryFolder();
  const environment = { DATA_DIR: dataDir };
  const service = await startService({ ...SETTINGS, ...environment });
  try {
    const { api } = await createTestOrganization(environment, service.url);
    const begin = () => signalPostgres(dataDir, 'SIGSTOP');
    const end = () => signalPostgres(dataDir, 'SIGCONT');
    await expectSurvives({ service, api, begin, end, seconds: isLong ? 40 : FAULT_S });
  } finally {
    await service.stop();
  }
});
