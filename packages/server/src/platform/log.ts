import pino, { type Logger } from 'pino';

export type { Logger };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface RequestLog {
  /** One line. The caller names each field, so nothing has to be redacted. */
  write(fields: Record<string, string | number | undefined>): void;
}

/** The log, and beside it the one for request lines, which are so many that they get a way of their own. */
export type Logs = Logger & {
  readonly requests: RequestLog;
  /** Calls back once everything is written. */
  finish(done: () => void): void;
};

// Lines are gathered to 32 KiB or a fifth of a second: a write for each costs more than making the line.
const GATHER_BYTES = 32_768;
const GATHER_MS = 200;

/**
 * The same form as the log's own lines. They are put together here and handed over in blocks: the destination measures all
 * that it holds for each piece it is given, which for lines of this size costs more than everything else about them.
 */
function gatherRequestLines(destination: { write(text: string): unknown }): RequestLog & { handOver(): void } {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let timeMs = 0;
  let time = '';
  const handOver = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  return {
    write(fields) {
      const now = new Date();
      // Many requests end in the same millisecond.
      if (now.getTime() !== timeMs) {
        timeMs = now.getTime();
        time = now.toISOString();
      }
      lines += `{"level":"info","time":"${time}",${JSON.stringify(fields).slice(1)}\n`;
      if (lines.length >= GATHER_BYTES) handOver();
      else timer ??= setTimeout(handOver, GATHER_MS).unref();
    },
    handOver,
  };
}

/** Lines on stdout. Only what is named goes in: no bodies, no headers; the redaction is a second net, not the first. */
export function createLogger(level: LogLevel): Logs {
  // Before the destination listens for the end of the process: what is handed over then still gets out.
  process.once('exit', () => gathered.handOver());
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: GATHER_BYTES,
    maxWrite: 2 * GATHER_BYTES,
    periodicFlush: GATHER_MS,
  });
  const gathered = gatherRequestLines(destination);
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
    requests: log.isLevelEnabled('info') ? gathered : { write: () => undefined },
    finish(done: () => void) {
      gathered.handOver();
      log.flush(done);
    },
  });
}

/**
 * Of a database error only what names the fault: `detail` and `where` quote the values of the row, and values are people's.
 */
function describeFault(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}
