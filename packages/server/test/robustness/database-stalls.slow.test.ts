import { expect, inject, test } from 'vitest';
import {
  type Api,
  createTestDatabase,
  createTestOrganization,
  isLong,
  type Service,
  type SilentProxy,
  startService,
  startSilentProxy,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { expectSurvives } from './outage.ts';
import { signalPostgres } from './suspended-postgres.ts';

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
