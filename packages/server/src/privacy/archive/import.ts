import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Services } from '../../app/services.ts';
import { TABLES, type TableName } from '../../db/tables.ts';
import type { Database, Tx } from '../../db/tenancy.ts';
import { skipWeeklySummary } from '../../delivery/index.ts';
import { noticeBefore } from '../../http/access/index.ts';
import type { LinkKind } from '../../intros/links/index.ts';
import { testTenant } from '../../organizations/index.ts';
import { ArchiveError, type Entry, readArchive } from '../../platform/archive.ts';
import type { Objects } from '../../platform/objects/index.ts';
import { sealWith, sha256 } from '../../platform/seal.ts';
import { newSealedSecret, SEAL_PURPOSE } from '../../webhooks/index.ts';
import { recordChange } from '../audit/index.ts';
import {
  ARCHIVED_TABLES,
  changeLine,
  type Header,
  objectKeyOf,
  parseLine,
  type Row,
  splitLines,
  TransferError,
  tableOf,
} from './format.ts';
import {
  hasForeignSecrets,
  insertRows,
  lockImport,
  organizationExists,
  readShapes,
  readState,
  touchConnection,
} from './store.ts';
import { type Shapes, type Verified, verifyArchive } from './verify.ts';

const UNKNOWN = 'The organization was imported. The other installation may have sent this.';
const UNPROCESSED = 'The organization was imported before this was processed. Retry it in the console.';

interface ImportContext {
  readonly now: string;
  /** Intros whose text to the recipient was pending. */
  readonly unsentIntros: ReadonlySet<string>;
  /** Generations of members' links by intro. An intro without an entry has its first link. */
  readonly linkGenerations: ReadonlyMap<string, number>;
  /** Null with the same server key. */
  readonly resealing: ReturnType<typeof createResealing> | null;
}

const isExpiringSoon = ({ expires_at: at, expiry_notified_at: notifiedAt }: Row, now: string): boolean =>
  typeof at === 'string' && notifiedAt === null && new Date(at) <= noticeBefore(new Date(now));

const isPending = (status: unknown): boolean => status === 'scheduled' || status === 'sending';

function settleTake(row: Row, { now }: ImportContext): Row | null {
  if (row.status === 'uploading') {
    return { status: 'discarded', parts: [], deleted_at: now, original_deleted_at: now, touched_at: now };
  }
  if (row.status !== 'uploaded' && row.status !== 'processing') return null;
  const refusal = { refusal_code: 'processing_failed', refusal_message: UNPROCESSED };
  return { ...refusal, status: 'refused', progress: 0, retry_at: null, touched_at: now, files_check_at: now };
}

type Changes = Readonly<Partial<Record<TableName, (row: Row, context: ImportContext) => Row | null>>>;

/**
 * The changes to imported rows that keep anything from being sent twice: the other installation may have sent a pending
 * message, or may still send it. Users decide what to send again.
 */
const SETTLED: Changes = {
  recordings: settleTake,
  touchpoint_events: ({ status }, { now }) =>
    status === 'accepted'
      ? { status: 'failed', settled_at: now, error_code: 'processing_failed', error_message: UNPROCESSED }
      : null,
  messages: ({ status }, { now }) =>
    isPending(status)
      ? {
          ...{ status: 'failed', settled_at: now, error_code: 'unknown_outcome', error_message: UNKNOWN },
          ...{ held_for: null, held_until: null },
        }
      : null,
  owner_emails: ({ status }, { now }) =>
    status === 'scheduled' ? { status: 'failed', settled_at: now, error_message: UNKNOWN } : null,
  intros: (row, { unsentIntros }) => ({
    // The domain may lead elsewhere. Links that were sent with it work again once it is verified here.
    ...(typeof row.link_host === 'string' && { link_host: null }),
    ...(row.status === 'ready' &&
      row.delivery_error_code === null &&
      unsentIntros.has(String(row.id)) && { delivery_error_code: 'unknown_outcome', delivery_error_message: UNKNOWN }),
  }),
  // The organization must prove its domains to this installation, too.
  link_domains: ({ state }, { now }) => ({
    ...(state === 'removed' ? { check_at: null } : { state: 'pending', check_at: now }),
    ...{ verified_at: null, active_at: null, failing_since: null },
    ...{ checked_at: null, failure_code: null, failure_message: null },
  }),
  webhook_endpoints: () => ({ active: false }),
  webhook_deliveries: ({ status }) => (status === 'pending' ? { status: 'failed', due_at: null } : null),
  // The other installation has notified the owners, or is about to.
  api_keys: (row, { now }) => (isExpiringSoon(row, now) ? { expiry_notified_at: now } : null),
};

