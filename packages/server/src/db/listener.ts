import pg from 'pg';
import type { Logger } from '../platform/log.ts';
import { every, type Repetition } from '../platform/schedule.ts';
import { type Connection, createClientClass } from './client.ts';
import type { Hints } from './hints.ts';

const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 900;
const RECONNECT_MS = 250;

interface ListenerOptions {
  connection: Connection;
  channel: string;
  onNotification(payload: string): void;
  /** Called whenever notifications may have been missed. */
  onGap(): void;
}

const Client = createClientClass({ silenceLimitMs: HEARTBEAT_TIMEOUT_MS });

/** A dedicated connection for LISTEN, with a heartbeat that detects a silent disconnect within two seconds. */
export function listen(options: ListenerOptions) {
  let client: pg.Client | undefined;
  let connected = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const later = (work: () => Promise<void>, ms: number) => {
    if (!closed) timer = setTimeout(() => void work(), ms);
  };

  const drop = () => {
    if (connected) options.onGap();
    connected = false;
    const old = client;
    client = undefined;
    old?.end().catch(() => undefined);
  };

  const lose = (lost: pg.Client | undefined) => {
    if (lost === undefined || lost !== client) return;
    clearTimeout(timer);
    drop();
    later(connect, RECONNECT_MS);
  };

  async function connect(): Promise<void> {
    const fresh = new Client({
      ...options.connection,
      application_name: 'foreword listener',
      connectionTimeoutMillis: HEARTBEAT_TIMEOUT_MS,
    });
    fresh.on('error', () => lose(fresh));
    fresh.on('notification', ({ payload }) => options.onNotification(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(options.channel)}`);
    } catch {
      fresh.end().catch(() => undefined);
      return later(connect, RECONNECT_MS);
    }
    client = fresh;
    connected = !closed;
    options.onGap();
    later(beat, HEARTBEAT_MS);
  }

  async function beat(): Promise<void> {
    try {
      await client?.query('select 1');
      later(beat, HEARTBEAT_MS);
    } catch {
      lose(client);
    }
  }

  void connect();
  return {
    /** False while notifications may be lost; caches that rely on them must then expire quickly. */
    get connected(): boolean {
      return connected;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      drop();
    },
  };
}

export type Listener = ReturnType<typeof listen>;

export interface Hinted {
  readonly direct: Connection;
  readonly hints: Hints;
  readonly log: Pick<Logger, 'warn'>;
}

interface HintedWork {
  readonly channel: string;
  readonly ms: number;
  readonly name: string;
  work(): Promise<void>;
  /** Before the work is woken. */
  onWake?(): void;
}

/** Work that runs repeatedly, and at once for the hints of its channel: those of this process, and of other nodes. */
export function everyHint({ direct: connection, hints, log }: Hinted, given: HintedWork): Repetition {
  const { channel, ms, name, work, onWake } = given;
  const repetition = every(ms, name, log, work);
  const wake = () => {
    onWake?.();
    repetition.wake();
  };
  hints.on(channel, wake);
  const listener = listen({ connection, channel, onNotification: wake, onGap: wake });
  return {
    wake,
    async stop() {
      await listener.close();
      await repetition.stop();
    },
  };
}
