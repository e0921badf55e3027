import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { VERSIONED_FILES } from '../../../../scripts/release/version.ts';
import { collectText, createApi, createTestDatabase, freePort, type Reply } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
/** With the embedded PostgreSQL and the encoder, which are most of it. */
const INSTALLED_MB = 430;
const BUILD_TOOLS = [
  'vite',
  'rolldown',
  'esbuild',
  'esbuild-wasm',
  'lightningcss',
  'typescript',
  '@swc/core',
  'react',
  'astro',
];

const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-package-'));
const application = path.join(folder, 'application');
const installed = path.join(application, 'node_modules');
const command = path.join(installed, '.bin/foreword');
const dataDir = path.join(folder, 'data');

/** This Node first, and none of the settings that npm gives to its scripts, except where the registry is. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^npm_/i.test(name) || /^npm_config_(registry|cafile|userconfig|cache|.*proxy|strict_ssl)$/i.test(name),
    ),
  ),
  PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  NODE_ENV: 'production',
  FOREWORD_DEMO: 'on',
};
delete environment.NODE_COMPILE_CACHE;

const services: ChildProcess[] = [];

const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, env: environment });
/** The JSON document that a command of the installed package prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests read documents freely.
const foreword = async (...args: string[]): Promise<any> => {
  const settings = { ...environment, DATA_DIR: dataDir, PORT: String(port) };
  const { stdout } = await run('npx', ['--no-install', 'foreword', ...args, '--json'], {
    cwd: application,
    env: settings,
  });
  return JSON.parse(stdout);
};

interface Started {
  readonly child: ChildProcess;
  output(): string;
}

/** Starts the installed service, and waits until it is ready. */
async function start([program = '', ...args]: string[], options = ['--data-dir', dataDir], env = {}): Promise<Started> {
  const child = spawn(program, [...args, 'start', '--port', String(port), ...options], {
    cwd: application,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  services.push(child);
  const output = collectText(child.stdout, child.stderr);
  await vi.waitUntil(isReady, { timeout: 120_000 }).catch(() => expect.fail(output()));
  return { child, output };
}

const isReady = () =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const listFiles = (root: string): string[] =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();

const VERSION = '99.0.0-beta.1';
const release = (cwd: string, ...args: string[]) =>
  run('npm', ['run', '--silent', 'release', '--', ...args], { cwd }).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
/** From git: files that differ from the last commit, and tags. */
const stateOfTree = async () =>
  (await run('git', ['status', '--porcelain'], { cwd: ROOT })).stdout +
  (await run('git', ['tag'], { cwd: ROOT })).stdout;
const before = await stateOfTree();
const dryRun = await release(ROOT, VERSION, '--dry-run');
const after = await stateOfTree();
const tarballs = [...dryRun.stdout.matchAll(/npm publish (\S+)/g)].map(([, file = '']) => path.join(ROOT, file));
fs.mkdirSync(application);
// Without install scripts, as the package's README recommends: one of them would download a program.
await npm(application, 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;

afterAll(async () => {
  for (const child of services) if (child.exitCode === null) child.kill('SIGTERM');
  fs.rmSync(folder, { recursive: true, force: true });
});

test('a dry run of a release prints what it would publish, and changes no tracked file and no tag', () => {
  const { stdout } = dryRun;
  expect(after).toBe(before);
  expect(stdout).toContain(`git tag v${VERSION}, npm dist-tag next`);
  const changed = [...Object.keys(VERSIONED_FILES), 'CHANGELOG.md'].sort();
  expect(stdout).toContain(`Would change: ${changed.join(', ')}\n`);
  expect(stdout).toMatch(/^foreword: build\/foreword-99\.0\.0-beta\.1\.tgz, \d+ files, [\d.]+ MB packed$/m);
  expect(stdout).toMatch(/^## \[99\.0\.0-beta\.1\]$/m);
  expect(tarballs.map((file) => path.basename(file))).toEqual(
    ['foreword-contract', 'foreword-sdk', 'foreword'].map((name) => `${name}-${VERSION}.tgz`),
  );
});

test('a release is refused with one line when the tree has changes or the tag exists', async () => {
  const clone = path.join(folder, 'clone');
  await run('git', ['clone', '--quiet', '--shared', ROOT, clone]);
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  fs.appendFileSync(path.join(clone, 'README.md'), '\n');
  await run('git', ['tag', 'v99.1.0'], { cwd: clone });
  expect(await release(clone, '99.1.0')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'release: the tree has uncommitted changes: commit or discard them; the tag v99.1.0 exists: choose another version\n',
  });
});

test('an installation has the command, migrations, web files and docs, but no TypeScript to run and no build tool', () => {
  const package_ = path.join(installed, 'foreword');
  expect(fs.readdirSync(path.join(package_, 'migrations')).length).toBeGreaterThan(0);
  expect(fs.existsSync(path.join(package_, 'web/manifest.json'))).toBe(true);
  expect(fs.existsSync(path.join(package_, 'docs-site/policy.json'))).toBe(true);
  const imported = listFiles(path.join(package_, 'dist')).filter((file) => file.endsWith('.js'));
  expect(imported.filter((file) => /(from|import\()\s*'\.[^']*\.ts'/.test(fs.readFileSync(file, 'utf8')))).toEqual([]);
  expect(BUILD_TOOLS.filter((name) => fs.existsSync(path.join(installed, name)))).toEqual([]);
  const megabytes = listFiles(installed).reduce((sum, file) => sum + fs.statSync(file).size, 0) / 1_000_000;
  expect(megabytes).toBeLessThan(INSTALLED_MB);
});

test('npx foreword start serves, seeds the demo, records and plays, and compiles nothing', async () => {
  const before = listFiles(path.join(installed, 'foreword'));
  const { child, output } = await start(['npx', '--no-install', 'foreword']);
  await expect.poll(output).toContain('A demo organization, Acme Roofing, is ready.');
  const api = createApi(url, /fw_test_\w+/.exec(output())?.[0] ?? '');

  const accepted = await api.post('/v1/touchpoint-events', {
    touchpoint: 'new_appointment',
    occurred_at: '2026-03-10T09:15:00Z',
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
    context: { appointment: { starts_at: '2030-03-12T14:30:00', timezone: 'America/Chicago' } },
  });
  expect(accepted.status).toBe(202);
  const intros = (): Promise<Reply> => api.get('/v1/intros');
  await expect.poll(async () => (await intros()).body.data.length).toBe(1);
  const [{ id }] = (await intros()).body.data;

  const recorder = await (await fetch((await foreword('intro', 'link', id)).url)).text();
  for (const [, asset = ''] of recorder.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
    expect((await fetch(url + asset)).status).toBe(200);
  await foreword('intro', 'record', id);
  await expect
    .poll(async () => (await api.get(`/v1/intros/${id}`)).body.status, { timeout: 100_000 })
    .toMatch(/^(ready|sent)$/);

  const pageUrl: string = (await api.get(`/v1/intros/${id}`)).body.delivery.recipient_url;
  // The documentation with its search index, and its list for programs.
  for (const address of ['/docs', '/docs/guides/quickstart', '/docs/pagefind/pagefind-entry.json', '/llms.txt'])
    expect({ address, status: (await fetch(url + address)).status }).toEqual({ address, status: 200 });

  const page = await (await fetch(pageUrl)).text();
  const video = await fetch(new URL(/src="([^"]*\.mp4)"/.exec(page)?.[1] ?? '', pageUrl), {
    headers: { range: 'bytes=0-99' },
  });
  expect({ status: video.status, type: video.headers.get('content-type') }).toEqual({ status: 206, type: 'video/mp4' });
  const signIn = await fetch(/http\S+\/console\/signin\/\S+/.exec(output())?.[0] ?? '');
  expect(await signIn.text()).toContain('<title>');
  expect(listFiles(path.join(installed, 'foreword'))).toEqual(before);

  // npx passes the signal to its shell only; the service must end with it. It holds the other end of the output.
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
  expect(await isReady()).toBe(false);
});

test('the second start keeps the data, doctor finds no problem, and SIGTERM exits with 0', async () => {
  const { child, output } = await start([command]);
  expect(output()).not.toContain('demo organization');
  const [{ id }] = (await foreword('org', 'list')).data;
  const [touchpoint] = (await foreword('touchpoint', 'list', '--org', id)).data;
  expect(touchpoint).toHaveProperty('slug');
  const { status, checks } = await foreword('doctor');
  expect({ status, checks }).not.toMatchObject({ status: 'problem' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('foreword start --database-url runs on a database of your own', async () => {
  const database = await createTestDatabase();
  const folderOfData = path.join(folder, 'own-data');
  const options = ['--database-url', database.url, '--data-dir', folderOfData];
  const { child, output } = await start([command], options, SHARED_SETTINGS);
  await expect.poll(output).toContain('A demo organization, Acme Roofing, is ready.');
  expect(fs.readdirSync(folderOfData)).not.toContain('pg18');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await database.drop();
});

test('a stack trace of the running service names the line of the TypeScript', async () => {
  // Prints the stack at the moment when the service exits because of an invalid variable.
  const probe = path.join(folder, 'probe.mjs');
  fs.writeFileSync(
    probe,
    'const { exit } = process; process.exit = (code) => { console.log(new Error().stack); exit(code); };',
  );
  const settings = { ...environment, PORT: 'http' };
  const failed = await run(
    process.execPath,
    ['--import', pathToFileURL(probe).href, path.join(installed, 'foreword/dist/main.js')],
    { cwd: application, env: settings },
  ).catch((error: { code: number; stdout: string }) => error);
  expect(failed).toMatchObject({ code: 78 });
  const [, file = '', line = ''] =
    /loadConfig \((?:file:\/\/)?([^)]*\/foreword\/src\/app\/start\.ts):(\d+):\d+\)/.exec(failed.stdout) ?? [];
  expect(fs.readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toContain('exitWith(');
});

test('the contract package works in JavaScript and in TypeScript', async () => {
  const script = `import { ERRORS } from '@foreword/contract'; import { INTRO_STATUSES } from '@foreword/contract/plain';
    console.log(ERRORS.not_found.status, INTRO_STATUSES[0]);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: application });
  expect(stdout).toBe('404 requested\n');
  const source = `import type { Intro } from '@foreword/contract';
    import { lanesOf } from '@foreword/contract/plain';
    export const status: Intro['status'] = 'sent';
    // @ts-expect-error not a status
    export const other: Intro['status'] = 'lost';
    export const lanes: readonly ('retail' | 'insurance')[] = lanesOf({ industry: 'real_estate', lanes: [] });`;
  fs.writeFileSync(path.join(application, 'source.mts'), source);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', '--target', 'es2024'];
  await run(path.join(ROOT, 'node_modules/.bin/tsc'), [...options, 'source.mts'], { cwd: application });
});

test('publint and attw find nothing in any tarball', async () => {
  // Separate from the workspace: they need 60 packages and their own TypeScript.
  const tools = path.join(folder, 'lint');
  fs.cpSync(path.join(ROOT, 'scripts/packages/lint'), tools, { recursive: true });
  await npm(tools, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  const lint = (name: string, ...args: string[]) =>
    run(path.join(tools, 'node_modules/.bin', name), args, { cwd: tools, env: environment });
  for (const tarball of tarballs) {
    expect((await lint('publint', '--strict', tarball)).stdout).toContain('All good!');
    // The packages are ES modules only, like TypeBox; Node 20.19 and newer can also require them.
    const { stdout } = await lint('attw', '--profile', 'esm-only', '--format', 'json', tarball);
    expect(JSON.parse(stdout).analysis.problems.filter(isNotIgnored)).toEqual([]);
  }
});

const isNotIgnored = ({ resolutionKind }: { resolutionKind?: string }): boolean =>
  resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs';
