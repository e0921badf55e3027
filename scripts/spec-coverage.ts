import type { SourceFile } from './source-files.ts';

const DOCUMENT = 'docs/spec-coverage.md';
const TESTS = 'packages/server/test/';

/** A citation: `file` › "title", "title". */
const CITATION = /`([a-z0-9/-]+)` › ("[^"]+"(?:(?:,| ›) "[^"]+")*)/g;
/** A citation of every test in a file: `file` (all). */
const WHOLE_FILE = /`([a-z0-9/-]+)` \(all\)/g;

/** The text of a test file. A file without a folder is an acceptance suite. */
function readTests(name: string, files: ReadonlyMap<string, string>): string | undefined {
  const file = `${TESTS}${name.includes('/') ? name : `acceptance/${name}`}`;
  return files.get(`${file}.test.ts`) ?? files.get(`${file}.slow.test.ts`);
}

const hasTitle = (text: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => text.includes(quote + title + quote));

/** Every test that the coverage document cites exists under exactly that title. */
export function checkSpecCoverage(document: string, sources: readonly SourceFile[]): string[] {
  const files = new Map(sources.map(({ path: file, text }) => [file, text]));
  const findings: string[] = [];
  const rows = document.split('\n').filter((line) => line.startsWith('|'));
  for (const row of rows) {
    const cited = [...row.matchAll(CITATION), ...row.matchAll(WHOLE_FILE)];
    for (const [, name = '', titles = ''] of cited) {
      const text = readTests(name, files);
      if (text === undefined) {
        findings.push(`${DOCUMENT}: \`${name}\` is not a test file`);
        continue;
      }
      for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
        if (!hasTitle(text, title)) findings.push(`${DOCUMENT}: \`${name}\` has no test "${title}"`);
    }
    // A citation that the patterns do not match would never be checked.
    const rest = row.replaceAll(CITATION, '').replaceAll(WHOLE_FILE, '');
    if (/["›]|\(all\)/.test(rest)) findings.push(`${DOCUMENT}: unreadable citation in: ${row}`);
  }
  return [...new Set(findings)];
}
