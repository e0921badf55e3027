import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newHeader, writeChecksum, writeManifest } from '../../src/backup/manifest.ts';
import { placeOf, readHeaderOf, unpack } from '../../src/backup/unpack.ts';
import { ArchiveWriter } from '../../src/platform/archive.ts';
import { walSegments } from '../../src/platform/database-copy/wal.ts';
import { newFolder } from './service.ts';

const MAJOR = 18;
const CONTENT = Buffer.from('a row of a table');
/** Coprime to the block size, so that every position in a block and every bit is reached. */
const STEP = 29;
const folder = newFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const options = { now: new Date('2026-03-10T12:00:00Z'), onProgress: () => undefined };

/** An archive like that of a backup, with one file. */
async function writeArchive(name: string, changes: Partial<ReturnType<typeof newHeader>> = {}): Promise<string> {
  const file = path.join(folder, name);
  const archive = await ArchiveWriter.create(file, options);
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
    await archive.addBuffer(`database/${'long/'.repeat(25)}table`, CONTENT),
  ];
  await archive.addFolder('database/empty');
  const manifest = writeManifest({
    header,
    postgres_version: '18.4',
    system_identifier: '1',
    ends_at: '0/1',
    migrations: [],
    server_key_fingerprint: '',
    files: files.map((one) => [one.path, one.size, one.sha256]),
  });
  await archive.addBuffer('manifest.json', manifest);
  await archive.addBuffer('manifest.json.sha256', writeChecksum(manifest));
  await archive.finish();
  return file;
}

const readAll = (file: string) =>
  unpack({
    file,
    locate: (entry) => placeOf(entry, { database: path.join(folder, 'database'), objects: null, staging: folder }),
    onProgress: () => undefined,
  });

test('an archive gives back each file and each empty folder', async () => {
  const { manifest } = await readAll(await writeArchive('whole.tar'));
  expect(fs.readFileSync(path.join(folder, 'database', 'long/'.repeat(25), 'table'))).toEqual(CONTENT);
  expect(fs.statSync(path.join(folder, 'database/empty')).isDirectory()).toBe(true);
  expect(manifest.files[1]?.[2]).toBe(createHash('sha256').update(CONTENT).digest('hex'));
});

test('an archive is refused whichever bit changed, and wherever it is cut off', async () => {
  const bytes = fs.readFileSync(await writeArchive('sound.tar'));
  const file = path.join(folder, 'damaged.tar');
  const accepted: string[] = [];
  const expectRefusal = async (what: string, content: Buffer) => {
    fs.writeFileSync(file, content);
    const problem = await readAll(file).then(
      () => 'none',
      (error) => error.name,
    );
    if (problem !== 'BackupError') accepted.push(`${what}: ${problem}`);
  };
  for (let at = 0; at < bytes.length; at += STEP) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((bytes[at] ?? 0) ^ (1 << (at % 8)), at);
    await expectRefusal(`bit ${at % 8} of byte ${at}`, changed);
    await expectRefusal(`cut off at ${at}`, bytes.subarray(0, at));
  }
  await expectRefusal('something follows', Buffer.concat([bytes, Buffer.alloc(1)]));
  expect(accepted).toEqual([]);
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
