import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const readText = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The names in the first column of the table under the heading "Settings". */
function documentedIn(file: string): string[] {
  const [, section = ''] = readText(file).split(/^## Settings$/m);
  const [table = ''] = section.split(/^## /m);
  const firstCells = table.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  return firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** The variables that the image sets, as NAME=value in its ENV instructions. */
const setByImage = () =>
  [...readText('Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs.split(/\s+/).map((pair) => pair.split('=')[0] ?? ''),
  );

interface ComposeFile {
  services: Record<string, { environment: Record<string, string> }>;
}
const SERVICES = ['api', 'worker', 'media'];
/** Not passed through: each service has its own role. */
const SET_BY_COMPOSE = ['FOREWORD_ROLE'];

test('docs/operations.md describes every variable that the service reads, and no other', () => {
  expect(documentedIn('docs/operations.md').sort()).toEqual([...VARIABLES].sort());
});

test('the README names only variables that the service reads', () => {
  const documented = documentedIn('README.md');
  expect(documented).toContain('PUBLIC_URL');
  expect(documented.filter((name) => !(VARIABLES as readonly string[]).includes(name))).toEqual([]);
});

test.each(SERVICES)('compose.yaml passes every variable to %s that the image does not set', (name) => {
  const { services } = parse(readText('compose.yaml'), { merge: true }) as ComposeFile;
  const environment = services[name]?.environment ?? {};
  const fixed = setByImage();
  expect(fixed).toContain('DATA_DIR');
  expect(Object.keys(environment).sort()).toEqual(VARIABLES.filter((variable) => !fixed.includes(variable)).sort());
  for (const [variable, value] of Object.entries(environment)) {
    if (!SET_BY_COMPOSE.includes(variable)) expect(value).toMatch(new RegExp(`^\\$\\{${variable}(:|\\})`));
  }
});
