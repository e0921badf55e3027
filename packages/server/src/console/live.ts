import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { ERRORS } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { type Listener, listen } from '../db/listener.ts';
import { ApiError } from '../platform/errors.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ConsoleUser } from './sessions/service.ts';
import { findLiveSessions } from './sessions/store.ts';

/** NOTIFY payloads: the organization's id, a space and a topic, or `sessions` when some ended. */
const CHANNEL = 'foreword_console';
const TOPICS = ['intros', 'touchpoints', 'members', 'webhooks', 'organization'] as const;
type Topic = (typeof TOPICS)[number];
/** After these, a session may have ended: it was signed out, or its member was deactivated. */
const ENDINGS: readonly (string | undefined)[] = ['sessions', 'members'];

/** Limits how often an open console reloads when much changes at once. */
const MIN_INTERVAL_MS = 500;
/** Proxies close connections that are silent for 30 seconds. */
const HEARTBEAT_MS = 20_000;
/** Sessions also expire, which sends no notification. */
const RECHECK_MS = 30_000;
/** Tabs of one browser. A higher number is a reload loop. */
const MAX_STREAMS_PER_SESSION = 20;
const MAX_UNREAD_BYTES = 16 * 1024;
/** A client that reads nothing would delay a shutdown. */
const CUT_OFF_MS = 1_000;
const FULL_RETRY_S = 30;
const STOPPING_RETRY_S = 1;

/** One open console. An event only names the topic that changed; the console then loads what it needs. */
class Stream {
  readonly user: ConsoleUser;
  readonly out = new PassThrough();
  readonly #response: ServerResponse;
  readonly #pending = new Set<Topic>();
  #pause: NodeJS.Timeout | undefined;

  constructor(user: ConsoleUser, response: ServerResponse) {
    this.user = user;
    this.#response = response;
    // Makes the browser report the stream as open immediately.
    this.out.write(': open\n\n');
  }

  publish(topic: Topic): void {
    this.#pending.add(topic);
    if (this.#pause === undefined) this.#send();
  }

  #send(): void {
    for (const topic of this.#pending) this.#write(`data: ${JSON.stringify({ topic })}\n\n`);
    const hadAny = this.#pending.size > 0;
    this.#pending.clear();
    this.#pause = hadAny ? setTimeout(() => this.#send(), MIN_INTERVAL_MS) : undefined;
  }

  heartbeat(): void {
    this.#write(': still here\n\n');
  }

  #write(text: string): void {
    if (this.out.writableLength > MAX_UNREAD_BYTES) this.end();
    else if (this.out.writable) this.out.write(text);
  }

  end(): void {
    clearTimeout(this.#pause);
    if (!this.out.writable) return;
    this.out.end();
    const cutOff = setTimeout(() => this.#response.destroy(), CUT_OFF_MS);
    this.#response.once('close', () => clearTimeout(cutOff));
  }
}

class Streams {
  readonly #deps: Pick<ConsoleDeps, 'db' | 'direct' | 'log'>;
  readonly #open = new Map<string, Set<Stream>>();
  /** Checks in progress, by organization. */
  readonly #rechecks = new Map<string, { isAgain: boolean }>();
  #listener: Listener | undefined;
  #timers: NodeJS.Timeout[] = [];
  #closed = false;

  constructor(deps: Pick<ConsoleDeps, 'db' | 'direct' | 'log'>) {
    this.#deps = deps;
  }

  *#all(): Generator<Stream> {
    for (const streams of this.#open.values()) yield* streams;
  }

  add(user: ConsoleUser, response: ServerResponse): Stream {
    if (this.#closed) {
      const options = { retryAfterS: STOPPING_RETRY_S };
      throw new ApiError('service_unavailable', ERRORS.service_unavailable.example, options);
    }
    const { organizationId } = user.tenant;
    const own = this.#open.get(organizationId) ?? new Set();
    const ofSession = [...own].filter((stream) => stream.user.sessionId === user.sessionId);
    if (ofSession.length >= MAX_STREAMS_PER_SESSION) {
      throw new ApiError('rate_limited', 'The console is open in too many tabs. Close some of them.', {
        retryAfterS: FULL_RETRY_S,
      });
    }
    const stream = new Stream(user, response);
    this.#open.set(organizationId, own.add(stream));
    stream.out.once('close', () => {
      stream.end();
      own.delete(stream);
      if (own.size === 0 && this.#open.get(organizationId) === own) this.#open.delete(organizationId);
    });
    response.once('close', () => stream.out.destroy());
    // A client that disconnected before the listener was added emits no further `close`.
    if (response.destroyed) setImmediate(() => stream.out.destroy());
    this.#start();
    return stream;
  }

  /** Starts with the first open console: a node without one does not listen. */
  #start(): void {
    if (this.#listener !== undefined) return;
    this.#listener = listen({
      connection: this.#deps.direct,
      channel: CHANNEL,
      onNotification: (payload) => this.#publish(payload),
      onGap: () => {
        for (const stream of this.#all()) for (const topic of TOPICS) stream.publish(topic);
        this.#recheckAll();
      },
    });
    this.#timers = [
      setInterval(() => {
        for (const stream of this.#all()) stream.heartbeat();
      }, HEARTBEAT_MS),
      setInterval(() => this.#recheckAll(), RECHECK_MS),
    ];
  }

  #publish(payload: string): void {
    const [organizationId = '', name] = payload.split(' ');
    const topic = TOPICS.find((one) => one === name);
    if (topic !== undefined) for (const stream of this.#open.get(organizationId) ?? []) stream.publish(topic);
    if (ENDINGS.includes(name)) void this.#recheck(organizationId);
  }

  #recheckAll(): void {
    for (const organizationId of this.#open.keys()) void this.#recheck(organizationId);
  }

  /** Ends the streams of ended sessions. A notification during a check causes one more. */
  async #recheck(organizationId: string): Promise<void> {
    const known = this.#rechecks.get(organizationId);
    if (known !== undefined) {
      known.isAgain = true;
      return;
    }
    const check = { isAgain: true };
    this.#rechecks.set(organizationId, check);
    try {
      while (check.isAgain) {
        check.isAgain = false;
        await this.#endRevoked(organizationId);
      }
    } catch (err) {
      this.#deps.log.warn({ err }, 'could not check whether open consoles are still signed in');
    } finally {
      this.#rechecks.delete(organizationId);
    }
  }

  async #endRevoked(organizationId: string): Promise<void> {
    const streams = [...(this.#open.get(organizationId) ?? [])];
    const [first] = streams;
    if (first === undefined) return;
    const sessions = [...new Set(streams.map(({ user }) => user.sessionId))];
    const live = await findLiveSessions(this.#deps.db.kysely, first.user.tenant, sessions);
    for (const stream of streams) if (!live.has(stream.user.sessionId)) stream.end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of [...this.#all()]) stream.end();
    await this.#listener?.close();
  }
}

/** Notifies open consoles of changes through Server-Sent Events. */
export function registerLive(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const streams = new Streams(deps);
  app.addHook('preClose', () => streams.close());
  // No HEAD route: it would keep a stream open whose body is never read.
  const options = { config: { operation: 'console live' }, exposeHeadRoute: false };
  app.get('/console/api/live', options, async (request, reply) => {
    const stream = streams.add(await access.admit(request, 'member'), reply.raw);
    keepPrivate(reply).type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    return reply.send(stream.out);
  });
}
