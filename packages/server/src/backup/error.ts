/** The backup cannot be made, read or restored. The message completes a sentence that names the file or the folder. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
