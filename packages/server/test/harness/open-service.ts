import { inject } from 'vitest';
import type { Api } from './api.ts';
import { foreword } from './cli.ts';
import { createTestDatabase } from './database.ts';
import { createTestOrganization, type TestOrganization } from './organization.ts';
import { type Service, startService } from './service.ts';

type NewOrganization = Parameters<typeof createTestOrganization>[2];

interface ServiceFixtureOptions {
  /** Starts the first node; several processes instead of one, for example. */
  readonly start?: typeof startService;
  /** Replaces each organization's API, for example by one that checks every response. */
  readonly wrapApi?: (api: Api, service: Service) => Promise<Api>;
  readonly organization?: NewOrganization;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Not in the slow suite: it kills services, and some commands need the only organization. */
    sharedServices?: boolean;
  }
}

/** The same encoder on each machine, and webhooks to servers of the tests. */
const DEFAULTS = { FOREWORD_DEMO: 'off', RATE_LIMIT: 'off', FFMPEG_PATH: 'off', WEBHOOKS_ALLOW_PRIVATE: 'on' };

async function startOnNewDatabase(start: typeof startService, changes: Record<string, string>, parent?: number) {
  const database = await createTestDatabase();
  const settings = { ...database.environment, ...DEFAULTS, ...changes };
  return { database, settings, service: await start(settings, parent) };
}

type RunningService = Awaited<ReturnType<typeof startOnNewDatabase>>;

// Outside the module, because the modules are loaded again for each test file.
const world = globalThis as { forewordService?: Promise<RunningService> | undefined };

/**
 * Test files that run in one process share a service, and each file has its own organizations. Starting a service takes as much
 * CPU time as dozens of tests, and an idle one looks for work several times a second. It ends with the process.
 */
function findShared(): Promise<RunningService> {
  if (world.forewordService === undefined) {
    world.forewordService = startOnNewDatabase(startService, {}, process.pid);
    // So that the next file tries again.
    world.forewordService.catch(() => {
      world.forewordService = undefined;
    });
  }
  return world.forewordService;
}

export type ServiceFixture = Awaited<ReturnType<typeof openService>>;

/** A real service with one organization: the setup of most black-box tests. */
export async function openService(
  changes: Record<string, string> = {},
  { start = startService, wrapApi = async (api) => api, organization: options }: ServiceFixtureOptions = {},
) {
  const isShared = inject('sharedServices') === true && start === startService && Object.keys(changes).length === 0;
  const { database, settings, service } = await (isShared ? findShared() : startOnNewDatabase(start, changes));
  const { environment } = database;
  const nodes = isShared ? [] : [service];
  const newOrganization = async (chosen?: NewOrganization): Promise<TestOrganization> => {
    const created = await createTestOrganization(environment, service.url, chosen);
    return { ...created, api: await wrapApi(created.api, service) };
  };
  const organization = await newOrganization(options);
  return {
    /** Arranges what no call can create, or not soon enough. Assertions go through the API. */
    database,
    /** For the command and for more nodes. */
    environment,
    service,
    organization,
    api: organization.api,
    newOrganization,
    /** Another node on the same database, stopped together with the fixture. */
    async newNode(extra: Record<string, string>) {
      const node = await startService({ ...settings, ...extra });
      nodes.push(node);
      return node;
    },
    run: (...args: string[]) => foreword(environment, ...args),
    /** Stops the nodes that only this fixture uses, and drops their database. */
    async close() {
      for (const node of nodes) await node.stop();
      if (!isShared) await database.drop();
    },
  };
}
