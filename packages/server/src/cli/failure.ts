/** The command failed and changed nothing. The message says why and what to do. */
export class Failure extends Error {}

/** The command line is invalid. */
export class UsageError extends Error {}
