import { request } from 'undici';
import { asObject, type Json } from '../bounces/reports.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { CarrierState, LookupResult, Outcome } from './carrier.ts';

/** A carrier's response is a line or two. A longer one is cut, which makes it unreadable as JSON. */
const RESPONSE_LIMIT_BYTES = 64 * 1024;

/** Errors that occur before any byte of the request is sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export interface Response {
  readonly kind: 'response';
  readonly status: number;
  /** Undefined: the response is not JSON. */
  readonly json: unknown;
  readonly retryAfterS: number | undefined;
}

export type Exchange =
  | Response
  | { readonly kind: 'unsent'; readonly message: string }
  /** The request may have arrived. */
  | { readonly kind: 'unanswered'; readonly message: string };

async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > RESPONSE_LIMIT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (first as { code?: string } | undefined)?.code ?? (error as Error).name;
}

/** Sends one request. Redirects are not followed, because they would send the credentials to another host. */
export async function exchange(
  url: string,
  sent: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<Exchange> {
  try {
    const signal = AbortSignal.timeout(CARRIER_LIMIT_MS);
    const { statusCode: status, headers, body } = await request(url, { ...sent, signal });
    const seconds = Number(headers['retry-after'] ?? '');
    const retryAfterS = seconds > 0 ? seconds : undefined;
    // If the body breaks off, the status still counts.
    return { kind: 'response', status, json: parse(await readStart(body).catch(() => '')), retryAfterS };
  } catch (error) {
    const code = codeOf(error);
    return NOT_CONNECTED.has(code)
      ? { kind: 'unsent', message: `No connection to the carrier (${code}).` }
      : { kind: 'unanswered', message: `The carrier did not respond (${code}).` };
  }
}

/** The outcome of a request that sends a text. */
export function outcomeOf(sent: Exchange, read: (response: Response) => Outcome): Outcome {
  if (sent.kind === 'unsent') return { kind: 'later', message: sent.message, isUnreachable: true };
  return sent.kind === 'unanswered' ? { kind: 'doubt', message: sent.message } : read(sent);
}

/** The objects of a list in a successful response; null without one. */
export function listIn(sent: Exchange, key: string): Json[] | null {
  const list = sent.kind === 'response' && sent.status === 200 ? asObject(sent.json)[key] : undefined;
  return Array.isArray(list) ? list.map(asObject) : null;
}

/** Finds a message in doubt in the list that a carrier responds with. */
export function lookUpIn(
  sent: Exchange,
  { carrier, key }: { readonly carrier: string; readonly key: string },
  find: (listed: readonly Json[]) => LookupResult,
): LookupResult {
  if (sent.kind !== 'response') return { kind: 'later', message: sent.message };
  const listed = listIn(sent, key);
  return listed === null
    ? { kind: 'later', message: `${carrier} responded ${sent.status} to a lookup.` }
    : find(listed);
}

/** The state of the account in the response to a check. `refusals` has the statuses with which the carrier rejects it. */
export function stateOf(
  sent: Exchange,
  { carrier, ok, refusals }: { carrier: string; ok: string; refusals: Readonly<Record<number, string>> },
): CarrierState {
  if (sent.kind !== 'response') return { status: 'unreachable', message: sent.message };
  const { status } = sent;
  if (status === 200) return { status: 'ok', message: ok };
  const refusal = refusals[status];
  return refusal === undefined
    ? { status: 'unreachable', message: `${carrier} responded ${status}.` }
    : { status: 'refused', message: refusal };
}

/** Rejects signed calls that are older or newer, which may be replays. */
const TOLERANCE_S = 300;

export const isRecent = (timestampS: string, now: Date): boolean =>
  /^\d+$/.test(timestampS) && Math.abs(now.getTime() / 1000 - Number(timestampS)) <= TOLERANCE_S;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;
