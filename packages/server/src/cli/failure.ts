/** It cannot be done; the message says why and what to do. Nothing was changed. */
export class Failure extends Error {}

/** The command line itself does not fit. */
export class UsageError extends Error {}
