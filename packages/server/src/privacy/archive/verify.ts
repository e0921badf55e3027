import { BrandDraft, NewMember, type TObject, TouchpointContent, Type } from '@foreword/contract';
import {
  CHECKSUM_PATH,
  type Entry,
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

class Verifier {
  readonly #shapes: Shapes;
  readonly #allowPrivate: boolean;
  readonly #contents = new Contents();
  readonly #files = new Map<string, ListedFile>();
  readonly #unsentIntros = new Set<string>();
  readonly #linkGenerations = new Map<string, number>();
  #header: Header | undefined;
  #manifest: Manifest | undefined;
  #manifestText: Buffer = Buffer.alloc(0);
  #part = -1;

  constructor(shapes: Shapes, allowPrivate: boolean) {
    this.#shapes = shapes;
    this.#allowPrivate = allowPrivate;
  }

  async add(entry: Entry): Promise<void> {
    const part = partOf(entry.path);
    const at = PARTS.indexOf(part);
    const isRepeatable = part === 'rows' || part === 'objects';
    const isNext = at > this.#part || (isRepeatable && at === this.#part);
    if (entry.isFolder || !isNext || (this.#part < 0 && part !== 'header') || this.#files.has(entry.path)) {
      throw new TransferError(`${entry.path} is in the wrong place`);
    }
    this.#part = at;
    const limit = part === 'manifest' ? MANIFEST_LIMIT : ROWS_FILE_LIMIT;
    if (part !== 'objects' && entry.size > limit) throw new TransferError(`${entry.path} is too large`);
    if (part === 'objects') this.#requireNeeded(entry.path);
    const { sha256, content } = await readEntry(entry, part !== 'objects');
    if (part !== 'objects') this.#read(part, entry.path, content);
    if (part === 'manifest' || part === 'checksum') return;
    this.#files.set(entry.path, [entry.path, entry.size, sha256]);
  }

  #requireNeeded(path: string): void {
    const key = objectKeyOf(path) ?? '';
    if (!this.#contents.objects.has(key)) throw new TransferError(`no row refers to the file ${path}`);
  }

  #read(part: Exclude<Part, 'objects'>, path: string, content: Buffer): void {
    if (part === 'header') this.#header = readHeader(content);
    else if (part === 'rows') this.#readRows(path, content);
    else if (part === 'counts') {
      if (!this.#contents.matches(readRowCounts(content))) throw new TransferError(`${path} does not match the rows`);
    } else if (part === 'manifest') {
      this.#manifest = readManifest(content);
      this.#manifestText = content;
    } else if (!content.equals(writeChecksum(this.#manifestText))) {
      throw new TransferError(`the checksum of ${MANIFEST_PATH} is wrong`);
    }
  }

  #readRows(path: string, content: Buffer): void {
    const table = tableOf(path) ?? '';
    const shape = this.#shapes.get(table);
    if (shape === undefined) throw new TransferError(`this version of Foreword does not know the table ${table}`);
    let columns: string | undefined;
    for (const line of splitLines(path, content)) {
      const row = parseLine(path, line);
      columns ??= this.#checkColumns(path, shape, row);
      if (Object.keys(row).join() !== columns) throw new TransferError(`${path} has rows with different columns`);
      this.#checkRow(path, table, row);
    }
  }

  #checkColumns(path: string, { columns }: TableShape, row: Row): string {
    const names = Object.keys(row);
    const unknown = names.find((name) => !columns.has(name));
    if (unknown !== undefined) {
      throw new TransferError(`this version of Foreword does not know the column ${unknown} in ${path}`);
    }
    return names.join();
  }

  #checkRow(path: string, table: string, row: Row): void {
    const organization = this.#header?.organization.id ?? '';
    const owner = table === 'organizations' ? row.id : row.organization_id;
    if (owner !== organization || (table !== 'organizations' && row.environment !== 'test')) {
      throw new TransferError(`${path} has a row of another organization`);
    }
    requireValidRow(path, table, row, this.#allowPrivate);
    const keys = this.#contents.addRow(table, row);
    // Files of another organization must be neither replaced nor shown.
    if (keys.some((key) => !key.startsWith(`${organization}/`) || key.includes('..'))) {
      throw new TransferError(`${path} refers to a file of another organization`);
    }
    if (table === 'intros' && Number(row.link_generation) > 0) {
      this.#linkGenerations.set(String(row.id), Number(row.link_generation));
    }
    const isPending = row.status === 'scheduled' || row.status === 'sending';
    if (table === 'messages' && row.purpose === 'deliver' && isPending) this.#unsentIntros.add(String(row.intro_id));
  }

  finish(): Verified {
    const [manifest, header] = [this.#manifest, this.#header];
    if (this.#part !== PARTS.length - 1 || manifest === undefined || header === undefined) {
      throw new TransferError('it is incomplete');
    }
    if (JSON.stringify(manifest.header) !== JSON.stringify(header)) {
      throw new TransferError(`${MANIFEST_PATH} does not match ${HEADER_PATH}`);
    }
    const [listed, found] = [manifest.files, [...this.#files.values()]];
    const differs = found.findIndex((file, index) => file.join() !== listed[index]?.join());
    if (differs >= 0) throw new TransferError(`the checksum of ${found[differs]?.[0]} is wrong`);
    if (listed.length !== found.length) throw new TransferError(`${listed[found.length]?.[0]} is missing`);
    this.#requireObjects(manifest);
    return {
      manifest,
      files: this.#files,
      unsentIntros: this.#unsentIntros,
      linkGenerations: this.#linkGenerations,
    };
  }

  #requireObjects({ missing_objects }: Manifest): void {
    const known = new Set(missing_objects);
    for (const key of this.#contents.objects) {
      if (!known.has(key) && !this.#files.has(objectPath(key))) {
        throw new TransferError(`${objectPath(key)} is missing`);
      }
    }
  }
}

/** Reads the whole archive, and writes nothing. Throws a TransferError or an ArchiveError. */
export async function verifyArchive(
  file: string,
  shapes: Shapes,
  { allowPrivate, onProgress }: { allowPrivate: boolean; onProgress: (bytes: number, of: number) => void },
): Promise<Verified> {
  const verifier = new Verifier(shapes, allowPrivate);
  for await (const entry of readArchive(file, onProgress)) await verifier.add(entry);
  return verifier.finish();
}
