/** The archive cannot be written or read. The message completes "… FILE: ". */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
