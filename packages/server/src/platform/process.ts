import { createHash } from 'node:crypto';
import fs, { readFileSync, readlinkSync } from 'node:fs';
import module from 'node:module';
import { hostname } from 'node:os';
import path from 'node:path';

// Names the process that owns a temporary file, in the file's name, so that no moment exists in which it has no owner.
// A process id alone is not enough: ids are reused, and containers that share a folder have their own.

/** Whether the owner has ended; unknown for a process of another machine, container or boot. */
type OwnerState = 'alive' | 'gone' | 'unknown';

const NO_START = '0';
const TAG = /^([0-9a-f]{12})-(\d+)-(\d+)$/;

/** Ticks between boot and the start of the process; undefined when there is no such process. */
function startOf(pid: string): string | undefined {
  try {
    // The name in parentheses may contain anything, so the fields are counted from its end. Z: only its parent keeps it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Within one such space, a process id and a start time belong to one process. Undefined where this cannot be told. */
function readProcessSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return createHash('sha256')
      .update(`${hostname()}\n${boot}\n${readlinkSync('/proc/self/ns/pid')}`)
      .digest('hex')
      .slice(0, 12);
  } catch {
    return undefined;
  }
}

const space = readProcessSpace();

/** The name of this process: letters, digits and hyphens. */
export const processTag = `${space ?? '0'.repeat(12)}-${process.pid}-${startOf('self') ?? NO_START}`;

function ownerState(tag: string): OwnerState {
  const [, where, pid = '', start] = TAG.exec(tag) ?? [];
  if (space === undefined || where !== space || start === NO_START) return 'unknown';
  return startOf(pid) === start ? 'alive' : 'gone';
}

/** Whether the owner of a temporary file or folder has ended. Where that cannot be told, it has if nothing changed since a time. */
async function isAbandoned(file: string, tag: string, foreignBeforeMs: number): Promise<boolean> {
  const state = ownerState(tag);
  if (state !== 'unknown') return state === 'gone';
  return fs.promises.lstat(file).then(
    ({ mtimeMs }) => mtimeMs < foreignBeforeMs,
    () => false,
  );
}

/** Removes temporary files and folders whose owner has ended. `tagOf` returns the tag in a name; undefined for other files. */
export async function removeAbandoned(
  folder: string,
  tagOf: (name: string) => string | undefined,
  foreignBeforeMs = 0,
): Promise<void> {
  for (const name of await fs.promises.readdir(folder)) {
    const file = path.join(folder, name);
    const tag = tagOf(name);
    if (tag === undefined || !(await isAbandoned(file, tag, foreignBeforeMs))) continue;
    // One that cannot be removed only wastes space.
    await fs.promises.rm(file, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The owner of the folder, if root runs this process: the service must be able to read what root stores for it. Otherwise null. */
export function ownerFor(folder: string): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const owner = fs.statSync(folder, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? null : owner;
}

/** A fixed environment, because variables like PGDATA and PGPORT in the operator's shell must not affect our programs. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

const FILE_PATH = /^\.\.?\/.*\.[jt]s$/;

/**
 * Caches compiled TypeScript, which saves an eighth of a start's CPU time. `npm start` names the same folder in
 * NODE_COMPILE_CACHE, so that this file is cached as well. The cache is in node_modules, not in the temporary folder, where other
 * users could plant code. Node ignores a cache that it cannot write.
 */
export function prepareModules(): void {
  // Only the npm package has compiled JavaScript. In a clone, Node would read the maps of all libraries during a start.
  if (import.meta.filename.endsWith('.js')) process.setSourceMapsEnabled(true);
  // For 1,300 imports, Node would look up each file, all of its folders and the type of its package: a sixth of a start.
  const ours = new Map<string, module.ResolveFnOutput>();
  module.registerHooks({
    resolve(specifier, context, next) {
      if (!context.conditions.includes('import')) return next(specifier, context);
      if (FILE_PATH.test(specifier)) {
        const url = new URL(specifier, context.parentURL).href;
        return { url, shortCircuit: true, ...(url.endsWith('.ts') && { format: 'module-typescript' }) };
      }
      if (!specifier.startsWith('@foreword/')) return next(specifier, context);
      const found = ours.get(specifier) ?? next(specifier, context);
      ours.set(specifier, found);
      return { ...found, shortCircuit: true };
    },
  });
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const packages = path.join(folder, 'node_modules');
    if (!fs.existsSync(path.join(packages, '.bin'))) continue;
    module.enableCompileCache(path.join(packages, '.cache/foreword'));
    return;
  }
}

export const EXIT_BAD_CONFIGURATION = 78;

/** A setting is invalid, or what it leads to cannot be used. The message names the variable and shows no secret. */
export class ConfigError extends Error {
  /** One line, also for a value with line breaks, such as that of a file. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' '), options);
  }
}

export function exitWith(line: string, code: number): never {
  process.stderr.write(`foreword: ${line}\n`);
  process.exit(code);
}

/** Node's flag for the service, as in `npm start` and the Dockerfile (docs/self-hosting/reference.md, Memory). */
export const HEAP_FLAGS = ['--max-semi-space-size=32'];

/** The version of Foreword: of the packages, the command, the API and its reference. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
