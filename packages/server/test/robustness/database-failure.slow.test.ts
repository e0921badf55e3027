import { expect, inject, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import {
  createTestDatabase,
  freePort,
  launchService,
  STARTED_WITH_OPTIONS,
  startSilentProxy,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { postgresPids, signalPostgres } from './suspended-postgres.ts';

const LINE = 'foreword: the database has not responded for 3 s; exiting so that a new process can start\n';

async function launch(settings: Record<string, string>) {
  const environment = { ...settings, PORT: String(await freePort()), FOREWORD_DEMO: 'off', LOG_LEVEL: 'error' };
  const START_OPTIONS = '{"databaseFailureLimitMs":3000}';
  const service = launchService({ ...environment, START_OPTIONS }, { main: STARTED_WITH_OPTIONS });
  await service.ready;
  return service;
}

test.concurrent('a failure that lasts ends the process with code 1 and one line; a shorter one does not', async () => {
  const database = await createTestDatabase();
  const proxy = await startSilentProxy(inject('socketDir'));
  const service = await launch({ DATABASE_URL: proxy.url(new URL(database.url).pathname.slice(1)) });
  try {
    proxy.silenceAll();
    await eventually(
      async () => (await fetch(`${service.url}/readyz`)).status,
      (status) => status === 503,
    );
    proxy.restore();
    await eventually(
      async () => (await fetch(`${service.url}/readyz`)).status,
      (status) => status === 200,
    );
    proxy.silenceAll();
    expect(await service.exited).toBe(1);
    expect(service.output().match(/^foreword: .*\n/gm)).toEqual([LINE]);
  } finally {
    await service.kill();
    await proxy.close();
    await database.drop();
  }
});

test.concurrent('the embedded PostgreSQL ends with the process, even if it is suspended', async () => {
  const dataDir = temporaryFolder();
  const service = await launch({ DATA_DIR: dataDir });
  try {
    signalPostgres(dataDir, 'SIGSTOP');
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain(LINE);
    expect(postgresPids(dataDir)).toEqual([]);
  } finally {
    await service.kill();
  }
});
