import pino, { type Logger } from 'pino';

export type { Logger };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Lines on stdout. Only what is named goes in: no bodies, no headers; the redaction is a second net, not the first. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', 'phone', 'email', '*.authorization', '*.phone', '*.email'],
        censor: '[redacted]',
      },
      serializers: { err: describeFault },
    },
    pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 }),
  );
}

/**
 * Of a database error only what names the fault: `detail` and `where` quote the values of the row, and values are people's.
 */
function describeFault(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}
