export { type Api, createApi, nextKey, type Reply } from './api.ts';
export { errorOf, foreword, forewordProgram, runForeword, tryForeword } from './cli.ts';
export { startCluster } from './cluster.ts';
export { type CollectedMessage, startCollector } from './collector.ts';
export { asAdministrator, createTestDatabase, databaseUrl, runSql, type TestDatabase } from './database.ts';
export { startDebianPostgres } from './debian-postgres.ts';
export { forFile } from './for-file.ts';
export { isLong } from './is-long.ts';
export { openService, type ServiceFixture } from './open-service.ts';
export { createTestOrganization, type TestOrganization } from './organization.ts';
export { type PoolMode, startPgBouncer } from './pgbouncer.ts';
export {
  clockShiftedBy,
  freePort,
  launchService,
  logLines,
  OBJECTS_FOLDER,
  type Service,
  STARTED_WITH_OPTIONS,
  sleep,
  startService,
} from './service.ts';
export { type SilentProxy, startSilentProxy } from './silent-proxy.ts';
export { collectText, listenLocally } from './streams.ts';
