import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsoleBody } from '@foreword/contract';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startService,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

export type BrandChange = ConsoleBody<'POST /brand'>;

export interface BrandFixture {
  readonly service: Service;
  readonly environment: Record<string, string>;
  readonly organization: TestOrganization;
  readonly manager: ConsoleClient;
  signIn(org: string, role: string): Promise<ConsoleClient>;
  read(client?: ConsoleClient): Promise<BrandChange & { logo_url: string | null }>;
  /** The stored brand with a change, as the form sends it. */
  edited(change: Partial<BrandChange>): Promise<BrandChange>;
  /** The stored pictures. */
  pictures(): string[];
  close(): Promise<void>;
}

/** A service with one organization, and a manager who is signed in to its console. */
export async function openBrand(): Promise<BrandFixture> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-brand-'));
  const database = await createTestDatabase();
  const environment = {
    DATABASE_URL: database.url,
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
    FOREWORD_DEMO: 'off',
    FFMPEG_PATH: 'off',
  };
  const service = await startService(environment);
  const organization = await createTestOrganization(environment, service.url);
  const signIn = async (org: string, role: string) => {
    const email = `${role}@acme.example`;
    const names = ['--first-name', 'Rae', '--last-name', 'Ortiz', '--email', email, '--role', role];
    await foreword(environment, 'member', 'create', '--org', org, ...names);
    return openConsole({ url: service.url, environment }, { org, email });
  };
  const manager = await signIn(organization.id, 'manager');
  const read: BrandFixture['read'] = async (client = manager) => (await client.call('GET /brand')).body;
  return {
    service,
    environment,
    organization,
    manager,
    signIn,
    read,
    async edited(change) {
      const { logo_url: _, ...brand } = await read();
      return { ...brand, ...change };
    },
    pictures() {
      const place = path.join(folder, 'objects', organization.id);
      return fs.existsSync(place) ? fs.readdirSync(place).sort() : [];
    },
    async close() {
      await service.stop();
      await database.drop();
      fs.rmSync(folder, { recursive: true });
    },
  };
}
