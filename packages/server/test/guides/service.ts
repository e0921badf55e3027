import { openService } from '../harness/index.ts';

/** The address of a service, and a key of an organization that may do everything. */
export interface Caller {
  readonly url: string;
  readonly key: string;
}

/** One service for all pages, because an organization starts faster than a service. Its rate limits are in its responses. */
export async function openGuideService() {
  const { service, newOrganization, run, close } = await openService({ RATE_LIMIT: '1000/2000' });
  return {
    async newCaller(): Promise<Caller> {
      const every = ['--scope', 'full', '--allow-recording-links', 'true'];
      const { key } = await run('key', 'create', '--org', (await newOrganization()).id, ...every);
      return { url: service.url, key };
    },
    close,
  };
}
