import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './figures.ts';

/** About 400 bytes, typical of a CRM. */
export const EVENT_BODY = JSON.stringify({
  touchpoint: 'new_appointment',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
  context: { appointment: { starts_at: '2030-03-12T14:30:00', timezone: 'America/Chicago' }, trade: 'roofing' },
  metadata: { branch: 'north', campaign: 'spring_2026' },
});
export const EVENTS_PATH = '/v1/touchpoint-events';

export interface LoadReport {
  /** Each of them was answered. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Responses with status 400 and above. */
  readonly failures: number;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Without it, each connection sends the next request when the response arrives. */
  readonly perSecond?: number;
  /** Otherwise, a response with status 400 or above ends the bench. */
  readonly mayFail?: boolean;
}

/** A keep-alive connection with one request at a time. Node's own client takes as long as the service that it measures. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #settle: { resolve(status: number): void; reject(error: Error): void } | null = null;

  constructor({ hostname, port }: URL) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#receive(text));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('the connection was closed')));
  }

  send(request: string): Promise<number> {
    this.#socket.write(request);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, end)) ?? [];
    if (length === undefined) {
      this.#settle?.reject(new Error(`a response without a length: ${this.#received.slice(0, end)}`));
    } else if (this.#received.length >= end + 4 + Number(length)) {
      const status = Number(this.#received.slice(9, 12));
      this.#received = '';
      this.#settle?.resolve(status);
    }
  }

  close(): void {
    this.#settle = null;
    this.#socket.destroy();
  }
}

/** Sends the requests that `next` writes, until the time is over and the last response has arrived. */
async function send(
  { url, connections, seconds, perSecond, mayFail = false }: Load,
  next: () => string,
): Promise<LoadReport> {
  const took: number[] = [];
  let failures = 0;
  const started = performance.now();
  const end = started + seconds * 1_000;
  let due = started;
  const work = async (connection: Connection): Promise<void> => {
    while (performance.now() < end) {
      if (perSecond !== undefined) {
        // All connections share one schedule, so late responses do not lower the rate.
        const waitMs = due - performance.now();
        due += 1_000 / perSecond;
        if (performance.now() + waitMs > end) return;
        if (waitMs > 0) await sleep(waitMs);
      }
      const sentAt = performance.now();
      const status = await connection.send(next());
      took.push(performance.now() - sentAt);
      if (status >= 400) failures += 1;
    }
  };
  const open = Array.from({ length: connections }, () => new Connection(new URL(url)));
  await Promise.all(open.map(work));
  for (const connection of open) connection.close();
  if (failures > 0 && !mayFail) throw new Error(`${failures} of ${took.length} requests failed`);
  const of = (share: number) => quantile(took, share);
  return {
    ...{ requests: took.length, seconds: (performance.now() - started) / 1_000, failures },
    ...{ p50Ms: of(0.5), p95Ms: of(0.95), p99Ms: of(0.99) },
  };
}

let sent = 0;

/** Sends events, each with a new idempotency key. `members`: that many, from rep_10 on, take turns. */
export function postEvents(load: Load & { key: string; members?: number }): Promise<LoadReport> {
  const head = `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${load.key}\r\nContent-Type: application/json\r\nContent-Length: ${EVENT_BODY.length}\r\nIdempotency-Key: acme_crm:`;
  const run = Math.trunc(performance.timeOrigin + performance.now()).toString(36);
  const bodies = Array.from({ length: load.members ?? 0 }, (_, n) => EVENT_BODY.replace('rep_17', `rep_${10 + n}`));
  return send(load, () => {
    sent += 1;
    // An odd multiplier visits every 32-bit number once: keys are unique and in no order, like those of real callers.
    const scattered = ((sent * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0');
    return `${head}${run}-${scattered}:new_appointment\r\n\r\n${bodies[sent % bodies.length] ?? EVENT_BODY}`;
  });
}

/** Cycles through the paths. `header` is how the caller signs in. */
export function readPaths(load: Load, header: string, paths: readonly string[]): Promise<LoadReport> {
  let n = 0;
  return send(load, () => `GET ${paths[n++ % paths.length]} HTTP/1.1\r\nHost: bench\r\n${header}\r\n\r\n`);
}
