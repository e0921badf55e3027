import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { ArchiveWriter, CHECKSUM_PATH, listFiles, MANIFEST_PATH, readArchive } from '../../src/platform/archive.ts';
import { ARCHIVED_TABLES, readManifest } from '../../src/privacy/archive/format.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

export interface File {
  readonly path: string;
  readonly content: Buffer;
}

export async function readFiles(archive: string): Promise<File[]> {
  const files: File[] = [];
  for await (const { path, content } of readArchive(archive)) {
    files.push({ path, content: Buffer.concat(await Array.fromAsync(content)) });
  }
  return files;
}

export const contentOf = (files: readonly File[], name: string): Buffer =>
  files.find((file) => file.path === name)?.content ?? Buffer.alloc(0);

// biome-ignore lint/suspicious/noExplicitAny: tests read rows freely.
export const rowsOf = (files: readonly File[], table: string): any[] =>
  files
    .filter((file) => file.path.startsWith(`rows/${table}/`))
    .flatMap(({ content }) => content.toString().trimEnd().split('\n'))
    .map((line) => JSON.parse(line));

/** Writes the files as an archive whose manifest has the right checksums, as someone who forges one would. */
export async function forge(archive: string, files: readonly File[]): Promise<void> {
  const output = new ArchiveWriter(fs.createWriteStream(archive), { now: new Date(0) });
  for (const file of files) {
    if (file.path === MANIFEST_PATH || file.path === CHECKSUM_PATH) continue;
    await output.addBuffer(file.path, file.content);
  }
  const header = JSON.parse(contentOf(files, 'foreword-export.json').toString());
  await output.addManifest({
    ...readManifest(contentOf(files, MANIFEST_PATH)),
    header,
    files: listFiles(output.files),
  });
  await output.finish();
}

/** Another installation, until the test ends: an empty database, and a folder for objects. */
export async function openInstallation(settings: Record<string, string> = {}) {
  const objects = temporaryFolder();
  const database = await createTestDatabase();
  // The template belongs to the tests' own server key.
  await database.query('delete from server_key');
  const environment = { ...database.environment, OBJECTS_URL: pathToFileURL(objects).href, ...settings };
  onTestFinished(() => database.drop());
  return { database, environment, objects };
}

/** All rows of an organization as JSON, by table. */
export async function readRows({ query }: Pick<TestDatabase, 'query'>, organization: string) {
  const rows: Record<string, string[]> = {};
  for (const table of ARCHIVED_TABLES) {
    const owner = table === 'organizations' ? 'id' : 'organization_id';
    const found = await query<{ line: string }>(
      `select row_to_json(t)::text as line from ${table} t where ${owner} = $1 order by 1`,
      [organization],
    );
    rows[table] = found.map(({ line }) => line);
  }
  return rows;
}
