import net from 'node:net';
import type { Reply } from '../harness/index.ts';

const TIMEOUT_MS = 3_000;

/** Parses all responses that a connection received. A truncated response has no body. */
function readReplies(received: Buffer): Reply[] {
  const replies: Reply[] = [];
  for (let rest = received; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest
      .subarray(0, end < 0 ? rest.length : end)
      .toString('latin1')
      .split('\r\n');
    // A header may not have arrived completely.
    const complete = lines.filter((line) => line.includes(':'));
    const headers = new Headers(
      complete.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^[^:]*:\s*/, '')]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    const start = end < 0 ? rest.length : end + 4;
    let body: unknown;
    try {
      body = JSON.parse(rest.subarray(start, start + length).toString());
    } catch {
      body = undefined;
    }
    replies.push({ status: Number(first.split(' ')[1]), headers, body });
    rest = headers.has('content-length') ? rest.subarray(start + length) : Buffer.alloc(0);
  }
  return replies;
}

export interface Exchange {
  /** Half-closes the connection after sending. */
  end?: boolean;
  timeoutMs?: number;
}

/** Sends raw bytes, and returns every response until the server closes the connection or stops responding. */
export function exchange(url: string, text: string | Buffer, options: Exchange = {}): Promise<Reply[]> {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(readReplies(Buffer.concat(chunks)));
    };
    const timer = setTimeout(finish, options.timeoutMs ?? TIMEOUT_MS);
    socket.on('connect', () => {
      socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
      if (options.end === true) socket.end();
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk as Buffer);
      const complete = readReplies(Buffer.concat(chunks)).every(({ body }) => body !== undefined);
      if (complete && options.end !== true) setTimeout(finish, SETTLE_MS);
    });
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

// A second response to the same bytes would follow at once.
const SETTLE_MS = 100;
