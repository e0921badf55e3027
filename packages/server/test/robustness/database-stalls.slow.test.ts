import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createTestDatabase,
  createTestOrganization,
  isLong,
  type Service,
  type SilentProxy,
  startService,
  startSilentProxy,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { expectSurvives } from './outage.ts';
import { signalPostgres } from './suspended-postgres.ts';

const SUSPENDED_S = isLong ? 40 : 10;
const SWALLOWED_S = 6;
const SETTINGS = { RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', LOG_LEVEL: 'warn' };
const LIMIT_MS = 90_000;

describe('a network without RST and FIN', () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  let service: Service;
  let organization: TestOrganization;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startSilentProxy(inject('socketDir'));
    service = await startService({ ...SETTINGS, DATABASE_URL: proxy.url(new URL(database.url).pathname.slice(1)) });
  });

  afterAll(async () => {
    await service?.stop();
    await proxy?.close();
    await database?.drop();
  });

  test(
    'established connections that fall silent: responses within 3 seconds, ready within 5, and nothing is lost or done twice',
    async () => {
      organization = await createTestOrganization({ DATABASE_URL: database.url }, service.url);
      const { api } = organization;
      await expectSurvives({
        service,
        api,
        begin: () => proxy.silenceEstablished(),
        end: () => undefined,
        seconds: undefined,
      });
    },
    LIMIT_MS,
  );

  test(
    'a network that swallows everything: 503 within 3 seconds, then at once, ready within 5 after it ends, and nothing is lost or done twice',
    async () => {
      const { api } = await createTestOrganization({ DATABASE_URL: database.url }, service.url);
      const [begin, end] = [() => proxy.silenceAll(), () => proxy.restore()];
      await expectSurvives({ service, api, begin, end, seconds: SWALLOWED_S });
      expect(service.output()).toMatch(
        /"msg":"the database does not respond; .*\n(.*\n)*.*"msg":"the database responds again"/,
      );
    },
    LIMIT_MS,
  );
});

test(
  'a suspended PostgreSQL: 503 within 3 seconds, then at once, ready within 5 after it ends, and nothing is lost or done twice',
  async () => {
    const dataDir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-suspended-')));
    const environment = { DATA_DIR: dataDir };
    const service = await startService({ ...SETTINGS, ...environment });
    try {
      const { api } = await createTestOrganization(environment, service.url);
      const begin = () => signalPostgres(dataDir, 'SIGSTOP');
      const end = () => signalPostgres(dataDir, 'SIGCONT');
      await expectSurvives({ service, api, begin, end, seconds: SUSPENDED_S });
    } finally {
      await service.stop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    }
  },
  LIMIT_MS + SUSPENDED_S * 1_000,
);
