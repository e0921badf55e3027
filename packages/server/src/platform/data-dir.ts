import fs, { existsSync, mkdirSync, statSync } from 'node:fs';
import net from 'node:net';
import path, { dirname, join, resolve } from 'node:path';
import { ConfigError } from './process.ts';

/** The folder cannot be used: wrong configuration rather than a busy or broken database. */
export class DataDirError extends ConfigError {}

/** Exists in DATA_DIR while a backup is restored into it. */
export const UNFINISHED_RESTORE = 'restoring';

export const hasUnfinishedRestore = (dataDir: string): boolean => existsSync(join(dataDir, UNFINISHED_RESTORE));

/** Not `recursive`, because Node then never returns below /proc. Only the last folder is private; its parents follow the umask. */
function makeFolders(folder: string, mode?: number): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error;
  }
}

/** Also refuses a folder with only a part of a backup. */
export function makeDataDir(dataDir: string, { mayBeUnfinished = false } = {}): void {
  if (!mayBeUnfinished && hasUnfinishedRestore(dataDir)) {
    throw new DataDirError(
      `a backup is being restored into ${dataDir} (DATA_DIR), or that was interrupted. Wait, or run foreword restore again`,
    );
  }
  try {
    makeFolders(resolve(dataDir), 0o700);
    fs.accessSync(dataDir, fs.constants.W_OK);
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException;
    const problem = syscall === 'access' ? 'cannot write to' : 'cannot create';
    throw new DataDirError(`${problem} ${dataDir} (DATA_DIR): ${message}`, { cause: error });
  }
}

/** Also syncs a file. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** GET /healthz responds with it, so that another program on the same port is not taken for the service. */
export const INSTANCE_HEADER = 'service-instance';
const FILE_NAME = 'service.json';
/** The service is on this machine. One that does not respond in this time is stuck or another program. */
const PROBE_TIMEOUT_MS = 1_000;
/** Wildcard addresses, each with one that accepts requests. */
const REACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** A service that runs on this machine, as it describes itself in its data folder. */
export interface RunningService {
  /** Links start with it. */
  readonly url: string;
  /** Where this machine reaches it. */
  readonly localUrl: string;
  /** Without credentials. Services of several databases may share a data folder. */
  readonly database: string;
  /** Different in each run. */
  readonly instance: string;
  /** By variable name, without secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const name = REACHABLE[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Another program could take the port before the caller does; listening then fails as with any port in use. */
export async function findFreePort(host: string): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ port: 0, host }, resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Replaces the file atomically. A file that a killed service left is replaced, too. */
export function writeServiceFile(dataDir: string, service: RunningService): void {
  const file = path.join(dataDir, FILE_NAME);
  const draft = `${file}.${process.pid}`;
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  fs.writeFileSync(draft, `${JSON.stringify(service)}\n`, { mode: 0o644 });
  fs.renameSync(draft, file);
}

function readServiceFile(dataDir: string): RunningService | null {
  try {
    const service = JSON.parse(fs.readFileSync(path.join(dataDir, FILE_NAME), 'utf8')) as Partial<RunningService>;
    const { url, localUrl: local, database, instance, settings } = service;
    if ([url, local, database, instance].some((value) => typeof value !== 'string') || typeof settings !== 'object')
      return null;
    return service as RunningService;
  } catch {
    return null;
  }
}

/** Leaves the file of another service that uses the same folder. */
export function removeServiceFile(dataDir: string, instance: string): void {
  if (readServiceFile(dataDir)?.instance !== instance) return;
  try {
    fs.rmSync(path.join(dataDir, FILE_NAME), { force: true });
  } catch {
    // Commands ignore the file of a service that does not answer.
  }
}

async function isAnswering({ localUrl: url, instance }: RunningService): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${url}/healthz`, { method: 'HEAD', redirect: 'manual', signal });
    return response.headers.get(INSTANCE_HEADER) === instance;
  } catch {
    return false;
  }
}

/** Null when no service of this database runs on this machine with this data folder. */
export async function findRunningService(dataDir: string, database: string): Promise<RunningService | null> {
  const service = readServiceFile(dataDir);
  return service !== null && service.database === database && (await isAnswering(service)) ? service : null;
}
