/** Why the embedded database cannot be used, in one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
