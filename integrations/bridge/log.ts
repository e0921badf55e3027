type Level = 'info' | 'warn' | 'error';

/** Fields of a log line: ids, slugs, codes and statuses. Never names, numbers, URLs with secrets, or bodies. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** One JSON object a line on stdout, as container platforms and journald read it. */
export function createLog(recipe: string): Log {
  const write =
    (level: Level) =>
    (message: string, fields: LogFields = {}) => {
      process.stdout.write(
        `${JSON.stringify({ time: new Date().toISOString(), level, recipe, message, ...fields })}\n`,
      );
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