/** With another server key, links get other addresses, and secrets that can no longer be read are replaced or removed. */
const RESEALED: Changes = {
  links({ kind, intro_id }, { linkGenerations, resealing }) {
    const generation = kind === 'record' ? (linkGenerations.get(String(intro_id)) ?? 0) : 0;
    return resealing && { hash: resealing.linkHash(kind as LinkKind, String(intro_id), generation) };
  },
  replaced_links: ({ intro_id, generation }, { resealing }) =>
    resealing && { hash: resealing.linkHash('record', String(intro_id), Number(generation)) },
  webhook_endpoints: ({ organization_id, id }, { resealing }) =>
    resealing && {
      secret: resealing.newWebhookSecret(String(organization_id), String(id)),
      previous_secret: null,
      previous_secret_expires_at: null,
    },
  delivery_settings: () => ({ twilio_account: null }),
  recipient_erasures({ status }) {
    if (status === 'completed') return null;
    // Its number is encrypted with the other key, so what only the number leads to would stay.
    throw new TransferError(
      'a recipient was being erased when it was made, which only its own SERVER_KEY can complete. Set that key, or export the organization again',
    );
  },
  // The response contains the encrypted secret of a webhook endpoint.
  idempotency_keys: ({ object_id }) => (String(object_id).startsWith('whk_') ? { response: null } : null),
};

/** Null if the row is imported as it is. */
function changesOf(table: TableName, row: Row, context: ImportContext): Row | null {
  const resealed = context.resealing === null ? null : RESEALED[table]?.(row, context);
  const changes = { ...SETTLED[table]?.(row, context), ...resealed };
  return Object.keys(changes).length === 0 ? null : changes;
}

interface ImportDeps extends Pick<Services, 'objects' | 'serverKey' | 'links'> {
  readonly db: Pick<Database, 'kysely'>;
}

interface ImportOptions {
  readonly file: string;
  /** Accepts an archive of another server key: its links change, and its webhook secrets are replaced. */
  readonly withNewLinks: boolean;
  /** Whether webhooks to private addresses are allowed here. */
  readonly allowPrivate: boolean;
  readonly onProgress: (bytes: number, of: number) => void;
}

const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  vtt: 'text/vtt; charset=utf-8',
};
const typeOf = (key: string): string =>
  key.includes('/original/')
    ? 'application/octet-stream'
    : (TYPES[key.split('.').at(-1) ?? ''] ?? 'application/octet-stream');

const toHex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

/** Makes the values that need another server key than the one of the archive. */
function createResealing({ serverKey, links }: ImportDeps) {
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  return {
    linkHash(kind: LinkKind, introId: string, generation: number): string {
      const url =
        kind === 'record'
          ? links.recordUrl(introId, generation)
          : links.pageUrl(introId, kind === 'short' ? 'any' : null);
      return toHex(sha256(url.slice(url.lastIndexOf('/') + 1)));
    },
    newWebhookSecret: (organization_id: string, id: string): string =>
      toHex(newSealedSecret(seal, { organization_id, id })),
  };
}

/** The content of an entry, which must be the one that was verified. */
async function* checkedChunks(entry: Entry, { files }: Verified): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of entry.content) {
    hash.update(chunk);
    yield chunk;
  }
  if (files.get(entry.path)?.[2] !== hash.digest('hex')) throw new TransferError('it changed during the import');
}

/** Calls `work` for each entry that was verified. It must read the entry to its end. */
async function forEachEntry(file: string, verified: Verified, work: (entry: Entry) => Promise<void>): Promise<void> {
  for await (const entry of readArchive(file)) {
    if (!verified.files.has(entry.path)) break;
    await work(entry);
  }
}

async function skip(entry: Entry, verified: Verified): Promise<void> {
  for await (const _chunk of checkedChunks(entry, verified));
}

/** Adds the keys of files that did not exist before to `created`. */
async function putObjects(
  tx: Tx,
  objects: Objects,
  { file, verified, created }: { file: string; verified: Verified; created: string[] },
): Promise<void> {
  await forEachEntry(file, verified, async (entry) => {
    const key = objectKeyOf(entry.path);
    if (key === null) return skip(entry, verified);
    if ((await objects.open(key)) === null) created.push(key);
    await objects.put(key, Readable.from(checkedChunks(entry, verified)), { type: typeOf(key) });
    await touchConnection(tx);
  });
}

