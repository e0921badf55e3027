import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../../access/index.ts';
import { type Clock, monotonicMs } from '../../../platform/clock.ts';
import { type Connection, type Database, openDatabase } from '../../../platform/db.ts';
import type { Logger } from '../../../platform/log.ts';
import { every } from '../../../platform/schedule.ts';
import type { RequestLogRow, Tables } from '../../../tables.ts';
import { maskBody, maskQuery, maskText } from './masking.ts';
import {
  Budget,
  cut,
  KEPT_ANSWER,
  KEPT_BODY,
  KEPT_PATH,
  MOST_WAITING,
  MOST_WAITING_BYTES,
  READ_BODY,
  WRITE_EVERY_MS,
} from './rules.ts';
import { type Gap, writeLog } from './writing.ts';

const API = '/v1/';
const HOUR_MS = 3_600_000;
/** How many are masked before requests get a turn: one takes some 10 µs, and one thread does both. */
const MADE_AT_ONCE = 16;
/** How the objects of the API begin when they are written. */
const WRITTEN_ID = /^\{"id":"([a-z]+_[0-9a-z]{26})"/;
const ANY_ID = /^[a-z]{2,4}_[0-9a-z]{26}$/;

/** A request as it is remembered until it is written; masking and cutting come then. */
interface Seen {
  readonly caller: Caller;
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly code: string | null;
  readonly durationMs: number;
  readonly body: Buffer | null;
  readonly bodyBytes: number;
  readonly answer: string | null;
  readonly objectId: string | null;
  readonly at: Date;
}

/** A large body is let go of; what a number or a secret needs to be known by reaches a little beyond what is kept. */
const beginningOf = (body: Buffer): Buffer =>
  body.length <= READ_BODY ? body : Buffer.from(body.subarray(0, READ_BODY));

/** A number in a path may come as %2B1…; what cannot be read stays as it was sent. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function objectIdOf(request: FastifyRequest): string | null {
  const { answer, code } = request.state;
  const { id } = request.params as { id?: string };
  if (code === undefined) {
    const answered =
      typeof answer === 'string' ? WRITTEN_ID.exec(answer)?.[1] : (answer as { id?: unknown } | undefined)?.id;
    if (typeof answered === 'string') return answered;
  }
  return id !== undefined && ANY_ID.test(id) ? id : null;
}

function toRow(seen: Seen): RequestLogRow {
  const { caller, url, body } = seen;
  const [path = '', ...queries] = url.split('?');
  const query = queries.join('?');
  return {
    organization_id: caller.organizationId,
    environment: caller.environment,
    id: seen.id,
    key_id: caller.keyId,
    method: seen.method,
    path: cut(maskText(readable(path)), KEPT_PATH),
    query: query === '' ? null : cut(maskQuery(query), KEPT_PATH),
    status: seen.status,
    error_code: seen.code,
    duration_ms: Math.round(seen.durationMs * 100) / 100,
    body: body === null ? null : cut(maskBody(body.toString('utf8')), KEPT_BODY),
    body_bytes: seen.bodyBytes,
    answer: seen.answer === null ? null : cut(maskBody(seen.answer), KEPT_ANSWER),
    object_id: seen.objectId,
    created_at: seen.at,
  };
}

/** Of one key, and so of one organization and environment. */
interface LeftOut {
  readonly caller: Caller;
  requests: number;
}

export interface RequestLog {
  /** Every request of the API from now on. */
  watch(app: FastifyInstance): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

/**
 * What is asked under /v1, for the people who connect to it. A request costs a few assignments on its way; everything else
 * is done later, on a connection that accepting does not need.
 */
class Collector implements RequestLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #db: Database<Tables>;
  readonly #budget = new Budget();
  readonly #writing: { stop(): Promise<void> };
  #waiting: Seen[] = [];
  #waitingBytes = 0;
  /** Since the last writing: under full load nearly all are, and counting one has to cost next to nothing. */
  #leftOut = new Map<string, LeftOut>();
  #gaps = new Map<string, Gap>();

  constructor({ connection, clock, log }: { connection: Connection; clock: Clock; log: Logger }) {
    this.#clock = clock;
    this.#log = log;
    this.#db = openDatabase<Tables>(connection, {
      max: 1,
      lazyCommits: true,
      name: 'foreword request log',
      onError: (err) => log.warn({ err }, 'database connection of the request log lost'),
    });
    this.#writing = every(WRITE_EVERY_MS, 'write the request log', log, () => this.#write());
  }

  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const { caller } = request.state;
      if (caller !== undefined && request.url.startsWith(API)) this.#note(request, reply, caller as Caller);
      done();
    });
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#write().catch((err: unknown) => this.#log.warn({ err }, 'the end of the request log was not written'));
    await this.#db.close();
  }

  #note(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    const { state, body } = request;
    const nowMs = monotonicMs();
    const bytes = Buffer.isBuffer(body) ? body : null;
    const isText = bytes !== null && bytes.length > 0 && !state.mediaType?.startsWith('video/');
    const kept = isText ? beginningOf(bytes) : null;
    const size = kept?.length ?? 0;
    const hasRoom = this.#waiting.length < MOST_WAITING && this.#waitingBytes + size <= MOST_WAITING_BYTES;
    const failed = state.code !== undefined;
    if (!this.#budget.admits(caller.organizationId, failed, nowMs) || !hasRoom) {
      const left = this.#leftOut.get(caller.keyId);
      if (left === undefined) this.#leftOut.set(caller.keyId, { caller, requests: 1 });
      else left.requests += 1;
      return;
    }
    this.#waitingBytes += size;
    this.#waiting.push({
      caller,
      id: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      code: state.code ?? null,
      durationMs: nowMs - state.startedMs,
      body: kept,
      bodyBytes: bytes?.length ?? 0,
      answer: failed && typeof state.answer === 'string' ? state.answer : null,
      objectId: objectIdOf(request),
      at: this.#clock(),
    });
  }

  #countGap({ organizationId, environment }: Caller, at: Date, requests: number): void {
    const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
    const name = `${organizationId} ${environment} ${hour.getTime()}`;
    const before = this.#gaps.get(name)?.requests ?? 0;
    this.#gaps.set(name, { organization_id: organizationId, environment, hour, requests: before + requests });
  }

  async #write(): Promise<void> {
    const now = this.#clock();
    for (const { caller, requests } of this.#leftOut.values()) this.#countGap(caller, now, requests);
    this.#leftOut.clear();
    if (this.#waiting.length === 0 && this.#gaps.size === 0) return;
    const [waiting, gaps] = [this.#waiting, this.#gaps];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#gaps = new Map();
    try {
      const rows: RequestLogRow[] = [];
      for (const seen of waiting) {
        if (rows.length % MADE_AT_ONCE === MADE_AT_ONCE - 1) await nextTurn();
        rows.push(toRow(seen));
      }
      await writeLog(this.#db.pool, rows, [...gaps.values()]);
    } catch (error) {
      // What cannot be written now is left out, and counted as that: it must not pile up.
      for (const { caller, at } of waiting) this.#countGap(caller, at, 1);
      for (const { organization_id: organizationId, environment, hour, requests } of gaps.values()) {
        this.#countGap({ organizationId, environment, keyId: '' }, hour, requests);
      }
      throw error;
    }
  }
}

export const createRequestLog = (deps: { connection: Connection; clock: Clock; log: Logger }): RequestLog =>
  new Collector(deps);
