import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { findTypeErrors, prepareFolder, writeModules } from './modules.ts';
import { LANGUAGES, readPages } from './pages.ts';
import { runPage } from './run-page.ts';
import { openGuideService } from './service.ts';

/** The only blocks that do not run, with their reasons. */
const NOT_RUN: readonly (readonly [file: string, reason: string])[] = [
  ['docs/recipes/hubspot.md', 'a file for the HubSpot CLI'],
  ['README.md', 'installs and starts what this test runs'],
  ['README.md', 'a diagram'],
];

const pages = readPages();
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-guides-'));
const folderOf = (file: string) => path.join(root, file.replaceAll(/\W/g, '-'));
const modules = new Map(
  pages.map((page) => {
    prepareFolder(folderOf(page.file));
    return [page.file, writeModules(page, folderOf(page.file))];
  }),
);

const guideService = await forFile(openGuideService());
afterAll(async () => {
  fs.rmSync(root, { recursive: true, force: true });
});

test('every block has a language that runs, or is listed with a reason', () => {
  const blocks = pages.flatMap(({ file, blocks }) => blocks.map((block) => ({ ...block, file })));
  const unknown = blocks.filter(
    ({ language, notRun }) => notRun === undefined && !(LANGUAGES as readonly string[]).includes(language),
  );
  expect(unknown.map(({ at, language }) => `${at}: ${language || 'no language'}`)).toEqual([]);
  const notRun = blocks.filter((block) => block.notRun !== undefined);
  expect(notRun.map(({ file, notRun }) => [file, notRun])).toEqual(NOT_RUN);
  expect(blocks.length).toBeGreaterThan(40);
});

test('every ts block compiles strictly', async () => {
  const files = [...modules.values()].flatMap((ofPage) => [...ofPage.values()]);
  expect(files.length).toBeGreaterThan(10);
  expect(await findTypeErrors(root, files)).toBe('');
});

describe('the blocks of', () => {
  test.concurrent.each(pages)('$file run in order with a new organization', async (page) => {
    const service = await guideService.newCaller();
    expect(await runPage(page, folderOf(page.file), modules.get(page.file) ?? new Map(), service)).toEqual([]);
  });
});
