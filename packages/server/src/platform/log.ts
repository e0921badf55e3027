import pino, { type Logger } from 'pino';

export type { Logger };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The log, and beside it the one for request lines: each of its fields is named in one place, so it pays for no redaction. */
export type Logs = Logger & { readonly requests: Logger };

// Lines are gathered to 32 KiB or a fifth of a second: a write for each costs more than making the line.
const GATHER_BYTES = 32_768;
const GATHER_MS = 200;

/** Lines on stdout. Only what is named goes in: no bodies, no headers; the redaction is a second net, not the first. */
export function createLogger(level: LogLevel): Logs {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: GATHER_BYTES,
    maxWrite: 2 * GATHER_BYTES,
    periodicFlush: GATHER_MS,
  });
  const shared = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const secret = ['authorization', 'phone', 'email'];
  const log = pino(
    {
      ...shared,
      redact: { paths: [...secret, ...secret.map((name) => `*.${name}`)], censor: '[redacted]' },
      serializers: { err: describeFault },
    },
    destination,
  );
  return Object.assign(log, { requests: pino(shared, destination) });
}

/**
 * Of a database error only what names the fault: `detail` and `where` quote the values of the row, and values are people's.
 */
function describeFault(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}
