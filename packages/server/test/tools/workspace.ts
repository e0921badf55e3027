import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../acceptance/support/actions.ts';
import { collectText, freePort } from '../harness/index.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
export const PROGRAMS = path.join(import.meta.dirname, 'programs');
const GUIDE = 'docs/guides/tools.md';
/** The port that the guide gives to Prism. */
const GUIDE_PORT = '4010';
const START_LIMIT_MS = 90_000;
/** Length of the output shown for a failed program, in characters. */
const MAX_OUTPUT = 5_000;

const blocks = [...fs.readFileSync(path.join(ROOT, GUIDE), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

/** The block of the guide that contains this text, so that the tests run what the guide says. */
export function guideBlock(part: string, language = 'sh'): string {
  const found = blocks.filter((block) => block.language === language && block.code.includes(part));
  const [block] = found;
  if (block === undefined || found.length > 1) throw new Error(`${GUIDE} has ${found.length} blocks with ${part}`);
  return block.code;
}

/** A folder as in the guide, where `npx` finds the installed programs. */
export class Workspace {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-tools-'));
  readonly #environment: Record<string, string>;
  readonly #started: ChildProcess[] = [];

  constructor(environment: Record<string, string> = {}) {
    fs.symlinkSync(path.join(PROGRAMS, 'node_modules'), path.join(this.folder, 'node_modules'));
    for (const file of ['openapi.json', 'docs/guides/postman/prepare.js'])
      fs.copyFileSync(path.join(ROOT, file), this.path(path.basename(file)));
    this.#environment = environment;
  }

  path(...parts: string[]): string {
    return path.join(this.folder, ...parts);
  }

  write(file: string, content: string): void {
    fs.mkdirSync(path.dirname(this.path(file)), { recursive: true });
    fs.writeFileSync(this.path(file), content);
  }

  #spawn(command: string): ChildProcess & { output(): string } {
    const child = spawn('sh', ['-euc', command], {
      cwd: this.folder,
      // Started as a group, so that npx and the program behind it end together.
      detached: true,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/',
        // A program that is not installed is a failure and no download; no update checks, no prompts.
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        CI: 'true',
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return Object.assign(child, { output: collectText(child.stdout, child.stderr) });
  }

  /** Runs commands of the guide to their end; a failure contains the start of their output. */
  async run(command: string): Promise<string> {
    const child = this.#spawn(command);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${command} exited with ${code}:\n${child.output().slice(0, MAX_OUTPUT)}`);
    return child.output();
  }

  /** Starts a server of the guide on a free port; returns its address. */
  async start(command: string): Promise<string> {
    const port = String(await freePort());
    const child = this.#spawn(command.replaceAll(GUIDE_PORT, port));
    this.#started.push(child);
    const url = `http://127.0.0.1:${port}`;
    const isUp = async () => {
      if (child.exitCode !== null) throw new Error(`${command} exited:\n${child.output()}`);
      return fetch(url).then(
        () => true,
        () => false,
      );
    };
    await eventually(isUp, (up) => up, START_LIMIT_MS);
    return url;
  }

  async close(): Promise<void> {
    for (const child of this.#started) {
      if (child.pid === undefined || child.exitCode !== null) continue;
      const closed = new Promise((resolve) => child.once('close', resolve));
      process.kill(-child.pid, 'SIGTERM');
      await closed;
    }
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
