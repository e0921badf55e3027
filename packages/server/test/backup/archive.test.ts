import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { BackupError, newHeader } from '../../src/cli/backup/manifest.ts';
import { placeOf, readHeaderOf, unpack } from '../../src/cli/backup/restore.ts';
import { ObjectCopy } from '../../src/cli/backup/store.ts';
import { walSegments } from '../../src/db/copy.ts';
import { ArchiveWriter, listFiles } from '../../src/platform/archive.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const MAJOR = 18;
const CONTENT = Buffer.from('a row of a table');
const LONG_PATH = `database/${'long/'.repeat(25)}table`;
/** Coprime to the block size, so that every position in a block and every bit is reached. */
const STEP = 61;
const folder = temporaryFolder();

const options = { now: new Date('2026-03-10T12:00:00Z') };

/** An archive like that of a backup, with one file. */
async function writeArchive(name: string, changes: Partial<ReturnType<typeof newHeader>> = {}): Promise<string> {
  const file = path.join(folder, name);
  const archive = new ArchiveWriter(fs.createWriteStream(file), options);
  const header = {
    ...newHeader({
      foreword: '0.1.0',
      created_at: options.now.toISOString(),
      postgres_major: MAJOR,
      includes_objects: true,
      includes_server_key: false,
    }),
    ...changes,
  };
  const files = [
    await archive.addBuffer('foreword-backup.json', Buffer.from(JSON.stringify(header))),
    await archive.addBuffer(LONG_PATH, CONTENT),
  ];
  await archive.addFolder('database/empty');
  await archive.addManifest({
    header,
    postgres_version: '18.4',
    system_identifier: '1',
    ends_at: '0/1',
    migrations: [],
    server_key_fingerprint: '',
    files: listFiles(files),
  });
  await archive.finish();
  return file;
}

const hasAllFiles = () =>
  fs.readFileSync(path.join(folder, LONG_PATH)).equals(CONTENT) && fs.existsSync(path.join(folder, 'database/empty'));

const readAll = (file: string) =>
  unpack({
    file,
    locate: (entry) => placeOf(entry, { database: path.join(folder, 'database'), objects: null, staging: folder }),
    onProgress: () => undefined,
  });

test('an archive gives back each file and each empty folder', async () => {
  const { manifest } = await readAll(await writeArchive('whole.tar'));
  expect(fs.readFileSync(path.join(folder, LONG_PATH))).toEqual(CONTENT);
  expect(fs.statSync(path.join(folder, 'database/empty')).isDirectory()).toBe(true);
  expect(manifest.files[1]?.[2]).toBe(createHash('sha256').update(CONTENT).digest('hex'));
});

test('a backup has the objects of a folder, and nothing that the system keeps there', async () => {
  const root = path.join(folder, 'store');
  for (const name of ['org_1/logo-1.png', '.tmp/half', 'lost+found/#12']) {
    fs.mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), CONTENT);
  }
  const archive = new ArchiveWriter(fs.createWriteStream(path.join(folder, 'store.tar')), options);
  const copy = new ObjectCopy(root, archive);
  await copy.pass();
  await archive.finish();
  expect(copy.files.map((file) => file.path)).toEqual(['objects/org_1/logo-1.png']);
});

