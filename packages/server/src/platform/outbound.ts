/** Sends requests to customers' URLs: public addresses only, with limits on everything. */

import net from 'node:net';
import type { Agent } from 'undici';
import { monotonicMs } from './clock.ts';
import { firstOf } from './errors.ts';
import {
  AddressRefusedError,
  createLookup,
  createResolver,
  isPublicAddress,
  type Resolve,
  resolveBySystem,
} from './outbound/addresses.ts';

/** Why a request failed, by the step at which it failed. */
export interface Fault {
  readonly step: 'address' | 'name' | 'connection' | 'certificate' | 'timeout' | 'response' | 'stopped';
  /** For the customer who configured the URL. */
  readonly message: string;
}

class TimeoutFault extends Error {}
class TooLargeFault extends Error {}

const NAME_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN', 'EBADNAME', 'EREFUSED']);
const RESPONSE_CODES = new Set(['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const STOPPED_CODES = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const CONNECTION_MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network is unreachable.',
  ETIMEDOUT: 'The connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
};

const isCertificate = (code: string): boolean => /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code);

/** Uses our own messages, because those of libraries reveal resolved IP addresses. */
function faultOf(error: Error): Fault {
  if (error instanceof TimeoutFault) return { step: 'timeout', message: 'The response did not arrive in time.' };
  if (error instanceof AddressRefusedError) return { step: 'address', message: error.message };
  const { code = '' } = (firstOf(error) ?? error) as { code?: string };
  if (NAME_CODES.has(code)) return { step: 'name', message: `The host name could not be resolved (${code}).` };
  if (isCertificate(code)) return { step: 'certificate', message: `The certificate is not valid (${code}).` };
  if (STOPPED_CODES.has(code)) return { step: 'stopped', message: 'The attempt was stopped.' };
  if (
    RESPONSE_CODES.has(code) ||
    code.startsWith('HPE_') ||
    error.name === 'HTTPParserError' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  ) {
    return { step: 'response', message: 'The connection closed before the full HTTP response arrived.' };
  }
  const known = CONNECTION_MESSAGES[code];
  return { step: 'connection', message: known ?? `The connection failed${code === '' ? '' : ` (${code})`}.` };
}

export { createResolver, explainUrl } from './outbound/addresses.ts';

/** A longer response is cut off here. */
const READ_LIMIT_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
// Shorter than any request timeout: a request that timed out must not be sent when its connection opens after all.
const CONNECT_TIMEOUT_MS = 8_000;
const KEEP_ALIVE_MS = 4_000;
// A receiver may ask for a longer keep-alive, but idle sockets are not kept for minutes.
const KEEP_ALIVE_MAX_MS = 30_000;

interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
  /** From the call to the end of the response, including the DNS lookup. */
  readonly timeoutMs: number;
  /** How much of the response body to return. */
  readonly keepBytes: number;
}

interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first `keepBytes` bytes. */
  readonly body: Buffer;
}

interface OutboundResult {
  /** As much as arrived; null without a status. */
  readonly response: OutboundResponse | null;
  /** Null when a response arrived in full, or was cut off at our limit. */
  readonly fault: Fault | null;
  /** False if the fault occurred before any byte of the request was sent. */
  readonly isSent: boolean;
  readonly durationMs: number;
}

export interface OutboundOptions {
  /** For development: allows calls to this machine and private networks. */
  readonly allowPrivate: boolean;
  /** Sockets per origin; further requests wait. Default: no limit. */
  readonly connectionsPerOrigin?: number;
  /** Replaces the DNS lookup. */
  readonly resolve?: Resolve;
}

const CONTINUE = Buffer.from('HTTP/1.1 100 ');

/** Servers may send `100 Continue` unasked, which undici rejects. Node's own client ignores it, but takes three times the CPU. */
function ignoreContinue(socket: net.Socket): void {
  const readNext = socket.read.bind(socket);
  socket.read = () => {
    const chunk: Buffer | null = readNext();
    if (chunk === null || !chunk.subarray(0, CONTINUE.length).equals(CONTINUE)) return chunk;
    const rest = chunk.subarray(chunk.indexOf('\r\n\r\n') + 4);
    return rest.length === 0 ? socket.read() : rest;
  };
}

/** Loaded with the first request: a start does not need its hundred modules. */
async function createAgent(options: OutboundOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const { allowPrivate, resolve = allowPrivate ? resolveBySystem : createResolver() } = options;
  const connect = buildConnector({
    lookup: createLookup(resolve, allowPrivate),
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  return new Agent({
    connections: options.connectionsPerOrigin ?? null,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // `perform` has one timeout for the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect(target, callback) {
      // An IP address needs no lookup, so it is checked here.
      if (net.isIP(target.hostname) !== 0 && !allowPrivate && !isPublicAddress(target.hostname)) {
        return callback(new AddressRefusedError(), null);
      }
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        ignoreContinue(socket);
        callback(null, socket);
      });
    },
  });
}

function perform(agent: Agent, request: OutboundRequest): Promise<OutboundResult> {
  const startedMs = monotonicMs();
  const { origin, pathname, search } = new URL(request.url);
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let status: number | null = null;
    let headers: OutboundResponse['headers'] = {};
    let read = 0;
    let isSent = false;
    let isSettled = false;
    let abort: (reason: Error) => void = () => undefined;
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      isSettled = true;
      // A response that we cut off at our limit counts as complete.
      const fault = error === null || error instanceof TooLargeFault ? null : faultOf(error);
      const body = Buffer.concat(kept).subarray(0, request.keepBytes);
      const response = status === null ? null : { status, headers, body };
      resolve({ response, fault, isSent, durationMs: Math.round(monotonicMs() - startedMs) });
    };
    const timer = setTimeout(() => {
      const fault = new TimeoutFault();
      abort(fault);
      settle(fault);
    }, request.timeoutMs);
    const { method, headers: sent, body = null } = request;
    agent.dispatch(
      { origin, path: pathname + search, method, headers: sent, body },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          if (isSettled) abort(new TimeoutFault());
          isSent = true;
        },
        onResponseStart(_controller, statusCode, received) {
          // A 1xx precedes the actual response.
          if (statusCode < 200) return;
          status = statusCode;
          headers = received;
        },
        onResponseData(controller, chunk) {
          if (read < request.keepBytes) kept.push(chunk);
          read += chunk.length;
          if (read > READ_LIMIT_BYTES) controller.abort(new TooLargeFault());
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_controller, error) => settle(error),
      },
    );
  });
}

/**
 * Calls URLs that customers configured. It connects only to public addresses, which it checks for each connection after the
 * DNS lookup, follows no redirects, and never throws: every failure of the other side is a result.
 */
export function createOutbound(options: OutboundOptions) {
  let opened: Promise<Agent> | undefined;
  const open = () => (opened ??= createAgent(options));
  return {
    request: async (request: OutboundRequest): Promise<OutboundResult> => perform(await open(), request),
    /** Requests in flight end with the fault `stopped`. */
    close: async (): Promise<void> => (await opened)?.destroy(),
  };
}

export type Outbound = ReturnType<typeof createOutbound>;
