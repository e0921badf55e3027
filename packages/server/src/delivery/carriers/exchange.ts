import { request } from 'undici';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';

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

export type Exchange =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly json: unknown;
      readonly retryAfterS: number | undefined;
    }
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
    // If the body breaks off, the status still counts.
    const text = await readStart(body).catch(() => '');
    return {
      kind: 'response',
      status,
      json: parse(text),
      retryAfterS: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    };
  } catch (error) {
    const code = codeOf(error);
    return NOT_CONNECTED.has(code)
      ? { kind: 'unsent', message: `No connection to the carrier (${code}).` }
      : { kind: 'unanswered', message: `The carrier did not respond (${code}).` };
  }
}
