import net from 'node:net';
import { Agent, buildConnector } from 'undici';
import { monotonicMs } from './clock.ts';
import { isPublicAddress } from './outbound/addresses.ts';
import { type Fault, faultOf, TimeoutFault, TooLargeFault } from './outbound/faults.ts';
import { AddressRefusedError, createLookup, createResolver, type Resolve, resolveBySystem } from './outbound/names.ts';

export { explainUrl } from './outbound/addresses.ts';
export type { Fault } from './outbound/faults.ts';

/** What is read of an answer before it is cut off. */
const READ_LIMIT_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
// Shorter than any time-out of a request: one that was given up must not go out when its connection comes about after all.
const CONNECT_TIMEOUT_MS = 8_000;
const KEEP_ALIVE_MS = 4_000;
// A receiver may ask for more patience, but idle sockets are not kept for minutes.
const KEEP_ALIVE_MAX_MS = 30_000;

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
  /** From the call to the end of the answer, the look-up of the name included. */
  readonly timeoutMs: number;
  /** How much of the answer is given back. */
  readonly keepBytes: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning. */
  readonly body: Buffer;
}

export interface OutboundResult {
  /** As much as came; null when not even a status did. */
  readonly answer: OutboundAnswer | null;
  /** Null when an answer came in full, or at least as much of it as is read. */
  readonly fault: Fault | null;
  readonly durationMs: number;
}

/**
 * Calls addresses that others chose. It connects to the public internet only, and decides so for each connection, after the
 * name was looked up. It follows no redirect, waits no longer than told and reads no more than a limit. It never throws: what
 * can go wrong at the other end is a result.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** What is under way ends with the fault `stopped`. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** For development: this machine and private networks may be called. */
  readonly allowPrivate: boolean;
  /** Sockets to one origin; more requests than that wait for each other. */
  readonly connectionsPerOrigin: number;
  /** How names become addresses, for those who have name servers of their own. */
  readonly resolve?: Resolve;
}

function createAgent(options: OutboundOptions): Agent {
  const { allowPrivate, resolve = allowPrivate ? resolveBySystem : createResolver() } = options;
  const connect = buildConnector({
    lookup: createLookup(resolve, allowPrivate),
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  return new Agent({
    connections: options.connectionsPerOrigin,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // One clock for all of it, see below.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect(target, callback) {
      // No name, so that nothing is looked up: checked here.
      if (net.isIP(target.hostname) !== 0 && !allowPrivate && !isPublicAddress(target.hostname)) {
        return callback(new AddressRefusedError(), null);
      }
      connect(target, callback);
    },
  });
}

function perform(agent: Agent, request: OutboundRequest): Promise<OutboundResult> {
  const begunMs = monotonicMs();
  const { origin, pathname, search } = new URL(request.url);
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let status: number | null = null;
    let headers: OutboundAnswer['headers'] = {};
    let read = 0;
    let isSettled = false;
    let abort: (reason: Error) => void = () => undefined;
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      isSettled = true;
      // Cut off by us, with a status: whoever sends more than is read has answered.
      const fault = error === null || error instanceof TooLargeFault ? null : faultOf(error);
      const body = Buffer.concat(kept).subarray(0, request.keepBytes);
      const answer = status === null ? null : { status, headers, body };
      resolve({ answer, fault, durationMs: Math.round(monotonicMs() - begunMs) });
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
        },
        onResponseStart(_controller, statusCode, received) {
          // A 1xx is not the answer yet.
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

export function createOutbound(options: OutboundOptions): Outbound {
  const agent = createAgent(options);
  return {
    request: (request) => perform(agent, request),
    close: () => agent.destroy(),
  };
}
