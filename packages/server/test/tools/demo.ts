import { createTestDatabase, foreword, startService } from '../harness/index.ts';

/** A service as after its first `npm start`: the demo organization, and a key that may do everything. */
export interface Demo {
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

export async function openDemo(): Promise<Demo> {
  const database = await createTestDatabase();
  const service = await startService({ ...database.environment, RATE_LIMIT: 'off' });
  const { data } = await foreword(database.environment, 'org', 'list');
  const every = ['--scope', 'full', '--allow-recording-links', 'true'];
  const { key } = await foreword(database.environment, 'key', 'create', '--org', data[0].id, ...every);
  return {
    url: service.url,
    key,
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}
