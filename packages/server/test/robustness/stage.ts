import { afterEach, beforeEach, expect } from 'vitest';
import {
  createTestDatabase,
  createTestOrganization,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { countStored } from './refusal.ts';

export interface Stage {
  readonly database: TestDatabase;
  readonly service: Service;
  readonly acme: TestOrganization;
  /** Another organization of the same service. */
  addOther(): Promise<TestOrganization>;
  close(): Promise<void>;
}

/** A service with an organization that sends it what it must refuse. */
export async function openStage(settings: Record<string, string> = {}): Promise<Stage> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', ...settings };
  const service = await startService(environment);
  return {
    database,
    service,
    acme: await createTestOrganization(environment, service.url),
    addOther: () => createTestOrganization(environment, service.url, { name: 'Summit Homes' }),
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}

type Stored = Awaited<ReturnType<typeof countStored>>;

/** Each test of the file fails when it left something behind that it did not say it would. */
export function expectNothingStored(database: () => TestDatabase): { expect(more: Partial<Stored>): void } {
  let before: Stored;
  let more: Partial<Stored> = {};
  beforeEach(async () => {
    more = {};
    before = await countStored(database());
  });
  afterEach(async () => {
    const allowed = { ...before };
    for (const [name, added] of Object.entries(more)) allowed[name as keyof Stored] += added;
    expect(await countStored(database()), 'a refused request stored something').toEqual(allowed);
  });
  return {
    expect(added) {
      more = added;
    },
  };
}
