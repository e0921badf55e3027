import { BrandDraft, NewMember, type TObject, TouchpointContent, Type } from '@foreword/contract';
import {
  CHECKSUM_PATH,
  type ListedFile,
  MANIFEST_PATH,
  readArchive,
  readEntry,
  writeChecksum,
} from '../../platform/archive.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { explainUrl } from '../../platform/outbound/addresses.ts';
import { compileCheck } from '../../platform/validate.ts';
import { requireValidContent } from '../../touchpoints/index.ts';
import {
  Contents,
  HEADER_PATH,
  type Header,
  MANIFEST_LIMIT,
  type Manifest,
  objectKeyOf,
  objectPath,
  parseLine,
  ROWS_FILE_LIMIT,
  ROWS_PATH,
  type Row,
  readHeader,
  readManifest,
  readRowCounts,
  splitLines,
  TransferError,
  tableOf,
} from './format.ts';
import type { TableShape } from './store.ts';

/** Checks the columns of a row that are fields of a form, with the schema of that form. Null means that a field is not set. */
function checkFields(schema: TObject): (row: Row) => Row {
  const names = Object.keys(schema.properties);
  const check = compileCheck(Type.Partial(schema), 'row');
  return (row) => {
    const given = Object.entries(row).filter(([name, value]) => names.includes(name) && value !== null);
    return check(Object.fromEntries(given));
  };
}

const checkOrganization = checkFields(BrandDraft);
const checkMember = checkFields(NewMember);
const checkContent = checkFields(TouchpointContent);

const CHECKS: Readonly<Record<string, (row: Row, allowPrivate: boolean) => void>> = {
  organizations: checkOrganization,
  members: checkMember,
  touchpoints(row) {
    const given = checkContent(row);
    // The lanes of the organization may have changed since, which is allowed.
    const content = { script: null, script_es: null, page_title_es: null, text_message: null, ...given } as unknown;
    requireValidContent(
      content as TouchpointContent,
      Object.keys(given).filter((name) => name !== 'lane') as never,
      [],
    );
  },
  webhook_endpoints({ url }, allowPrivate) {
    const problem = explainUrl(String(url), { allowPrivate });
    if (problem !== null) throw invalid('url', problem);
  },
};

/** Someone may have edited the archive, so what people and other systems see of it must be valid like a request. */
function requireValidRow(path: string, table: string, row: Row, allowPrivate: boolean): void {
  try {
    CHECKS[table]?.(row, allowPrivate);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new TransferError(`${path} has an invalid row: ${error.message.replace(/\.$/, '')}`);
  }
}

/** The parts of an archive, in their order. */
const PARTS = ['header', 'rows', 'counts', 'objects', 'manifest', 'checksum'] as const;
type Part = (typeof PARTS)[number];

function partOf(path: string): Part {
  if (path === HEADER_PATH) return 'header';
  if (path === ROWS_PATH) return 'counts';
  if (path === MANIFEST_PATH) return 'manifest';
  if (path === CHECKSUM_PATH) return 'checksum';
  if (objectKeyOf(path) !== null) return 'objects';
  if (tableOf(path) !== null) return 'rows';
  throw new TransferError(`this version of Foreword does not know the file ${path}`);
}

/** An archive whose every byte was checked. */
export interface Verified {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, ListedFile>;
  /** Intros with a pending text to the recipient. */
  readonly unsentIntros: ReadonlySet<string>;
  /** Generations of members' links by intro, for links that were replaced. */
  readonly linkGenerations: ReadonlyMap<string, number>;
}

export type Shapes = ReadonlyMap<string, TableShape>;

