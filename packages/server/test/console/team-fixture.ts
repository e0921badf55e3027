import type { ConsoleBody } from '@foreword/contract';
import { expect } from 'vitest';
import { openService } from '../harness/open-service.ts';
import { openConsole } from './console-client.ts';

let added = 0;

export type Team = Awaited<ReturnType<typeof openTeam>>;

/** A service with one organization, and a signed-in owner, manager and member in it. */
export async function openTeam(settings: Record<string, string> = {}) {
  const fixture = await openService(settings);
  const { organization, service, environment, run } = fixture;
  const signIn = (org: string, email: string) => openConsole({ url: service.url, environment }, { org, email });

  async function addPerson(org: string, role: string) {
    const email = `${role}@acme.example`;
    const names = ['--first-name', role, '--last-name', 'Team', '--email', email];
    const { id } = await run('member', 'create', '--org', org, ...names, '--role', role);
    return { id: id as string, client: await signIn(org, email) };
  }
  /** Another organization with a signed-in owner. */
  async function newOther() {
    const other = await fixture.newOrganization({ name: 'Other Roofing' });
    return { organization: other, owner: (await addPerson(other.id, 'owner')).client };
  }

  const owner = await addPerson(organization.id, 'owner');
  const manager = await addPerson(organization.id, 'manager');
  return {
    ...fixture,
    owner: owner.client,
    ownerId: owner.id,
    manager: manager.client,
    managerId: manager.id,
    member: (await addPerson(organization.id, 'member')).client,
    other: await newOther(),
    newOther,
    /** Creates an endpoint, and returns a function that reads the payloads of its messages, newest first. */
    async subscribe(...events: string[]) {
      // Nothing listens there: the messages are what counts.
      const { body: endpoint } = await fixture.api.post('/v1/webhook_endpoints', {
        url: 'http://127.0.0.1:1/',
        events,
      });
      return async (): Promise<{ readonly type: string; readonly data: object }[]> => {
        const { body } = await fixture.api.get(`/v1/webhook_endpoints/${endpoint.id}/messages?limit=100`);
        return body.data.map(({ payload }: { payload: string }) => JSON.parse(payload));
      };
    },
    signIn,
    /** Adds a member through the console, as the owner, with a unique name and email. */
    async add(fields: Partial<Omit<ConsoleBody<'POST /members'>, 'key'>> = {}) {
      added += 1;
      const person = { first_name: 'Person', last_name: `Number ${added}`, email: `p${added}@acme.example`, ...fields };
      const { status, body } = await owner.client.call('POST /members', { body: { ...person } });
      expect(status).toBe(200);
      return body;
    },
  };
}
