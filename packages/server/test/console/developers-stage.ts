import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createApi,
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './support.ts';

export interface Team {
  readonly organization: TestOrganization;
  readonly owner: ConsoleClient;
  readonly manager: ConsoleClient;
  readonly member: ConsoleClient;
}

export interface Stage {
  readonly database: TestDatabase;
  readonly service: Service;
  readonly environment: Record<string, string>;
  newTeam(): Promise<Team>;
  /** Of another organization. */
  newOther(): Promise<Pick<Team, 'organization' | 'owner'>>;
  run(...words: string[]): ReturnType<typeof foreword>;
  close(): Promise<void>;
}

/** The real service, and teams in which there is one of each role. */
export async function openStage(settings: Record<string, string> = {}): Promise<Stage> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off', ...settings };
  const service = await startService(environment);
  const run: Stage['run'] = (...words) => foreword(environment, ...words);

  async function signIn(org: string, role: string): Promise<ConsoleClient> {
    const email = `${role}@acme.example`;
    const names = ['--first-name', 'Max', '--last-name', 'Role'];
    await run('member', 'create', '--org', org, ...names, '--email', email, '--role', role);
    return openConsole({ url: service.url, environment }, { org, email });
  }

  return {
    database,
    service,
    environment,
    run,
    async newTeam() {
      const organization = await createTestOrganization(environment, service.url);
      const roles = ['owner', 'manager', 'member'].map((role) => signIn(organization.id, role));
      const [owner, manager, member] = await Promise.all(roles);
      if (owner === undefined || manager === undefined || member === undefined) throw new Error('somebody is missing');
      return { organization, owner, manager, member };
    },
    async newOther() {
      const organization = await createTestOrganization(environment, service.url, { name: 'Other Roofing' });
      return { organization, owner: await signIn(organization.id, 'owner') };
    },
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}

export const apiWith = (stage: Stage, key: string) => createApi(stage.service.url, key);

/** Somebody's receiver of webhooks. */
export async function startReceiver() {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const answers = { status: 200 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(answers.status).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
