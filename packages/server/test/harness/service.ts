import { type ChildProcess, spawn } from 'node:child_process';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { HEAP_FLAGS } from '../../src/platform/process.ts';
import { collectText, listenLocally } from './streams.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
/** The service with the StartOptions in START_OPTIONS. */
export const STARTED_WITH_OPTIONS = path.join(import.meta.dirname, 'started-with-options.child.ts');
/** Shared by all services and commands in this run. */
export const OBJECTS_FOLDER = path.join(os.tmpdir(), `foreword-test-objects-${process.ppid}`);
/** Shared by every node and command of a run, unless a test overrides it. */
export const SHARED_SETTINGS = {
  DATA_DIR: path.join(os.tmpdir(), `foreword-test-data-${process.ppid}`),
  SERVER_KEY: '5e'.repeat(32),
  // The same in a clone with and without the built site.
  DOCS_SITE: 'off',
  OBJECTS_URL: pathToFileURL(OBJECTS_FOLDER).href,
};
const READY_LIMIT_MS = 60_000;
const POLL_MS = 25;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function freePort(): Promise<number> {
  const { port, close } = await listenLocally(net.createServer());
  await close();
  return port;
}

export interface Service {
  readonly url: string;
  readonly pid: number;
  /** Everything written to stdout and stderr so far. */
  output(): string;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

/** The lines of the service's log so far. */
export const logLines = <Line>(service: Service): Line[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  for (let waited = 0; waited < READY_LIMIT_MS; waited += POLL_MS) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the service exited at startup: ${output()}`);
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await sleep(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the service was not ready in time: ${output()}`);
}

/** Settings of a process whose clock is off by this many seconds. */
export const clockShiftedBy = (seconds: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'shifted-clock.child.ts')).href}`,
  CLOCK_SHIFT_S: String(seconds),
});

/** The real service in its own process, on a free loopback port. It stops when the process `parent` ends. */
export async function startService(environment: Record<string, string>, parent?: number): Promise<Service> {
  if (environment.PORT !== undefined) return startOn(Number(environment.PORT), environment, parent);
  try {
    return await startOn(await freePort(), environment, parent);
  } catch (error) {
    // The port was free when we checked, and another test took it before the service started.
    if (!String(error).includes('EADDRINUSE')) throw error;
    return startOn(await freePort(), environment, parent);
  }
}

async function startOn(port: number, environment: Record<string, string>, parent?: number): Promise<Service> {
  const service = launchService({ ...environment, PORT: String(port) }, { parent });
  await service.ready;
  return service;
}

interface Launch {
  /** A program that runs the service, whose command line follows its own arguments. */
  readonly wrapper?: readonly string[];
  /** The entry point, of another version for example. */
  readonly main?: string;
  /** The service stops when it is no longer a child of this process. */
  readonly parent?: number | undefined;
}

/** Starts the service without waiting until it is ready, for tests that end it before. */
export function launchService(
  environment: Record<string, string> & { PORT: string },
  { wrapper = [], main = MAIN, parent }: Launch = {},
): Service & { readonly ready: Promise<void> } {
  const [program = process.execPath, ...args] = [
    ...wrapper,
    process.execPath,
    ...HEAP_FLAGS,
    main,
    ...(parent === undefined ? [] : [String(parent)]),
  ];
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '/',
      LOG_LEVEL: 'info',
      ...SHARED_SETTINGS,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collectText(child.stdout, child.stderr);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${environment.PORT}`;
  const ready = waitUntilReady(url, child, output);
  // Handled by those who wait for it.
  ready.catch(() => undefined);
  return {
    url,
    pid: child.pid ?? -1,
    output,
    exited,
    ready,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
