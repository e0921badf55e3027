import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { SHARED_SETTINGS } from '../harness/service.ts';

/** v0.1.0. By commit, because a clone may lack tags. */
const COMMIT = 'f5432b813b256ac36ba8afbb1093eb6bc29900a8';
const REPOSITORY = path.join(import.meta.dirname, '../../../..');

/** The first version, installed in its own folder like an operator's copy of that time. */
export interface FirstVersion {
  /** The entry point of its service. */
  readonly main: string;
  /** The JSON document of one of its commands. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the command's output freely.
  run(environment: Record<string, string>, ...args: string[]): Promise<any>;
  remove(): void;
}

/** A shallow clone gets the rest of the history first. */
function requireCommit(): void {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    if (git('rev-parse', '--is-shallow-repository').toString().trim() === 'true') git('fetch', '--unshallow');
    git('cat-file', '-e', COMMIT);
  } catch {
    throw new Error(`this clone lacks ${COMMIT} (v0.1.0), from which the test upgrades: git fetch --unshallow`);
  }
}

export function installFirstVersion(): FirstVersion {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-first-version-'));
  requireCommit();
  const archive = path.join(folder, 'archive.tar');
  execFileSync('git', ['archive', '--output', archive, COMMIT], { cwd: REPOSITORY });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const server = path.join(folder, 'packages/server');
  return {
    main: path.join(server, 'src/main.ts'),
    async run(environment, ...args) {
      const child = spawn(process.execPath, [path.join(server, 'bin/foreword.mjs'), ...args, '--json'], {
        env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...SHARED_SETTINGS, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      if (stdout === '') throw new Error(`foreword ${args.join(' ')} of the first version: ${stderr}`);
      return JSON.parse(stdout);
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
