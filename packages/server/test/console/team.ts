import type { ConsoleBody, TeamMemberDetail } from '@foreword/contract';
import { expect } from 'vitest';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, newRetryKey, openConsole } from './support.ts';

/** A service with one organization, and in it an owner, a manager and a member who are signed in. */
export interface TeamStage {
  readonly service: Service;
  readonly database: TestDatabase;
  readonly environment: Record<string, string>;
  readonly org: TestOrganization;
  readonly owner: ConsoleClient;
  readonly ownerId: string;
  readonly manager: ConsoleClient;
  readonly managerId: string;
  readonly member: ConsoleClient;
  /** Of an organization of its own, with an owner who is signed in and a member who is not theirs. */
  readonly stranger: { readonly id: string; readonly memberId: string; readonly owner: ConsoleClient };
  /** Adds a member by the console, as the owner; with a name and an address of their own. */
  add(fields?: Partial<Omit<ConsoleBody<'POST /members'>, 'key'>>): Promise<TeamMemberDetail>;
  close(): Promise<void>;
}

async function createPerson(environment: Record<string, string>, org: string, role: string): Promise<string> {
  const names = ['--first-name', role, '--last-name', 'Team', '--email', `${role}@acme.example`];
  return (await foreword(environment, 'member', 'create', '--org', org, ...names, '--role', role)).id;
}

let added = 0;

export async function openTeamStage(settings: Record<string, string> = {}): Promise<TeamStage> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off', FFMPEG_PATH: 'off', ...settings };
  const service = await startService(environment);
  const site = { url: service.url, environment: { DATABASE_URL: database.url } };
  const org = await createTestOrganization(environment, service.url);
  const other = await createTestOrganization(environment, service.url, { name: 'Other Roofing' });
  const ownerId = await createPerson(environment, org.id, 'owner');
  const managerId = await createPerson(environment, org.id, 'manager');
  await createPerson(environment, org.id, 'member');
  await createPerson(environment, other.id, 'owner');
  const signIn = (orgId: string, role: string) => openConsole(site, { org: orgId, email: `${role}@acme.example` });
  const owner = await signIn(org.id, 'owner');
  return {
    service,
    database,
    environment,
    org,
    owner,
    ownerId,
    manager: await signIn(org.id, 'manager'),
    managerId,
    member: await signIn(org.id, 'member'),
    stranger: { id: other.id, memberId: other.memberId, owner: await signIn(other.id, 'owner') },
    async add(fields = {}) {
      added += 1;
      const person = { first_name: 'Person', last_name: `Number ${added}`, email: `p${added}@acme.example`, ...fields };
      const { status, body: member } = await owner.call('POST /members', { body: { key: newRetryKey(), ...person } });
      expect(status).toBe(200);
      return member;
    },
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}