test('an archive is refused whichever bit of its files changed, and wherever it is cut off', async () => {
  const sound = await writeArchive('sound.tar');
  const bytes = fs.readFileSync(sound);
  const { manifest } = await readAll(sound);
  const file = path.join(folder, 'damaged.tar');
  const accepted: string[] = [];
  // Padding between files, zeros after the last one and some signs around numbers mean nothing.
  const expectRefusalOrAll = async (what: string, content: Buffer) => {
    fs.writeFileSync(file, content);
    fs.rmSync(path.join(folder, 'database'), { recursive: true, force: true });
    const problem = await readAll(file).then(
      (read) =>
        isDeepStrictEqual(read, { manifest, superseded: [] }) && hasAllFiles() ? null : 'something is missing',
      (error) => (error instanceof BackupError ? null : error),
    );
    if (problem !== null) accepted.push(`${what}: ${problem}`);
  };
  for (let at = 0; at < bytes.length; at += STEP) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((bytes[at] ?? 0) ^ (1 << (at % 8)), at);
    await expectRefusalOrAll(`bit ${at % 8} of byte ${at}`, changed);
    await expectRefusalOrAll(`cut off at ${at}`, bytes.subarray(0, at));
  }
  await expectRefusalOrAll('something follows', Buffer.concat([bytes, Buffer.alloc(1)]));
  expect(accepted).toEqual([]);
  for (const at of [bytes.indexOf(CONTENT), bytes.indexOf('long/'), bytes.lastIndexOf('"1"')]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    fs.writeFileSync(file, changed);
    await expect(readAll(file)).rejects.toThrow('it is damaged');
  }
  fs.writeFileSync(file, bytes.subarray(0, 5000));
  await expect(readAll(file)).rejects.toThrow(`cannot use ${file}: it is incomplete: its end is missing`);
});

test.each<[string, Parameters<ReturnType<typeof pack>['entry']>[0]]>([
  ['a symbolic link', { name: 'database/link', type: 'symlink', linkname: '/etc/passwd' }],
  ['a hard link', { name: 'database/link', type: 'link', linkname: '/etc/passwd' }],
  ['a device', { name: 'database/device', type: 'character-device' }],
  ['a pipe', { name: 'database/pipe', type: 'fifo' }],
  ['an absolute path', { name: '/etc/passwd' }],
  ['a path out of the folder', { name: 'database/../../passwd' }],
  ['a long path out of the folder', { name: `database/${'long/'.repeat(60)}/../../passwd` }],
  ['a path of another header', { name: 'database/a', pax: { path: '../passwd' } }],
  ['a backslash', { name: 'database\\passwd' }],
  ['an empty path', { name: '' }],
])('an archive with %s is refused, and nothing is written', async (_what, header) => {
  const file = path.join(folder, 'hostile.tar');
  const hostile = pack();
  hostile.entry(header, '');
  hostile.finalize();
  await pipeline(hostile, fs.createWriteStream(file));
  const places: string[] = [];
  const locate = (entry: string) => {
    places.push(entry);
    return null;
  };
  const read = unpack({ file, locate, onProgress: () => undefined });
  await expect(read).rejects.toThrow(`cannot use ${file}: it is damaged, or not an archive of Foreword`);
  expect(places).toEqual([]);
});

test('an archive that Foreword wrote before it used tar-stream gives back its files', async () => {
  const { manifest } = await readAll(path.join(import.meta.dirname, 'earlier.tar'));
  expect(manifest.files.map(([name]) => name)).toEqual(['foreword-backup.json', LONG_PATH]);
  expect(fs.readFileSync(path.join(folder, LONG_PATH))).toEqual(CONTENT);
  expect(fs.statSync(path.join(folder, 'database/empty')).isDirectory()).toBe(true);
});

test.each([
  [{ format: 2 }, 'it was made by a newer version of Foreword; use that version'],
  [{ platform: 'plan9-sparc' }, 'it was made on plan9-sparc, and this machine is'],
  [{ postgres_major: 19 }, 'it contains PostgreSQL 19, and this version of Foreword runs 18'],
])('an archive with %o is refused by its first entry', async (changes, problem) => {
  const file = await writeArchive(`other-${Object.keys(changes)}.tar`, changes);
  await expect(readHeaderOf(file, MAJOR)).rejects.toThrow(`cannot use ${file}: ${problem}`);
});

test('WAL segments are counted across the end of a log file', () => {
  expect(walSegments('0000000100000002000000FE', '000000010000000300000000')).toEqual([
    '0000000100000002000000FE',
    '0000000100000002000000FF',
    '000000010000000300000000',
  ]);
});
