/** Why the embedded database cannot be used, in one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The folder itself cannot be used: bad configuration, not a busy or broken database. */
export class DataDirError extends EmbeddedPostgresError {}
