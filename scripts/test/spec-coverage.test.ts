import { expect, test } from 'vitest';
import { checkSpecCoverage } from '../spec-coverage.ts';

const TESTS = 'packages/server/test/';
const FILES = [
  { path: `${TESTS}acceptance/intros.test.ts`, text: "describe('an intro', () => {\n  test(\"has a member's name\"" },
  { path: `${TESTS}acceptance/shutdown.slow.test.ts`, text: 'test(`drains`' },
  { path: `${TESTS}pages/beacon.test.ts`, text: "test('counts once'" },
];

test('citations of existing tests and files are accepted', () => {
  const document = [
    '| Rule | Covered by |',
    '| One | `intros` › "an intro" › "has a member\'s name"; `pages/beacon` › "counts once" |',
    '| Two | `shutdown` › "drains"; `intros` (all) |',
    '| `status` in a rule | see above |',
  ].join('\n');
  expect(checkSpecCoverage(document, FILES)).toEqual([]);
});

test('a title that is missing, incomplete or in another file is reported', () => {
  expect(checkSpecCoverage('| One | `intros` › "an intro", "counts once", "has" |', FILES)).toEqual([
    'docs/spec-coverage.md: `intros` has no test "counts once"',
    'docs/spec-coverage.md: `intros` has no test "has"',
  ]);
});

test('a file that does not exist is reported', () => {
  expect(checkSpecCoverage('| One | `gone` › "a title"; `beacon` (all) |', FILES)).toEqual([
    'docs/spec-coverage.md: `gone` is not a test file',
    'docs/spec-coverage.md: `beacon` is not a test file',
  ]);
});

test('a citation in another notation is reported, because it would not be checked', () => {
  const row = '| One | `intros`: "an intro" |';
  expect(checkSpecCoverage(row, FILES)).toEqual([`docs/spec-coverage.md: unreadable citation in: ${row}`]);
});
