import { afterEach, beforeEach, expect } from 'vitest';
import type { TestDatabase } from '../harness/index.ts';
import { countStored } from './refusal.ts';

type Stored = Awaited<ReturnType<typeof countStored>>;

/** Each test of the file fails when it stored more than it declared. */
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
