/** The embedded database cannot be used. The message is one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The folder cannot be used: wrong configuration rather than a busy or broken database. */
export class DataDirError extends EmbeddedPostgresError {}
