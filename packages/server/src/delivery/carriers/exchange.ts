import { CARRIER_LIMIT_MS } from '../queue/rules.ts';

/** An answer of a carrier says a line or two. What is longer is cut, and then read as garbage. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** Faults before a byte of the request has left. */
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
      readonly kind: 'answer';
      readonly status: number;
      readonly json: unknown;
      readonly retryAfterS: number | undefined;
    }
  | { readonly kind: 'unsent'; readonly message: string }
  /** It may have arrived. */
  | { readonly kind: 'unanswered'; readonly message: string };

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > ANSWER_LIMIT_BYTES) break;
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
  const { cause } = error as { cause?: unknown };
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return (first as { code?: string } | undefined)?.code ?? (error as Error).name;
}

/** One request, and what can be said of it for certain. Redirects are not followed: they would carry the account elsewhere. */
export async function exchange(
  url: string,
  request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<Exchange> {
  try {
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(CARRIER_LIMIT_MS),
    });
    const seconds = Number(response.headers.get('retry-after') ?? '');
    // An answer that breaks off still has its status.
    const text = await readStart(response).catch(() => '');
    return {
      kind: 'answer',
      status: response.status,
      json: parse(text),
      retryAfterS: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    };
  } catch (error) {
    const code = codeOf(error);
    return NOT_CONNECTED.has(code)
      ? { kind: 'unsent', message: `No connection to the carrier (${code}).` }
      : { kind: 'unanswered', message: `The carrier did not answer (${code}).` };
  }
}
