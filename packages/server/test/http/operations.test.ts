import { OPERATIONS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { createCost } from '../../src/http/operations.ts';

test.each([
  [{ limit: '1' }, 1],
  [{ limit: '10' }, 1],
  [{ limit: '11' }, 2],
  [{}, 2],
  [{ limit: '100' }, 10],
  [{ limit: '101' }, 1],
  [{ limit: '0' }, 1],
  [{ limit: 'x' }, 1],
  [{ limit: ['100', '100'] }, 1],
])('a list with %j takes %d tokens of the rate limit', (query, tokens) => {
  expect(createCost(OPERATIONS.listIntros)(query)).toBe(tokens);
  expect(createCost(OPERATIONS.retrieveIntro)(query)).toBe(1);
});
