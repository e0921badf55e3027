import { createTestDatabase, createTestOrganization, foreword, type Service, startService } from '../harness/index.ts';

export interface Demo {
  readonly url: string;
  /** A new organization with the same member as the demo, and a key that may do everything. */
  openOrganization(): Promise<{ readonly key: string }>;
  close(): Promise<void>;
}

/** One service for all pages, because an organization starts faster than a service. */
export async function openDemo(): Promise<Demo> {
  const database = await createTestDatabase();
  const settings = { ...database.environment, WEBHOOKS_ALLOW_PRIVATE: 'on', RATE_LIMIT: '1000/2000' };
  const service: Service = await startService(settings);
  return {
    url: service.url,
    async openOrganization() {
      const { id } = await createTestOrganization(database.environment, service.url);
      const every = ['--scope', 'full', '--allow-recording-links', 'true'];
      const { key } = await foreword(database.environment, 'key', 'create', '--org', id, ...every);
      return { key };
    },
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}
