import { afterEach, beforeEach, expect } from 'vitest';
import type { TestDatabase } from '../harness/index.ts';
import { countStored } from './outcome.ts';

type Stored = Awaited<ReturnType<typeof countStored>>;

/** Makes each test of the file fail if it stores more than it declares. */
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
    expect(await countStored(database()), 'a rejected request stored something').toEqual(allowed);
  });
  return {
    expect(added) {
      more = added;
    },
  };
}
