import { ArchiveError } from './error.ts';

export const BLOCK_BYTES = 512;
export const ARCHIVE_END = Buffer.alloc(2 * BLOCK_BYTES);
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** The size has eleven octal digits. A video has at most 2 GB and a file of PostgreSQL 1 GB. */
const SIZE_LIMIT = 8 ** 11;
/** Letters, digits and a few signs; no part is `.` or `..`, and no path is absolute. */
const PATH = /^(?!\.{1,2}(\/|$))[A-Za-z0-9_.-]+(\/(?!\.{1,2}(\/|$))[A-Za-z0-9_.-]+)*$/;

export interface EntryHead {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
  /** In seconds. */
  readonly modifiedAt: number;
}

export const paddingOf = (size: number): number => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** Splits a long path between two of its parts, as the format requires. */
function splitPath(path: string): [name: string, prefix: string] {
  if (path.length <= NAME_BYTES) return [path, ''];
  const at = path.indexOf('/', path.length - NAME_BYTES - 1);
  if (at < 0 || at > PREFIX_BYTES) throw new ArchiveError(`the path ${path} is too long for an archive`);
  return [path.slice(at + 1), path.slice(0, at)];
}

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/** A header of the POSIX format ustar, with only the owner's permissions. */
export function writeHead({ path, isFolder, size, modifiedAt }: EntryHead): Buffer {
  if (!PATH.test(path)) throw new ArchiveError(`${JSON.stringify(path)} is not a valid path in an archive`);
  if (size >= SIZE_LIMIT) throw new ArchiveError(`${path} is too large for an archive`);
  const [name, prefix] = splitPath(isFolder ? `${path}/` : path);
  const head = Buffer.alloc(BLOCK_BYTES);
  head.write(name, 0);
  head.write(octal(isFolder ? 0o700 : 0o600, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(size, 11), 124);
  head.write(octal(modifiedAt, 11), 136);
  head.write(' '.repeat(8), 148);
  head.write(isFolder ? '5' : '0', 156);
  head.write('ustar\x0000', 257);
  head.write(prefix, 345);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

const textAt = (head: Buffer, start: number, length: number): string =>
  head.toString('latin1', start, start + length).replace(/\0.*$/s, '');

const numberAt = (head: Buffer, start: number, length: number): number =>
  Number.parseInt(textAt(head, start, length) || 'x', 8);

/** Accepts exactly what `writeHead` writes, so that no changed bit goes unnoticed. */
export function readHead(head: Buffer): EntryHead {
  const prefix = textAt(head, 345, PREFIX_BYTES);
  const name = textAt(head, 0, NAME_BYTES);
  const isFolder = name.endsWith('/');
  const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/\/$/, '');
  const entry = { path, isFolder, size: numberAt(head, 124, 12), modifiedAt: numberAt(head, 136, 12) };
  try {
    if (writeHead(entry).equals(head)) return entry;
  } catch {
    // The writer writes no such path or size.
  }
  throw new ArchiveError('it is damaged, or not an archive of Foreword');
}
