import crypto from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { createApi, forFile, freePort } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { findTypeErrors, ModuleProcess, prepareFolder, writeModules } from './modules.ts';
import { type Block, LANGUAGES, type Page, readPages } from './pages.ts';
import { type Recorded, RecordingProxy } from './recording-proxy.ts';
import { findDifferences, findViolations } from './responses.ts';
import { type Caller, openGuideService } from './service.ts';
import { Shell } from './shell.ts';

const DELIVERY_LIMIT_MS = 60_000;

/** The errors that a block expects: a code and a status in a comment, such as `member_not_found 422`. */
const expectedErrors = (code: string): number[] =>
  [...code.matchAll(/(?:#|\/\/).*?\b(?:[a-z]+(?:_[a-z]+)+|unauthorized|forbidden) ([45]\d\d)\b/g)].map(([, status]) =>
    Number(status),
  );

/** Runs the blocks of one page, in order. */
class PageRun {
  readonly #folder: string;
  readonly #modules: ReadonlyMap<string, string>;
  readonly #service: Caller;
  readonly #proxy: RecordingProxy;
  readonly #environment: Record<string, string>;
  #shell: Shell | undefined;
  #process: ModuleProcess | undefined;
  #last: Recorded | undefined;

  constructor(
    folder: string,
    modules: ReadonlyMap<string, string>,
    service: Caller,
    proxy: RecordingProxy,
    url: string,
  ) {
    this.#folder = folder;
    this.#modules = modules;
    this.#service = service;
    this.#proxy = proxy;
    this.#environment = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      FOREWORD_URL: url,
      FOREWORD_API_KEY: service.key,
    };
  }

  /** Runs a block; returns what is wrong. */
  async run(block: Block): Promise<string[]> {
    if (block.language === 'json') return this.#compare(block);
    await this.#execute(block);
    const requests = this.#proxy.take();
    this.#last = requests.at(-1) ?? this.#last;
    const failed = requests.filter(({ status }) => status >= 400);
    const expected = expectedErrors(block.code);
    return [
      ...failed
        .filter(({ status }) => !expected.includes(status))
        .map(({ method, target, status, response }) => `${method} ${target}: ${status} ${response}`),
      ...expected
        .filter((status) => !failed.some((one) => one.status === status))
        .map((status) => `a comment expects ${status}, and no response had it`),
    ];
  }

  #compare({ code, schema }: Block): string[] {
    const shown = JSON.parse(code);
    if (schema !== undefined) return findViolations(schema, shown);
    if (this.#last === undefined) return ['no block before this one received a response'];
    return findDifferences(shown, JSON.parse(this.#last.response));
  }

  async #execute({ at, language, code }: Block): Promise<void> {
    if (language === 'sh') {
      this.#shell ??= new Shell(this.#folder, this.#environment);
      Object.assign(this.#environment, await this.#shell.run(code));
      return;
    }
    const module = this.#modules.get(at);
    if (module === undefined) throw new Error(`${at}: no program runs ${language}`);
    await this.#load(module, code);
  }

  /** A module that reads FOREWORD_WEBHOOK_SECRET must have a receiver, which gets a real message and a forged one. */
  async #load(file: string, code: string): Promise<void> {
    this.#process ??= new ModuleProcess(this.#folder, this.#environment);
    if (!code.includes('FOREWORD_WEBHOOK_SECRET')) {
      await this.#process.load(file, this.#environment, 0);
      return;
    }
    const api = createApi(this.#service.url, this.#service.key);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/foreword`;
    // Only for the test, not for messages about what the block does before the receiver listens.
    const endpoint = { url, events: ['recipient.opted_out'] };
    const { id, secret } = (await api.post('/v1/webhook_endpoints', endpoint)).body;
    this.#environment.FOREWORD_WEBHOOK_SECRET = secret;
    const receives = await this.#process.load(file, this.#environment, port);
    if (!receives) throw new Error('the block reads FOREWORD_WEBHOOK_SECRET, and has neither `receiver` nor `receive`');
    await api.post(`/v1/webhook_endpoints/${id}/test`, { type: 'intro.ready' });
    const readAttempts = async () => (await api.get(`/v1/webhook_endpoints/${id}/attempts`)).body.data;
    const [first] = await eventually(readAttempts, ({ length }) => length > 0, DELIVERY_LIMIT_MS);
    if (!first.succeeded) throw new Error(`the receiver did not accept a message: ${JSON.stringify(first)}`);
    const forged = await fetch(url, {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${crypto.randomBytes(32).toString('base64')}`,
      },
      body: '{"type":"intro.ready"}',
    });
    if (forged.ok) throw new Error('the receiver accepted a forged message');
  }

  async close(): Promise<void> {
    await this.#shell?.close();
    await this.#process?.close();
  }
}

/** Runs all blocks of a page with a service; returns what is wrong, with the place of the block. */
async function runPage(
  page: Page,
  folder: string,
  modules: ReadonlyMap<string, string>,
  service: Caller,
): Promise<string[]> {
  const proxy = new RecordingProxy(service.url);
  const run = new PageRun(folder, modules, service, proxy, await proxy.listen());
  const problems: string[] = [];
  try {
    for (const block of page.blocks.filter(({ language, notRun }) => language !== 'text' && notRun === undefined)) {
      const found = await run.run(block).catch((error: Error) => [error.message]);
      problems.push(...found.map((problem) => `${block.at}: ${problem}`));
      // Later blocks need the earlier ones.
      if (problems.length > 0) break;
    }
  } finally {
    await run.close();
    await proxy.close();
  }
  return problems;
}

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

/** The CRM moves an appointment within its day and back, also one whose event failed, and repeats every notification. */
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

const optedOut = { id: 'appt_failed', customer: { firstName: 'Dana', phone: '+15005550187' } };
await foreword.recipients.optOut({ phone: optedOut.customer.phone });
const failed = (await reportAppointment({ ...at(10, 1), ...optedOut })) ?? '';
const code = await foreword.events.waitFor(failed).catch((error) => error.code);
if (code !== 'recipient_opted_out') throw new Error('the event did not fail');
await foreword.recipients.optIn({ phone: optedOut.customer.phone });
const afterwards = await twice(() => moveAppointment(failed, { ...at(14, 2), ...optedOut }));
await foreword.events.waitFor(afterwards);
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
