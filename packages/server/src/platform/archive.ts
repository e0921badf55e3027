/** Writes and reads tar archives, byte for byte. */

export { ArchiveError } from './archive/error.ts';
export { ARCHIVE_END, BLOCK_BYTES, paddingOf, writeHead } from './archive/header.ts';
export { ArchiveReader, type Entry } from './archive/reader.ts';
export { ArchiveWriter, type WrittenFile } from './archive/writer.ts';
