/** Copies a running PostgreSQL. */

import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { ArchiveWriter, WrittenFile } from '../platform/archive.ts';
import type { Objects } from '../platform/objects/index.ts';
import type { Connection, Database } from './pools.ts';
import { connectAlone } from './requirements.ts';

/** Arbitrary numbers that nothing else on the same database uses. */
const BACKUP_LOCK = 7_305_119_242n;
const SLOT = 'foreword_backup';
/** Changes with every checkpoint, so it is copied last. */
const CONTROL_FILE = 'global/pg_control';
const CONTROL_READS = 100;
const CONTROL_PAUSE_MS = 5;

/** Folders whose content PostgreSQL creates at each start. WAL is copied separately, after everything else. */
const EMPTIED = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', 'backup_label.old', 'tablespace_map']);
const LEFT_OUT_PREFIX = ['pgsql_tmp', 'pg_internal.init', 'postgresql.auto.conf.tmp', 'current_logfiles'];

/** The database cannot be copied. The message is one line. */
export class DatabaseCopyError extends Error {}

/**
 * Copies a running cluster into the archive, below `database/`, the way pg_basebackup does: between pg_backup_start and
 * pg_backup_stop, with the WAL from in between. Restored, it is the database as it was at pg_backup_stop.
 */
export async function copyDatabase(options: {
  connection: Connection;
  /** The folder of the cluster. */
  folder: string;
  archive: ArchiveWriter;
  /** Called around the moment that the copy shows. */
  aroundEnd: (client: pg.Client, end: () => Promise<void>) => Promise<void>;
}) {
  const { connection, folder, archive, aroundEnd } = options;
  // The session owns the backup, the slot and the lock: all of them end with it.
  const client = await connectAlone(connection, 'foreword backup');
  try {
    await reserve(client);
    const first = await readOne<{ file: string }>(
      client,
      `select pg_walfile_name(pg_backup_start('foreword', fast => true)) as file`,
    );
    const files = await addFiles(folder, archive);
    let end: Ending | undefined;
    await aroundEnd(client, async () => {
      end = await readOne<Ending>(client, END);
    });
    if (end === undefined) throw new Error('the backup was not ended');
    if (end.tablespaces.trim() !== '') throw new DatabaseCopyError('it has tablespaces, which a backup cannot contain');
    files.push(await archive.addBuffer('database/backup_label', Buffer.from(end.label)));
    for (const segment of walSegments(first.file, end.file)) {
      files.push(await addFile(archive, folder, `${WAL_FOLDER}/${segment}`));
    }
    // The copy contains what was committed before `endsAt`.
    return { files, version: end.version, systemIdentifier: end.system, endsAt: end.lsn };
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Ending {
  readonly lsn: string;
  readonly file: string;
  readonly label: string;
  readonly tablespaces: string;
  readonly version: string;
  readonly system: string;
}

const END = `
select lsn::text as lsn, pg_walfile_name(lsn) as file, labelfile as label, spcmapfile as tablespaces,
  current_setting('server_version') as version, (select system_identifier::text from pg_control_system()) as system
from pg_backup_stop(wait_for_archive => false)`;

async function readOne<Row extends pg.QueryResultRow>(client: pg.Client, statement: string): Promise<Row> {
  const { rows } = await client.query<Row>(statement);
  if (rows[0] === undefined) throw new Error('the statement returned no row');
  return rows[0];
}

/** Makes sure that this is the only backup of this cluster, and that no WAL from now on is deleted before it is copied. */
async function reserve(client: pg.Client): Promise<void> {
  const { locked } = await readOne<{ locked: boolean }>(
    client,
    `select pg_try_advisory_lock(${BACKUP_LOCK}) as locked`,
  );
  if (!locked) throw new DatabaseCopyError('another backup of it is running');
  await client.query(`select pg_create_physical_replication_slot($1, true, true)`, [SLOT]);
}

async function addFiles(folder: string, archive: ArchiveWriter): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
  await archive.addFolder('database');
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch(ignoreAbsence);
    for (const entry of (entries ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (isLeftOut(entry.name) || name === CONTROL_FILE) continue;
      if (entry.isDirectory()) {
        await archive.addFolder(`database/${name}`);
        if (!EMPTIED.has(name)) await walk(name);
      } else if (!isWal(name)) {
        const written = await addFile(archive, folder, name).catch(ignoreAbsence);
        if (written !== null) files.push(written);
      }
    }
  };
  await walk('');
  files.push(
    await archive.addBuffer(`database/${CONTROL_FILE}`, await readControlFile(path.join(folder, CONTROL_FILE))),
  );
  return files;
}

const isLeftOut = (name: string): boolean =>
  LEFT_OUT.has(name) || LEFT_OUT_PREFIX.some((prefix) => name.startsWith(prefix));
const isWal = (name: string): boolean => name.startsWith(`${WAL_FOLDER}/`);

/** A table may be dropped while it is copied; the WAL repeats that. */
function ignoreAbsence(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function addFile(archive: ArchiveWriter, folder: string, name: string): Promise<WrittenFile> {
  const source = await open(path.join(folder, name), 'r');
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new DatabaseCopyError(`it contains ${name}, which is neither a file nor a folder`);
    return await archive.addFile(`database/${name}`, source, stats.size);
  } finally {
    await source.close();
  }
}

/** Reads until two results agree: PostgreSQL may write the file while it is read. */
async function readControlFile(file: string): Promise<Buffer> {
  let last = await readFile(file);
  for (let reads = 1; reads < CONTROL_READS; reads++) {
    await pause(CONTROL_PAUSE_MS);
    const next = await readFile(file);
    if (next.equals(last)) return next;
    last = next;
  }
  throw new DatabaseCopyError('its control file never stopped changing');
}

const WAL_FOLDER = 'pg_wal';
/** With segments of 16 MB, the name counts 256 of them in its last eight digits. */
const SEGMENTS = 0x100;

const numberOf = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * SEGMENTS + Number.parseInt(name.slice(16), 16);

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');

/** The names of all WAL segments from the first to the last, on one timeline. */
export function walSegments(first: string, last: string): string[] {
  const timeline = first.slice(0, 8);
  if (!last.startsWith(timeline)) throw new Error('the backup spans two timelines');
  const names: string[] = [];
  for (let at = numberOf(first); at <= numberOf(last); at++) {
    names.push(timeline + hex(Math.floor(at / SEGMENTS)) + hex(at % SEGMENTS));
  }
  return names;
}

/** Every table, including system and TOAST tables. */
const FIND_DAMAGED_TABLES = `
select c.oid::regclass::text as name, v.msg as problem
from pg_class c, lateral verify_heapam(c.oid, check_toast => true) v
where c.relkind in ('r', 't', 'm') and c.relpersistence <> 't'
limit 10`;

const LIST_INDEXES = `
select i.indexrelid::regclass::text as name, i.indexrelid::int8 as oid
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where a.amname = 'btree' and c.relpersistence <> 't' and c.relkind = 'i' and i.indisready and i.indisvalid`;

/**
 * Reads every page of every table and B-tree index, as pg_amcheck does, and returns what is damaged. PostgreSQL checks the
 * checksum of each page it reads. Changes nothing: the extension is created in a transaction that is rolled back.
 */
export async function findDamage(client: pg.Client): Promise<string[]> {
  const found: string[] = [];
  await client.query('begin');
  try {
    await client.query('create extension if not exists amcheck');
    const { rows: tables } = await client.query<{ name: string; problem: string }>(FIND_DAMAGED_TABLES);
    found.push(...tables.map(({ name, problem }) => `${name}: ${problem}`));
    const { rows: indexes } = await client.query<{ name: string; oid: string }>(LIST_INDEXES);
    for (const { name, oid } of indexes) {
      await client.query('savepoint checking');
      try {
        await client.query('select bt_index_check($1::oid, heapallindexed => true)', [oid]);
      } catch (error) {
        found.push(`${name}: ${(error as Error).message}`);
        await client.query('rollback to checking');
      }
    }
  } catch (error) {
    // A page with a wrong checksum ends the statement.
    found.push((error as Error).message);
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
  return found;
}

/** An arbitrary number that nothing else on the same database uses. */
const HOLD_LOCK = 7_305_119_243n;
/** A deletion takes milliseconds; one that hangs must not stop backups. */
const WAIT_LIMIT = '60s';

/**
 * Lets a backup keep objects for the moment between the state of the database that it contains and the objects that belong to
 * it: deletions wait. The database releases the lock if either side dies.
 */
export function deletingUnlessHeld<Tables>(objects: Objects, db: Database<Tables>): Objects {
  const unlessHeld = (work: () => Promise<void>): Promise<void> =>
    db.kysely.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock_shared(${HOLD_LOCK})`.execute(tx);
      await work();
    });
  return {
    put: (key, body, options) => objects.put(key, body, options),
    open: (key) => objects.open(key),
    delete: (key) => unlessHeld(() => objects.delete(key)),
    deleteAll: (prefix) => unlessHeld(() => objects.deleteAll(prefix)),
    presign: (key, options) => objects.presign(key, options),
  };
}

/** Runs the work while no object is deleted. */
export async function withoutDeletions<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query(`set lock_timeout = '${WAIT_LIMIT}'`);
  await client.query('select pg_advisory_lock($1)', [HOLD_LOCK]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [HOLD_LOCK]);
  }
}
