import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { acrossTenants, type Db, type Row } from '../../db/tenancy.ts';
import type { ArchiveWriter, WrittenFile } from '../../platform/archive.ts';
import { keyOf, originalPrefixOf } from '../../recordings/index.ts';
import { OBJECTS_FOLDER } from './manifest.ts';

export async function readMigrationNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

export interface Counts {
  readonly organizations: number;
  readonly members: number;
  readonly events: number;
  readonly intros: number;
  readonly recordings: number;
}

export async function countRows(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select (select count(*)::int from organizations) as organizations, (select count(*)::int from members) as members,
      (select count(*)::int from touchpoint_events) as events, (select count(*)::int from intros) as intros,
      (select count(*)::int from recordings) as recordings`.execute(db);
  if (rows[0] === undefined) throw new Error('counting returned no row');
  return rows[0];
}

type NeededTake = Pick<
  Row<'recordings'>,
  'organization_id' | 'id' | 'status' | 'parts' | 'has_captions' | 'has_preview'
>;

/** Takes whose files a page shows or the worker needs, without those that the sweeper was about to delete. */
function findNeededTakes(db: Db, at: Date): Promise<NeededTake[]> {
  return acrossTenants(db)
    .selectFrom('recordings as r')
    .innerJoin('intros as i', (join) =>
      join.onRef('i.organization_id', '=', 'r.organization_id').onRef('i.id', '=', 'r.intro_id'),
    )
    .select(['r.organization_id', 'r.id', 'r.status', 'r.parts', 'r.has_captions', 'r.has_preview'])
    .where('r.deleted_at', 'is', null)
    .where((where) => where.or([where('r.files_check_at', 'is', null), where('r.files_check_at', '>', at)]))
    .where((where) =>
      where.or([
        where('r.status', 'in', ['uploading', 'uploaded', 'processing']),
        where.and([where('r.status', '=', 'ready'), where('i.recording_id', '=', where.ref('r.id'))]),
      ]),
    )
    .execute();
}

/** Keys of logos and photos. */
async function findPictures(db: Db): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select logo as key from organizations where logo is not null
    union select photo from members where photo is not null`.execute(db);
  return rows.map(({ key }) => key);
}

const absentAsNull = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
};

/** A part of a key. Others are unfinished or deleted objects, or lost+found, which only root can read. */
const PART = /^[a-z0-9][a-z0-9_.-]*$/;

/** The keys of all objects in the folder. */
async function listKeys(root: string, below = ''): Promise<string[]> {
  const entries = (await readdir(path.join(root, below), { withFileTypes: true }).catch(absentAsNull)) ?? [];
  const keys: string[] = [];
  for (const entry of entries) {
    if (!PART.test(entry.name)) continue;
    const key = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) keys.push(...(await listKeys(root, key)));
    else if (entry.isFile()) keys.push(key);
  }
  return keys;
}

interface CopiedObject extends WrittenFile {
  readonly identity: string;
}

/** Adds the objects of a folder to an archive, in several passes: each adds what is new or was replaced. */
export class ObjectCopy {
  readonly #root: string;
  readonly #archive: ArchiveWriter;
  #copied = new Map<string, CopiedObject>();

  constructor(root: string, archive: ArchiveWriter) {
    this.#root = root;
    this.#archive = archive;
  }

  /** Returns how many bytes it added. */
  async pass(): Promise<number> {
    const before = this.#archive.bytes;
    const present = new Map<string, CopiedObject>();
    for (const key of await listKeys(this.#root)) {
      const object = await this.#copy(key);
      if (object !== null) present.set(key, object);
    }
    this.#copied = present;
    return this.#archive.bytes - before;
  }

  /** The objects that existed during the last pass. */
  get files(): WrittenFile[] {
    return [...this.#copied.values()].map(({ path: name, size, sha256 }) => ({ path: name, size, sha256 }));
  }

  async #copy(key: string): Promise<CopiedObject | null> {
    const source = await open(path.join(this.#root, key), 'r').catch(absentAsNull);
    if (source === null) return null;
    try {
      const { size, mtimeNs, ino } = await source.stat({ bigint: true });
      // A replaced object is another file.
      const identity = `${size}-${mtimeNs}-${ino}`;
      const known = this.#copied.get(key);
      if (known?.identity === identity) return known;
      const written = await this.#archive.addFile(`${OBJECTS_FOLDER}/${key}`, source, Number(size));
      return { ...written, identity };
    } finally {
      await source.close();
    }
  }
}

function keysOf(take: NeededTake): string[] {
  if (take.status !== 'ready') return take.parts.map((name) => originalPrefixOf(take) + name);
  const files = ['video.mp4', 'poster.jpg', 'card.jpg'] as const;
  return [
    ...files.map((file) => keyOf(take, file)),
    ...(take.has_captions ? [keyOf(take, 'captions.vtt')] : []),
    ...(take.has_preview ? [keyOf(take, 'preview.webp')] : []),
  ];
}

/** The objects that the rows refer to and that are not in the list. */
export async function findMissingObjects(db: Db, at: Date, present: ReadonlySet<string>): Promise<string[]> {
  const needed = [...(await findNeededTakes(db, at)).flatMap(keysOf), ...(await findPictures(db))];
  return needed.filter((key) => !present.has(key)).sort();
}
