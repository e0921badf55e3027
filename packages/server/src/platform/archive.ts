export { ArchiveError } from './archive/error.ts';
export { ArchiveReader, type Entry } from './archive/reader.ts';
export { ArchiveWriter, type WrittenFile } from './archive/writer.ts';
