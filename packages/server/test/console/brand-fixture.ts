import fs from 'node:fs';
import path from 'node:path';
import type { ConsoleBody } from '@foreword/contract';
import { OBJECTS_FOLDER } from '../harness/index.ts';
import { openService, type ServiceFixture } from '../harness/open-service.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

export type BrandChange = ConsoleBody<'POST /brand'>;

export interface BrandFixture extends ServiceFixture {
  readonly manager: ConsoleClient;
  signIn(org: string, role: string): Promise<ConsoleClient>;
  read(client?: ConsoleClient): Promise<BrandChange & { logo_url: string | null }>;
  /** The stored brand with a change, as the form sends it. */
  edited(change: Partial<BrandChange>): Promise<BrandChange>;
  /** The stored pictures of the organization. */
  pictures(): string[];
}

/** A service with one organization, and a manager who is signed in to its console. */
export async function openBrand(): Promise<BrandFixture> {
  const fixture = await openService();
  const { service, environment, organization, run } = fixture;
  const signIn = async (org: string, role: string) => {
    const email = `${role}@acme.example`;
    const names = ['--first-name', 'Rae', '--last-name', 'Ortiz', '--email', email, '--role', role];
    await run('member', 'create', '--org', org, ...names);
    return openConsole({ url: service.url, environment }, { org, email });
  };
  const manager = await signIn(organization.id, 'manager');
  const read: BrandFixture['read'] = async (client = manager) => (await client.call('GET /brand')).body;
  return {
    ...fixture,
    manager,
    signIn,
    read,
    async edited(change) {
      const { logo_url: _, ...brand } = await read();
      return { ...brand, ...change };
    },
    pictures() {
      const folder = path.join(OBJECTS_FOLDER, organization.id);
      return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
    },
  };
}
