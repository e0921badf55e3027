import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MINUTE_MS } from '@foreword/contract';
import { type Clock, systemClock } from './clock.ts';
import { DataDirError, makeDataDir } from './data-dir.ts';
import { processTag, removeAbandoned } from './process.ts';

/** How often each process removes what others left behind. */
export const WORK_SWEEP_INTERVAL_MS = 10 * MINUTE_MS;
/**
 * For folders of other machines and containers, where only the age shows that they are abandoned: twice the longest job,
 * which is a take with 10 minutes of encoding and 2 of its preview.
 */
const FOREIGN_AGE_MS = 30 * MINUTE_MS;
/** DATA_DIR cannot be written: a node that needs nothing else there, on a read-only root. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Temporary folders. The next start removes those of a process that was killed. */
export function openWorkFolders(options: {
  /** Its folder `work` is used; if that cannot be written, a folder in the system's temporary one. */
  dataDir: string;
  /** Instead of `work` in dataDir. */
  workDir?: string;
  clock?: Clock;
}) {
  const { workDir, dataDir, clock = systemClock } = options;
  // Each time, because an operator who needs space or a cleaner of temporary files may have deleted it.
  const root = () => prepareRoot(workDir, dataDir);

  return {
    /** Makes a private folder for the work, and removes it afterwards. */
    async use<Result>(purpose: string, work: (folder: string) => Promise<Result>): Promise<Result> {
      const folder = await fs.mkdtemp(path.join(await root(), `${purpose}.${processTag}.`));
      try {
        return await work(folder);
      } finally {
        // Files that cannot be removed now are removed after this process has ended.
        await fs.rm(folder, { recursive: true, force: true }).catch(() => undefined);
      }
    },
    /** Removes folders whose process has ended. */
    async sweep(): Promise<void> {
      await removeAbandoned(await root(), tagOf, clock().getTime() - FOREIGN_AGE_MS);
    },
    /** The size of everything in it. */
    bytes: async (): Promise<number> => sizeOf(await root()),
  };
}

export type WorkFolders = ReturnType<typeof openWorkFolders>;

async function prepareRoot(workDir: string | undefined, dataDir: string): Promise<string> {
  if (workDir !== undefined) return prepareFolder(workDir);
  try {
    makeDataDir(dataDir);
    return await prepareFolder(path.join(dataDir, 'work'));
  } catch (error) {
    const fault = error instanceof DataDirError ? error.cause : error;
    if (!UNWRITABLE.has((fault as NodeJS.ErrnoException | null)?.code ?? '')) throw error;
    return prepareTemporaryFolder();
  }
}

async function prepareFolder(folder: string): Promise<string> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.access(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  return folder;
}

async function prepareTemporaryFolder(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = await prepareFolder(path.join(os.tmpdir(), `foreword-work-${uid}`));
  // Any user can create a folder with this name, and would see the takes.
  const found = await fs.lstat(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return folder;
  throw new Error(`${folder} is not a private folder of this user; remove it, or make DATA_DIR writable`);
}

/** Only of what this module makes: purpose.tag.random. */
function tagOf(name: string): string | undefined {
  const [, tag, random] = name.split('.');
  return random === undefined ? undefined : tag;
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      fs.stat(path.join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        // Removed in the meantime.
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
