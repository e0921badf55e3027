import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { ERRORS } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.ts';
import { type Listener, listen } from '../platform/listener.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ConsoleUser } from './sessions/service.ts';
import { findSessionOf } from './sessions/store.ts';

/** Where the database tells what changed: the organization, a space, and a topic. */
const CHANNEL = 'foreword_console';
const TOPICS = ['intros', 'touchpoints', 'members', 'webhooks', 'organization'] as const;
type Topic = (typeof TOPICS)[number];

/** However much happens, an open console asks again once a second at most. */
const PACE_MS = 1_000;
/** Proxies close what is silent for half a minute. */
const HEARTBEAT_MS = 20_000;
/** Who was signed out hears nothing more after this. */
const LOOK_AGAIN_MS = 30_000;
/** Tabs of one browser; more are a loop. */
const MOST_OF_SESSION = 20;
const MOST_UNREAD_BYTES = 16 * 1024;
/** Who reads nothing does not read the end either, and would hold up a stop. */
const CUT_OFF_MS = 1_000;
const FULL_RETRY_S = 30;
const STOPPING_RETRY_S = 1;

/** One open console: it is told that something changed, and asks what by itself. */
class Stream {
  readonly user: ConsoleUser;
  readonly out = new PassThrough();
  readonly #response: ServerResponse;
  readonly #waiting = new Set<Topic>();
  #pause: NodeJS.Timeout | undefined;

  constructor(user: ConsoleUser, response: ServerResponse) {
    this.user = user;
    this.#response = response;
    // So that the browser sees at once that it is open.
    this.out.write(': open\n\n');
  }

  tell(topic: Topic): void {
    this.#waiting.add(topic);
    if (this.#pause === undefined) this.#send();
  }

  #send(): void {
    for (const topic of this.#waiting) this.#write(`data: ${JSON.stringify({ topic })}\n\n`);
    const hadAny = this.#waiting.size > 0;
    this.#waiting.clear();
    this.#pause = hadAny ? setTimeout(() => this.#send(), PACE_MS) : undefined;
  }

  beat(): void {
    this.#write(': still here\n\n');
  }

  #write(text: string): void {
    if (this.out.writableLength > MOST_UNREAD_BYTES) this.end();
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
  readonly #deps: Pick<ConsoleDeps, 'db' | 'connection' | 'log'>;
  readonly #open = new Map<string, Set<Stream>>();
  #listener: Listener | undefined;
  #timers: NodeJS.Timeout[] = [];
  #closed = false;

  constructor(deps: Pick<ConsoleDeps, 'db' | 'connection' | 'log'>) {
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
    if (ofSession.length >= MOST_OF_SESSION) {
      throw new ApiError('rate_limited', 'Too many windows of the console are open. Close some.', {
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
    // Who left while they were let in is not heard leaving any more.
    if (response.destroyed) setImmediate(() => stream.out.destroy());
    this.#begin();
    return stream;
  }

  /** With the first console that is opened: a node that nobody looks at listens to nothing. */
  #begin(): void {
    if (this.#listener !== undefined) return;
    this.#listener = listen({
      connection: this.#deps.connection,
      channel: CHANNEL,
      onNotification: (payload) => this.#hear(payload),
      onGap: () => {
        for (const stream of this.#all()) for (const topic of TOPICS) stream.tell(topic);
      },
    });
    this.#timers = [
      setInterval(() => {
        for (const stream of this.#all()) stream.beat();
      }, HEARTBEAT_MS),
      setInterval(() => void this.#lookAgain(), LOOK_AGAIN_MS),
    ];
  }

  #hear(payload: string): void {
    const [organizationId = '', word] = payload.split(' ');
    const topic = TOPICS.find((one) => one === word);
    if (topic === undefined) return;
    for (const stream of this.#open.get(organizationId) ?? []) stream.tell(topic);
  }

  async #lookAgain(): Promise<void> {
    const { db, log } = this.#deps;
    const bySession = Map.groupBy(this.#all(), ({ user }) => user.sessionId);
    for (const [sessionId, streams] of bySession) {
      const [{ user } = { user: undefined }] = streams;
      try {
        if (user !== undefined && (await findSessionOf(db.kysely, user.tenant, sessionId)) !== null) continue;
        for (const stream of streams) stream.end();
      } catch (err) {
        log.warn({ err }, 'whether an open console is still signed in could not be looked up');
        return;
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of [...this.#all()]) stream.end();
    await this.#listener?.close();
  }
}

/** Tells open consoles what has changed, by Server-Sent Events. */
export function registerLive(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const streams = new Streams(deps);
  app.addHook('preClose', () => streams.close());
  // Not by HEAD: a stream whose body nobody reads would stay open for ever.
  const options = { config: { operation: 'console live' }, exposeHeadRoute: false };
  app.get('/console/api/live', options, async (request, reply) => {
    const stream = streams.add(await access.admit(request, 'member'), reply.raw);
    keepPrivate(reply).type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    return reply.send(stream.out);
  });
}
