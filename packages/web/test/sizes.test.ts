import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { LANGUAGES } from '@foreword/contract/plain';
import { describe, expect, test } from 'vitest';
import { buildWeb } from '../build.ts';
import type { BuiltEntry } from '../bundlers/entry.ts';

/** Limits for the files that a page needs before it is usable, with brotli. `npm run bench -- page` measures the time. */
/** Half of it is React and the router. */
const CONSOLE_SCRIPT_BYTES = 111 * 1024;
const RECORDER_SCRIPT_BYTES = 37 * 1024;
const STYLE_BYTES = 14 * 1024;
/** A file costs about this much in headers. */
const HEADER_BYTES = 350;
/** HTTP/1.1 loads six at a time. */
const MAX_FILES = 14;

const built = await buildWeb();

function entry(name: string): BuiltEntry {
  const found = built.entries[name];
  if (found === undefined) throw new Error(`${name} is not built`);
  return found;
}

const weigh = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + fs.statSync(path.join(built.folder, `${name}.br`)).size, 0);

/** The files of a page of the console. */
function filesOf(page: string): string[] {
  const { script, preload, pages } = entry('console');
  const own = pages[page];
  if (own === undefined) throw new Error(`${page} is not preloaded`);
  return [script, ...preload, ...own];
}

describe('the first load', () => {
  test.each(['/overview', '/intros', '/home'])('of %s in the console has at most 111 KB of JavaScript', (page) => {
    const files = filesOf(page);
    expect(files.length).toBeLessThanOrEqual(MAX_FILES);
    expect(weigh(files) + files.length * HEADER_BYTES).toBeLessThanOrEqual(CONSOLE_SCRIPT_BYTES);
  });

  test.each(Object.keys(entry('console').pages))('of %s has no script of popups, the search or the editor', (page) => {
    const code = filesOf(page).map((name) => fs.readFileSync(path.join(built.folder, name), 'utf8'));
    for (const part of ['data-base-ui', 'palette-list', 'cm-editor'])
      expect(code.filter((text) => text.includes(part))).toEqual([]);
  });

  test.each(LANGUAGES)('of the recorder has at most 37 KB of JavaScript (%s)', (language) => {
    expect(weigh([entry(`recorder-${language}`).script])).toBeLessThanOrEqual(RECORDER_SCRIPT_BYTES);
  });

  test('of the console and of the recorder has at most 14 KB of styles', () => {
    expect(weigh([entry('console').style])).toBeLessThanOrEqual(STYLE_BYTES);
    expect(weigh([entry('recorder-en').style])).toBeLessThanOrEqual(STYLE_BYTES);
  });
});

test('every script and style sheet is in the build with brotli, smaller than gzip would make it', () => {
  const names = fs.readdirSync(built.folder).filter((name) => /\.(js|css)$/.test(name));
  expect(names.length).toBeGreaterThan(20);
  const total = names.reduce((sum, name) => sum + gzipSync(fs.readFileSync(path.join(built.folder, name))).length, 0);
  expect(weigh(names)).toBeLessThan(total);
});
