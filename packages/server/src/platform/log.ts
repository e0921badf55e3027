import pino, { type Logger } from 'pino';

export type { Logger };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The log, and a faster path for request lines, because there are so many. */
export type Logs = Logger & {
  readonly requests: Pick<ReturnType<typeof bufferRequestLines>, 'write'>;
  /** Calls back once everything is written. */
  finish(done: () => void): void;
};

// Lines are buffered up to 32 KiB or a fifth of a second: one write per line costs more than the line itself.
const BUFFER_BYTES = 32_768;
const BUFFER_MS = 200;

/**
 * Writes lines in pino's format, but in blocks: for each write, pino's destination measures everything it has buffered,
 * which costs more than the rest of a line this short.
 */
function bufferRequestLines(destination: { write(text: string): unknown }) {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let timeMs = 0;
  let time = '';
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  return {
    /** Writes one line. The caller picks each field, so nothing needs redaction. */
    write(fields: Record<string, string | number | undefined>): void {
      const now = new Date();
      // Many requests end in the same millisecond.
      if (now.getTime() !== timeMs) {
        timeMs = now.getTime();
        time = now.toISOString();
      }
      lines += `{"level":"info","time":"${time}",${JSON.stringify(fields).slice(1)}\n`;
      if (lines.length >= BUFFER_BYTES) flush();
      else timer ??= setTimeout(flush, BUFFER_MS).unref();
    },
    flush,
  };
}

/** Logs to stdout. Callers pass named fields, never bodies or headers; redaction is only a second safeguard. */
export function createLogger(level: LogLevel): Logs {
  // Registered before pino's own exit listener, so that it still writes these lines.
  process.once('exit', () => requests.flush());
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
    periodicFlush: BUFFER_MS,
  });
  const requests = bufferRequestLines(destination);
  const secret = ['authorization', 'phone', 'email'];
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: { paths: [...secret, ...secret.map((name) => `*.${name}`)], censor: '[redacted]' },
      serializers: { err: describeFault },
    },
    destination,
  );
  return Object.assign(log, {
    requests: log.isLevelEnabled('info') ? requests : { write: () => undefined },
    finish(done: () => void) {
      requests.flush();
      log.flush(done);
    },
  });
}

/** Leaves out `detail` and `where` of a database error: they quote values of the row, which are personal data. */
function describeFault(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}
