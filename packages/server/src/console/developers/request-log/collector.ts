import { setImmediate as nextTurn } from 'node:timers/promises';
import { HOUR_MS } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Connection, openDatabase } from '../../../db/pools.ts';
import { columnsOf, type Row, type Tables, type Tenant } from '../../../db/tenancy.ts';
import type { Caller } from '../../../http/access/index.ts';
import { redactLinks } from '../../../intros/links/index.ts';
import { type Clock, monotonicMs } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import { every } from '../../../platform/schedule.ts';
import {
  Budget,
  MAX_BODY,
  MAX_PATH,
  MAX_PENDING,
  MAX_PENDING_BYTES,
  MAX_RESPONSE,
  READ_BODY,
  truncate,
  WRITE_EVERY_MS,
} from './rules.ts';
import { type Gap, writeLog } from './store.ts';

const SHOWN_AT_END = 2;
const MASK = '•';
const REMOVED = '[removed]';

/** International numbers with any spacing, and North American numbers as people write them. */
const PHONE = /\+\d[\d\s().-]{6,20}\d|\(\d{3}\)\s?\d{3}[-.\s]?\d{4}|(?<!\d)\d{3}[-.\s]\d{3}[-.\s]\d{4}(?!\d)/g;
/** API keys, webhook secrets, authorization headers, and credentials in URLs. */
const SECRET =
  /whsec_[\w+/=-]+|fw_[a-z]+_(?:[a-z0-9]{1,8}_)?[0-9A-Za-z]{6,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]+|(?<=:\/\/)[^/\s@"']+(?=@)/gi;
/** Probably a phone number when it is a whole value, unless the field is an id. */
const BARE_PHONE = /^\s*\d(?:[\s().-]*\d){9,14}\s*$/;
const NAME_OF_ID = /(?:^|_)id$/i;
const NAME_OF_PHONE = /phone|mobile|cell|number|(?:^|_)(?:tel|fax|sms)(?:$|_)|whatsapp/i;
const NAME_OF_SECRET = /secret|passw|token|authorization|api_?key|credential/i;

/** Keeps the last two digits, so that users can tell their numbers apart. */
export function maskPhone(text: string): string {
  let left = text.replaceAll(/\D/g, '').length;
  return text.replaceAll(/\d/g, (digit) => (left-- > SHOWN_AT_END ? MASK : digit));
}

export const maskText = (text: string): string =>
  redactLinks(text).replaceAll(SECRET, REMOVED).replaceAll(PHONE, maskPhone);

function maskValue(name: string, value: string): string {
  if (NAME_OF_SECRET.test(name)) return REMOVED;
  const isPhone = NAME_OF_PHONE.test(name) || (!NAME_OF_ID.test(name) && BARE_PHONE.test(value));
  return isPhone ? maskPhone(value) : maskText(value);
}

/** Masks a JSON string literal, after unescaping it. */
function maskLiteral(name: string, inner: string): string {
  if (!inner.includes('\\')) return maskValue(name, inner);
  try {
    return JSON.stringify(maskValue(name, JSON.parse(`"${inner}"`) as string)).slice(1, -1);
  } catch {
    return maskValue(name, inner);
  }
}

// A string (complete or truncated) with the colon if it is a key, or a number. Matches in linear time.
const TOKEN = /"((?:[^"\\]|\\[\s\S]?)*)("?)(\s*:)?|(?<![\w.])\d{7,}(?![\w.])/g;

/** Masks a body and leaves the rest unchanged. Text that is not JSON has no field names, so more of it is masked. */
export function maskBody(text: string): string {
  if (!/^\s*[[{]/.test(text)) return maskText(text).replaceAll(/\d[\d\s().-]{5,20}\d/g, maskPhone);
  let name = '';
  return maskText(
    text.replaceAll(TOKEN, (token: string, inner: string | undefined, end: string, colon?: string) => {
      if (inner === undefined) return NAME_OF_PHONE.test(name) ? maskPhone(token) : token;
      if (colon === undefined) return `"${maskLiteral(name, inner)}${end}`;
      name = inner;
      return token;
    }),
  );
}

/** Decodes and masks a query string. */
export function maskQuery(query: string): string {
  return [...new URLSearchParams(query)].map(([name, value]) => `${name}=${maskValue(name, value)}`).join('&');
}

const API = '/v1/';
/** Rows masked before yielding to requests, which share the thread. One row takes about 10 µs. */
const ROWS_PER_TURN = 16;
/** Dry runs and consents lead to no intro or event by which an erasure could find what they contain. */
const WITHOUT_BODY = /^\/v1\/(dry_run|recipients\/)/;
/** The beginning of a serialized API object. */
const SERIALIZED_ID = /^\{"id":"([a-z]+_[0-9a-z]{26})"/;
const ANY_ID = /^[a-z]{2,4}_[0-9a-z]{26}$/;

/** A request in memory until the next write, which masks and truncates it. */
interface PendingRequest {
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

/** Releases the rest of a large body. Reads a little more than is stored, to recognize a number or secret at the end. */
const beginningOf = (body: Buffer): Buffer =>
  body.length <= READ_BODY ? body : Buffer.from(body.subarray(0, READ_BODY));

/** Decodes the path, so that a phone number (%2B1…) is recognized. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function objectIdOf(request: FastifyRequest): string | null {
  const { response, code } = request.state;
  const { id } = request.params as { id?: string };
  if (code === undefined) {
    const answered =
      typeof response === 'string' ? SERIALIZED_ID.exec(response)?.[1] : (response as { id?: unknown } | undefined)?.id;
    if (typeof answered === 'string') return answered;
  }
  return id !== undefined && ANY_ID.test(id) ? id : null;
}

function toRow(request: PendingRequest): Row<'request_log'> {
  const { caller, url, code } = request;
  const [path = '', ...queries] = url.split('?');
  const query = queries.join('?');
  // Rejected ones are found by the number.
  const body = code === null && WITHOUT_BODY.test(path) ? null : request.body;
  return {
    ...columnsOf(caller),
    id: request.id,
    key_id: caller.keyId,
    method: request.method,
    path: truncate(maskText(decodePath(path)), MAX_PATH),
    query: query === '' ? null : truncate(maskQuery(query), MAX_PATH),
    status: request.status,
    error_code: code,
    duration_ms: Math.round(request.durationMs * 100) / 100,
    body: body === null ? null : truncate(maskBody(body.toString('utf8')), MAX_BODY),
    body_bytes: request.bodyBytes,
    answer: request.answer === null ? null : truncate(maskBody(request.answer), MAX_RESPONSE),
    object_id: request.objectId,
    created_at: request.at,
  };
}

/**
 * Logs API requests for developers. The request itself pays for a few assignments; masking and writing happen later, on a
 * separate database connection.
 */
export function createRequestLog({ connection, clock, log }: { connection: Connection; clock: Clock; log: Logger }) {
  const db = openDatabase<Tables>(connection, {
    use: 'background',
    max: 1,
    lazyCommits: true,
    name: 'foreword request log',
    onError: (err) => log.warn({ err }, 'database connection of the request log lost'),
  });
  const budget = new Budget();
  let pending: PendingRequest[] = [];
  let pendingBytes = 0;
  /** By key, since the last write. Under full load this is nearly every request, so counting must be cheap. */
  const unlogged = new Map<string, { readonly caller: Caller; requests: number }>();
  let gaps = new Map<string, Gap>();

  function add(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    const { state, body } = request;
    const nowMs = monotonicMs();
    const bytes = Buffer.isBuffer(body) ? body : null;
    const isText = bytes !== null && bytes.length > 0 && !state.mediaType?.startsWith('video/');
    const stored = isText ? beginningOf(bytes) : null;
    const size = stored?.length ?? 0;
    const fits = pending.length < MAX_PENDING && pendingBytes + size <= MAX_PENDING_BYTES;
    const failed = state.code !== undefined;
    if (!budget.admits(caller.organizationId, failed, nowMs) || !fits) {
      const known = unlogged.get(caller.keyId);
      if (known === undefined) unlogged.set(caller.keyId, { caller, requests: 1 });
      else known.requests += 1;
      return;
    }
    pendingBytes += size;
    pending.push({
      caller,
      id: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      code: state.code ?? null,
      durationMs: nowMs - state.startedMs,
      body: stored,
      bodyBytes: bytes?.length ?? 0,
      answer: failed && typeof state.response === 'string' ? state.response : null,
      objectId: objectIdOf(request),
      at: clock(),
    });
  }

  function countGap({ organizationId, environment }: Tenant, at: Date, requests: number): void {
    const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
    const name = `${organizationId} ${environment} ${hour.getTime()}`;
    const known = gaps.get(name)?.requests ?? 0;
    gaps.set(name, { organization_id: organizationId, environment, hour, requests: known + requests });
  }

  async function write(): Promise<void> {
    const now = clock();
    for (const { caller, requests } of unlogged.values()) countGap(caller, now, requests);
    unlogged.clear();
    if (pending.length === 0 && gaps.size === 0) return;
    const [requests, counts] = [pending, gaps];
    pending = [];
    pendingBytes = 0;
    gaps = new Map();
    try {
      const rows: Row<'request_log'>[] = [];
      for (const request of requests) {
        if (rows.length % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
        rows.push(toRow(request));
      }
      await writeLog(db.pool, rows, [...counts.values()]);
    } catch (error) {
      // Requests that cannot be written are counted as not logged, so that they do not pile up.
      for (const { caller, at } of requests) countGap(caller, at, 1);
      for (const { organization_id: organizationId, environment, hour, requests: amount } of counts.values()) {
        countGap({ organizationId, environment }, hour, amount);
      }
      throw error;
    }
  }

  const writing = every(WRITE_EVERY_MS, 'write the request log', log, write);
  return {
    /** Logs every API request from now on. */
    watch(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        const { caller } = request.state;
        if (caller !== undefined && request.url.startsWith(API)) add(request, reply, caller as Caller);
        done();
      });
    },
    /** Writes the pending requests. */
    async stop(): Promise<void> {
      await writing.stop();
      await write().catch((err: unknown) => log.warn({ err }, 'the last requests were not logged'));
      await db.close();
    },
  };
}