/** Inserts the rows of one file. Without the `resealing` of another key, the contents of webhooks stay readable. */
async function importFile(
  tx: Tx,
  { table, path, content }: { table: TableName; path: string; content: Buffer },
  shapes: Shapes,
  context: ImportContext,
): Promise<void> {
  const shape = shapes.get(table);
  if (shape === undefined || (context.resealing !== null && TABLES[table].archive === 'sealed')) return;
  const lines = splitLines(path, content);
  const changed = lines.map((line) => {
    const changes = changesOf(table, parseLine(path, line), context);
    return changes === null ? line : changeLine(line, changes);
  });
  await insertRows(tx, table, shape, changed, Object.keys(parseLine(path, lines[0] ?? '')));
}

async function importRows(
  tx: Tx,
  file: string,
  shapes: Shapes,
  verified: Verified,
  context: ImportContext,
): Promise<void> {
  await forEachEntry(file, verified, async (entry) => {
    const table = tableOf(entry.path);
    if (table === null) return skip(entry, verified);
    const chunks = await Array.fromAsync(checkedChunks(entry, verified));
    await importFile(tx, { table, path: entry.path, content: Buffer.concat(chunks) }, shapes, context);
  });
}

/** Refuses an archive that cannot be imported here, before anything is written. */
async function requireImportable(tx: Tx, header: Header, isSameKey: boolean, withNewLinks: boolean): Promise<void> {
  const { organization, kind } = header;
  if (kind !== 'organization') {
    throw new TransferError('it contains one recipient; only the archive of an organization can be imported');
  }
  if (!(await lockImport(tx, organization.id))) {
    throw new TransferError(`another import of ${organization.id} is running`);
  }
  if (await organizationExists(tx, organization.id)) {
    throw new TransferError(`the organization ${organization.id} (${organization.name}) exists here already`);
  }
  if (!isSameKey && !withNewLinks) {
    throw new TransferError(
      'it was made with another SERVER_KEY, so its links and webhook secrets would not work. Set that SERVER_KEY before the first start of this installation, or add --new-links true',
    );
  }
}

/** Explains what the database rejects: only archives that someone edited have such rows. */
function explainRejection(error: unknown): Error {
  const { code, table, message } = error as { code?: string; table?: string; message: string };
  if (code === '23505') return new TransferError(`rows of this organization exist here already (${table})`);
  const isDataError = code !== undefined && /^(2[23]|54)/.test(code);
  return isDataError ? new TransferError(`the database rejects a row: ${message}`) : (error as Error);
}

async function importVerified(
  deps: ImportDeps,
  tx: Tx,
  { file, withNewLinks }: ImportOptions,
  shapes: Shapes,
  verified: Verified,
) {
  const { header, rows, objects, missing_objects } = verified.manifest;
  const { id } = header.organization;
  const isSameKey = deps.serverKey.identities().includes(header.server_key_fingerprint);
  await requireImportable(tx, header, isSameKey, withNewLinks);
  const { now } = await readState(tx);
  const { unsentIntros, linkGenerations } = verified;
  const resealing = isSameKey ? null : createResealing(deps);
  const created: string[] = [];
  try {
    await putObjects(tx, deps.objects, { file, verified, created });
    const context = { now: now.toISOString(), unsentIntros, linkGenerations, resealing };
    await importRows(tx, file, shapes, verified, context);
    if (await hasForeignSecrets(tx, id)) throw new TransferError('a link or key in it belongs to another organization');
    await skipWeeklySummary(tx, testTenant(id), now);
    await recordChange(tx, testTenant(id), { action: 'organization.imported', object: id });
  } catch (error) {
    // Nothing refers to the files. After a kill, the next import replaces them.
    for (const key of created) await deps.objects.delete(key).catch(() => undefined);
    throw explainRejection(error);
  }
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  // With the same key, all earlier links, keys and webhook secrets work.
  return { header, rows: count, objects, missing: missing_objects, keepsLinks: isSameKey };
}

/**
 * Imports the archive of an organization: checks all of it, then stores its files, then inserts its rows in one transaction.
 * Until that commits, nothing of it is visible.
 */
export async function importArchive(deps: ImportDeps, options: ImportOptions) {
  const { file } = options;
  try {
    const shapes = await readShapes(deps.db.kysely, ARCHIVED_TABLES);
    const verified = await verifyArchive(file, shapes, options);
    return await deps.db.kysely.transaction().execute((tx) => importVerified(deps, tx, options, shapes, verified));
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    // The store and the database report their faults in other ways.
    const isUnreadable = syscall === 'open';
    const isRefusal = error instanceof TransferError || error instanceof ArchiveError;
    if (!isRefusal && !isUnreadable) throw error;
    throw new TransferError(`Cannot import ${file}: ${isUnreadable ? 'the file cannot be read' : message}.`, {
      cause: error,
    });
  }
}
