import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkObjects, type Objects, openObjects } from '../../src/platform/objects/index.ts';
import { processTag } from '../../src/platform/process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { breakingStream, bytesOf, filesIn, read } from './objects.bodies.ts';
import { describeObjects } from './objects.conformance.ts';

const run = promisify(execFile);
const CHILD = path.join(import.meta.dirname, 'objects.child.ts');
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const TYPE = { type: 'video/mp4' };
const DAY_MS = 86_400_000;
/** Far below the 4 MB that the child stores. */
const DISK_SIZE = '1m';

const suiteRoot = temporaryFolder();
const openFolder = (root: string, now = () => new Date()): Objects =>
  openObjects(pathToFileURL(root).href, { clock: now });

describeObjects('a folder', () => openFolder(suiteRoot));

let folder: string;
let root: string;
let cleanups: (() => unknown)[];

beforeEach(() => {
  folder = temporaryFolder();
  root = path.join(folder, 'objects');
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

interface Attempt {
  name: string;
  code: string;
  message: string;
}

async function tryAll(where: string, options: { user?: number; limit?: boolean } = {}): Promise<Map<string, Attempt>> {
  const command = [process.execPath, CHILD, 'try', where, ...(options.user === undefined ? [] : [`${options.user}`])];
  // Blocks have 512 or 1024 bytes depending on the shell, so at most a megabyte.
  const limited = ['-c', 'ulimit -f 1000; exec "$@"', 'sh', ...command];
  const { stdout } = await run(options.limit ? 'sh' : process.execPath, options.limit ? limited : command.slice(1));
  const attempts: Attempt[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return new Map(attempts.map((attempt) => [attempt.name, attempt]));
}

describe('a folder', () => {
  test('is private to its owner, also when root stores something', async () => {
    const objects = openFolder(root);
    if (isRoot) chownSync(root, NOBODY, NOBODY);
    await objects.put('org/logo.png', Buffer.from('x'), TYPE);
    const open = path.join(folder, 'source');
    writeFileSync(open, 'x', { mode: 0o644 });
    await objects.put('org/video.mp4', { file: open }, TYPE);
    const accessTo = (name: string) => {
      const { mode, uid } = statSync(path.join(root, name));
      return [name, mode & 0o777, uid];
    };
    const { uid } = statSync(root);
    for (const name of ['', 'org', '.tmp']) expect(accessTo(name)).toEqual([name, 0o700, uid]);
    for (const name of ['org/logo.png', 'org/video.mp4']) expect(accessTo(name)).toEqual([name, 0o600, uid]);
  });

  test('leaves neither empty folders nor unfinished files', async () => {
    const objects = openFolder(root);
    await objects.put('a/b/c/one', Buffer.from('x'), TYPE);
    await objects.put('a/other', Buffer.from('x'), TYPE);
    await expect(objects.put('a/b/d', breakingStream(bytesOf(500_000), new Error('gone')), TYPE)).rejects.toThrow();
    await expect(objects.put('a/b/d', { file: '/nowhere' }, TYPE)).rejects.toThrow();
    await objects.delete('a/b/c/one');
    expect(filesIn(root)).toEqual(['a/other']);
    expect(readdirSync(path.join(root, 'a'))).toEqual(['other']);
    await objects.deleteAll('a/');
    expect(readdirSync(root)).toEqual(['.tmp']);
    expect(readdirSync(path.join(root, '.tmp'))).toEqual([]);
  });

  test('deletes leftovers of a crash a day ago when it is opened, but no file that is being written', async () => {
    mkdirSync(path.join(root, '.tmp/deleted'), { recursive: true });
    for (const name of ['old', 'young', 'deleted/old']) writeFileSync(path.join(root, '.tmp', name), 'half');
    const now = new Date();
    for (const name of ['deleted', 'old']) {
      const old = new Date(now.getTime() - DAY_MS - 1_000);
      utimesSync(path.join(root, '.tmp', name), old, old);
    }
    await openFolder(root, () => now).open('any');
    expect(readdirSync(path.join(root, '.tmp'))).toEqual(['young']);
  });

  test('deletes what a killed process left unfinished as soon as it is opened again', async () => {
    const child = execFile(process.execPath, ['-e', 'process.stdin.resume()']);
    const tag = processTag.replace(`-${process.pid}-`, `-${child.pid}-`);
    mkdirSync(path.join(root, '.tmp'), { recursive: true });
    for (const owner of [processTag, tag]) writeFileSync(path.join(root, '.tmp', `${owner}.half`), 'half');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await openFolder(root).open('any');
    expect(readdirSync(path.join(root, '.tmp'))).toEqual([`${processTag}.half`]);
  });

  test('can be a symbolic link, for example to another disk', async () => {
    mkdirSync(path.join(folder, 'disk'));
    symlinkSync(path.join(folder, 'disk'), root);
    const objects = openFolder(root);
    await checkObjects(objects);
    await objects.put('a/b', Buffer.from('x'), TYPE);
    expect(filesIn(path.join(folder, 'disk'))).toEqual(['a/b']);
    expect((await read(await objects.open('a/b'))).toString()).toBe('x');
  });

  test('follows no symbolic links: nothing outside is read, written or deleted', async () => {
    const outside = path.join(folder, 'outside');
    mkdirSync(path.join(outside, 'inner'), { recursive: true });
    writeFileSync(path.join(outside, 'inner/secret'), 'kept');
    const objects = openFolder(root);
    await objects.put('a/kept', Buffer.from('x'), TYPE);
    symlinkSync(outside, path.join(root, 'a/link'));
    symlinkSync(path.join(outside, 'inner/secret'), path.join(root, 'a/file'));
    const refused = { code: 'denied' };
    for (const key of ['a/link/inner/secret', 'a/file', 'a/link']) {
      await expect(objects.open(key)).rejects.toMatchObject(refused);
    }
    await expect(objects.put('a/link/new/deep', Buffer.from('x'), TYPE)).rejects.toMatchObject(refused);
    await expect(objects.delete('a/link/inner/secret')).rejects.toMatchObject(refused);
    await expect(objects.deleteAll('a/link/inner/')).rejects.toMatchObject(refused);
    // Replacing or deleting removes the link, not its target.
    await objects.put('a/file', Buffer.from('new'), TYPE);
    expect(lstatSync(path.join(root, 'a/file')).isFile()).toBe(true);
    await objects.deleteAll('a/');
    expect(filesIn(outside)).toEqual(['inner/secret']);
    expect(readFileSync(path.join(outside, 'inner/secret'), 'utf8')).toBe('kept');
  });

  test('keeps streaming the old content of an object that is replaced meanwhile', async () => {
    const objects = openFolder(root);
    const old = bytesOf(3_000_000);
    await objects.put('a', old, TYPE);
    const stream = await (await objects.open('a'))?.stream();
    const pieces: Buffer[] = [];
    for await (const piece of stream ?? []) {
      if (pieces.length === 0) await objects.put('a', bytesOf(3_000_000), TYPE);
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces).equals(old)).toBe(true);
  });

  test('has no URL for browsers', async () => {
    expect(await openFolder(root).presign('a', { seconds: 60, type: 'video/mp4' })).toBeNull();
  });

  test('works once the reason why it could not be created is gone', async () => {
    writeFileSync(root, 'a file in its place');
    const objects = openFolder(root);
    await expect(checkObjects(objects)).rejects.toThrow(root);
    rmSync(root);
    await checkObjects(objects);
  });
});

describe('a folder that cannot be written', () => {
  test('reports a full disk and leaves no partial file', async () => {
    // Any user can set a process limit; a small disk requires root and permission to mount.
    const places = [{ where: path.join(folder, 'limited'), limit: true, reason: 'EFBIG' }];
    const disk = path.join(folder, 'disk');
    mkdirSync(disk);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', disk]).catch(() => null);
    if (mounted !== null) {
      cleanups.push(() => run('umount', [disk]));
      places.push({ where: disk, limit: false, reason: 'ENOSPC' });
    }
    for (const { where, limit, reason } of places) {
      const attempts = await tryAll(where, { limit });
      expect(attempts.get('put')).toMatchObject({ code: 'full', message: expect.stringContaining(`(${reason})`) });
      expect(attempts.get('put')?.message).toContain(`cannot write a/b in ${where}`);
      // A file that fits is still accepted.
      expect(attempts.get('check')?.code).toBe('done');
      expect(filesIn(where)).toEqual([]);
    }
  });

  test('reports missing permissions and keeps its objects', async () => {
    const objects = openFolder(root);
    await objects.put('kept', Buffer.from('x'), TYPE);
    await objects.put('folder/kept', Buffer.from('x'), TYPE);
    chmodSync(folder, 0o755);
    for (const name of ['', '.tmp', 'folder']) chmodSync(path.join(root, name), 0o555);
    cleanups.push(() => {
      for (const name of ['', '.tmp', 'folder']) chmodSync(path.join(root, name), 0o755);
    });
    if (isRoot) for (const name of ['', '.tmp', 'folder']) chownSync(path.join(root, name), 0, 0);
    const attempts = await tryAll(root, isRoot ? { user: NOBODY } : {});
    for (const name of ['put', 'delete', 'deleteAll', 'check']) {
      expect(attempts.get(name)).toMatchObject({ name, code: 'denied', message: expect.stringContaining(root) });
    }
    expect(attempts.get('open')?.code).toBe('done');
    expect(filesIn(root)).toEqual(['folder/kept', 'kept']);
  });
});
