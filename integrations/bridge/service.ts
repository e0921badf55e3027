import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from './log.ts';
import { RequestError } from './recipe.ts';
import { SettingsError } from './settings.ts';

const EXIT_CONFIG = 78;
/** Container platforms and systemd allow at least ten seconds between SIGTERM and SIGKILL. */
const STOP_LIMIT_MS = 9_000;

/** Throws a `RequestError` with 413 for a body of more bytes than `limit`. */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) throw new RequestError(413, `the body is larger than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reports a setting that is missing or wrong in one line. */
export function runService(start: () => void): void {
  try {
    start();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = EXIT_CONFIG;
  }
}

/** Listens until a signal stops the process. */
export function serve(server: Server, { host, port }: { host: string; port: number }, log: Log): void {
  // A client that sends its request byte by byte does not occupy a connection for long.
  server.requestTimeout = 30_000;
  server.headersTimeout = 10_000;
  server.on('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`cannot listen on ${host}:${port}: ${error.code}\n`);
    process.exit(1);
  });
  server.listen(port, host, () => {
    const { address, port: chosen } = server.address() as AddressInfo;
    log.info('listening', { address, port: chosen });
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // Answers the requests in flight. Their senders repeat unanswered ones.
      setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });
  }
}
