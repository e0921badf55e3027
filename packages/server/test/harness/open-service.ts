import type { Api } from './api.ts';
import { foreword } from './cli.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTestOrganization, type TestOrganization } from './organization.ts';
import { type Service, startService } from './service.ts';

/** A real service on its own database, with one organization: the setup of most black-box tests. */
export interface ServiceFixture {
  /** Arranges what no call can create, or not soon enough. Assertions go through the API. */
  readonly database: TestDatabase;
  /** For the command and for more nodes. */
  readonly environment: Record<string, string>;
  readonly service: Service;
  readonly organization: TestOrganization;
  /** The organization's API. */
  readonly api: Api;
  newOrganization(options?: Parameters<typeof createTestOrganization>[2]): Promise<TestOrganization>;
  /** Another node on the same database, stopped together with the fixture. */
  newNode(environment: Record<string, string>): Promise<Service>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the command's output freely, as in api.ts.
  run(...args: string[]): Promise<any>;
  /** Stops every node and drops the database. */
  close(): Promise<void>;
}

interface ServiceFixtureOptions {
  /** Starts the first node; several processes instead of one, for example. */
  readonly start?: typeof startService;
  /** Replaces each organization's API, for example by one that checks every response. */
  readonly wrapApi?: (api: Api, service: Service) => Promise<Api>;
  readonly organization?: Parameters<typeof createTestOrganization>[2];
}

export async function openService(
  settings: Record<string, string> = {},
  { start = startService, wrapApi = async (api) => api, organization: options }: ServiceFixtureOptions = {},
): Promise<ServiceFixture> {
  const database = await createTestDatabase();
  const { environment } = database;
  const nodeSettings = { ...environment, FOREWORD_DEMO: 'off', RATE_LIMIT: 'off', ...settings };
  const service = await start(nodeSettings);
  const nodes = [service];
  const newOrganization: ServiceFixture['newOrganization'] = async (chosen) => {
    const created = await createTestOrganization(environment, service.url, chosen);
    return { ...created, api: await wrapApi(created.api, service) };
  };
  const organization = await newOrganization(options);
  return {
    database,
    environment,
    service,
    organization,
    api: organization.api,
    newOrganization,
    async newNode(extra) {
      const node = await startService({ ...nodeSettings, ...extra });
      nodes.push(node);
      return node;
    },
    run: (...args) => foreword(environment, ...args),
    async close() {
      for (const node of nodes) await node.stop();
      await database.drop();
    },
  };
}
