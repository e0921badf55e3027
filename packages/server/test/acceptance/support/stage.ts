import { expect } from 'vitest';
import {
  type Api,
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startCluster,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../../harness/index.ts';
import { type Published, readPublished } from './published.ts';

/** What a test file works with: a service on a database of its own, and one organization whose answers are all checked. */
export interface Stage {
  /** Arranges what no call can bring about, or not soon enough. What is asserted is asked of the API. */
  readonly database: TestDatabase;
  readonly environment: Record<string, string>;
  readonly service: Service;
  readonly published: Published;
  readonly organization: TestOrganization;
  readonly api: Api;
  newOrganization(options?: Parameters<typeof createTestOrganization>[2]): Promise<TestOrganization>;
  /** Another node on the same database; it is stopped with the stage. */
  newNode(environment: Record<string, string>): Promise<Service>;
  // biome-ignore lint/suspicious/noExplicitAny: what the command prints is looked into freely, as in the harness.
  run(...args: string[]): Promise<any>;
  close(): Promise<void>;
}

/** Who stands in the bodies of this suite. Neither they nor a key may stand in a log. */
const PERSONAL = [/\+1415555\d{4}/, /@acme\.example/i, /\bDana\b/, /\bReyes\b/, /\bAna\b/, /fw_test_[0-9A-Za-z]{30}/];

export function expectDiscreet(output: string): void {
  for (const pattern of PERSONAL) expect(output).not.toMatch(pattern);
}

const SEVERAL_NODES = process.env.FOREWORD_TEST_NODES === 'several';

export async function openStage(settings: Record<string, string> = {}): Promise<Stage> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url };
  const defaults = { ...environment, FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
  // The same promises hold for a service of several processes; only what a test starts by its role stays one.
  const start = SEVERAL_NODES && settings.FOREWORD_ROLE === undefined ? startCluster : startService;
  const service = await start({ ...defaults, ...settings });
  const published = await readPublished(service.url);
  const nodes = [service];
  const newOrganization: Stage['newOrganization'] = async (options) => {
    const organization = await createTestOrganization(environment, service.url, options);
    return { ...organization, api: published.checked(organization.api) };
  };
  const organization = await newOrganization();
  return {
    database,
    environment,
    service,
    published,
    organization,
    api: organization.api,
    newOrganization,
    async newNode(extra) {
      const node = await startService({ ...defaults, ...extra });
      nodes.push(node);
      return node;
    },
    run: (...args) => foreword(environment, ...args),
    async close() {
      for (const node of nodes) await node.stop();
      await database.drop();
      for (const node of nodes) expectDiscreet(node.output());
    },
  };
}
