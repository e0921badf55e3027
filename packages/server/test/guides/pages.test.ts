import path from 'node:path';
import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { findTypeErrors, prepareFolder, writeModules } from './modules.ts';
import { LANGUAGES, readPages } from './pages.ts';
import { runPage } from './run-page.ts';
import { openGuideService } from './service.ts';

/** The only blocks that do not run, with their reasons. */
const NOT_RUN: readonly (readonly [file: string, reason: string])[] = [
  ['docs/recipes/hubspot.md', 'a file for the HubSpot CLI'],
  ['README.md', 'installs and starts what this test runs'],
];

const pages = readPages();
const root = temporaryFolder();
const folderOf = (file: string) => path.join(root, file.replaceAll(/\W/g, '-'));
const modules = new Map(
  pages.map((page) => {
    prepareFolder(folderOf(page.file));
    return [page.file, writeModules(page, folderOf(page.file))];
  }),
);

const guideService = await forFile(openGuideService());

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

test.concurrent.each(pages)('the blocks of $file run in order with a new organization', async (page) => {
  const service = await guideService.newCaller();
  expect(await runPage(page, folderOf(page.file), modules.get(page.file) ?? new Map(), service)).toEqual([]);
});

/** The CRM moves an appointment within its day and back, and repeats every notification. */
const MOVES = `
const at = (hour: number, revision: number): Appointment => ({
  id: 'appt_moved',
  status: 'Appt Set',
  changedAt: '2026-03-10T09:15:00Z',
  repId: 'rep_17',
  customer: { firstName: 'Dana', phone: '(500) 555-0123' },
  startsAt: \`2030-03-12T\${hour}:00:00-05:00\`,
  timezone: 'America/Chicago',
  revision,
});
const twice = async (send: () => Promise<string | null>): Promise<string> => {
  const [first, second] = [await send(), await send()];
  if (first === null || first !== second) throw new Error(\`\${first} is not \${second}\`);
  return first;
};
const booked = await twice(() => reportAppointment(at(10, 1)));
const moved = await twice(() => moveAppointment(booked, at(14, 2)));
const back = await twice(() => moveAppointment(moved, at(10, 3)));
const { context } = await foreword.intros.retrieve((await foreword.events.waitFor(back)).intro);
const { data: made } = await foreword.intros.list({ reference_id: 'appt_moved' });
const result = [context?.appointment?.starts_at, ...made.map((one) => one.status)].join();
if (result !== '2030-03-12T15:00:00.000Z,requested,cancelled,cancelled') throw new Error(result);
`;

test('the code for moved appointments makes one intro for each move, also back, however often it is repeated', async () => {
  const page = pages.find(({ file }) => file === 'docs/guides/touchpoint-events.md');
  if (page === undefined) throw new Error('the guide has moved');
  const extended = {
    ...page,
    blocks: [
      ...page.blocks,
      { at: `${page.file}:9999`, language: 'ts', code: MOVES, notRun: undefined, schema: undefined },
    ],
  };
  const folder = folderOf('moved-appointments');
  prepareFolder(folder);
  expect(await runPage(extended, folder, writeModules(extended, folder), await guideService.newCaller())).toEqual([]);
});