/** Reads the whole archive, and writes nothing. Throws a TransferError or an ArchiveError. */
export async function verifyArchive(
  file: string,
  shapes: Shapes,
  { allowPrivate, onProgress }: { allowPrivate: boolean; onProgress: (bytes: number, of: number) => void },
): Promise<Verified> {
  const contents = new Contents();
  const files = new Map<string, ListedFile>();
  const unsentIntros = new Set<string>();
  const linkGenerations = new Map<string, number>();
  const found: { header?: Header; manifest?: Manifest; manifestText?: Buffer } = {};

  function readRow(path: string, table: string, row: Row): void {
    const organization = found.header?.organization.id ?? '';
    const owner = table === 'organizations' ? row.id : row.organization_id;
    if (owner !== organization || (table !== 'organizations' && row.environment !== 'test')) {
      throw new TransferError(`${path} has a row of another organization`);
    }
    requireValidRow(path, table, row, allowPrivate);
    const keys = contents.addRow(table, row);
    // Files of another organization must be neither replaced nor shown.
    if (keys.some((key) => !key.startsWith(`${organization}/`) || key.includes('..'))) {
      throw new TransferError(`${path} refers to a file of another organization`);
    }
    if (table === 'intros' && Number(row.link_generation) > 0) {
      linkGenerations.set(String(row.id), Number(row.link_generation));
    }
    const isPending = row.status === 'scheduled' || row.status === 'sending';
    if (table === 'messages' && row.purpose === 'deliver' && isPending) unsentIntros.add(String(row.intro_id));
  }

  function readRows(path: string, content: Buffer): void {
    const table = tableOf(path) ?? '';
    const shape = shapes.get(table);
    if (shape === undefined) throw new TransferError(`this version of Foreword does not know the table ${table}`);
    let columns: string | undefined;
    for (const line of splitLines(path, content)) {
      const row = parseLine(path, line);
      columns ??= checkColumns(path, shape, row);
      if (Object.keys(row).join() !== columns) throw new TransferError(`${path} has rows with different columns`);
      readRow(path, table, row);
    }
  }

  function read(part: Exclude<Part, 'objects'>, path: string, content: Buffer): void {
    if (part === 'header') found.header = readHeader(content);
    else if (part === 'rows') readRows(path, content);
    else if (part === 'counts') {
      if (!contents.matches(readRowCounts(content))) throw new TransferError(`${path} does not match the rows`);
    } else if (part === 'manifest') {
      found.manifest = readManifest(content);
      found.manifestText = content;
    } else if (!content.equals(writeChecksum(found.manifestText ?? Buffer.alloc(0)))) {
      throw new TransferError(`the checksum of ${MANIFEST_PATH} is wrong`);
    }
  }

  let last = -1;
  for await (const entry of readArchive(file, onProgress)) {
    const { path } = entry;
    const part = partOf(path);
    const at = PARTS.indexOf(part);
    const isRepeatable = part === 'rows' || part === 'objects';
    const isNext = at > last || (isRepeatable && at === last);
    if (entry.isFolder || !isNext || (last < 0 && part !== 'header') || files.has(path)) {
      throw new TransferError(`${path} is in the wrong place`);
    }
    last = at;
    const limit = part === 'manifest' ? MANIFEST_LIMIT : ROWS_FILE_LIMIT;
    if (part !== 'objects' && entry.size > limit) throw new TransferError(`${path} is too large`);
    if (part === 'objects' && !contents.objects.has(objectKeyOf(path) ?? '')) {
      throw new TransferError(`no row refers to the file ${path}`);
    }
    const { sha256, content } = await readEntry(entry, part !== 'objects');
    if (part !== 'objects') read(part, path, content);
    if (part !== 'manifest' && part !== 'checksum') files.set(path, [path, entry.size, sha256]);
  }
  const { header, manifest } = found;
  if (last !== PARTS.length - 1 || manifest === undefined || header === undefined) {
    throw new TransferError('it is incomplete');
  }
  if (JSON.stringify(manifest.header) !== JSON.stringify(header)) {
    throw new TransferError(`${MANIFEST_PATH} does not match ${HEADER_PATH}`);
  }
  requireListed(manifest, [...files.values()]);
  const known = new Set(manifest.missing_objects);
  const missing = [...contents.objects].find((key) => !known.has(key) && !files.has(objectPath(key)));
  if (missing !== undefined) throw new TransferError(`${objectPath(missing)} is missing`);
  return { manifest, files, unsentIntros, linkGenerations };
}

function checkColumns(path: string, { columns }: TableShape, row: Row): string {
  const names = Object.keys(row);
  const unknown = names.find((name) => !columns.has(name));
  if (unknown === undefined) return names.join();
  throw new TransferError(`this version of Foreword does not know the column ${unknown} in ${path}`);
}

/** The files of the archive are those of the manifest, in the same order. */
function requireListed({ files: listed }: Manifest, found: readonly ListedFile[]): void {
  const differs = found.findIndex((file, index) => file.join() !== listed[index]?.join());
  if (differs >= 0) throw new TransferError(`the checksum of ${found[differs]?.[0]} is wrong`);
  if (listed.length !== found.length) throw new TransferError(`${listed[found.length]?.[0]} is missing`);
}
