import type { Dispatcher } from 'undici';
import { ObjectsError, type ObjectsFault } from './interface.ts';
import { readElement } from './s3-xml.ts';

/** An error response of the store. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Codes that call for a retry, whatever the status: some have 200 or 400. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  // Ceph returns this for a key that is being written or deleted concurrently.
  'UnknownError',
]);

const REASONS: Readonly<Record<string, readonly [ObjectsFault, string]>> = {
  InvalidAccessKeyId: ['denied', 'it does not know the access key'],
  SignatureDoesNotMatch: ['denied', 'the secret does not match the access key'],
  AccessDenied: ['denied', 'the access key has no permission'],
  RequestTimeTooSkewed: ['denied', 'its clock and ours differ by several minutes'],
  AuthorizationHeaderMalformed: ['denied', 'the region is probably wrong'],
  PermanentRedirect: ['failed', 'the bucket is in another region'],
  NoSuchBucket: ['failed', 'there is no such bucket'],
  QuotaExceeded: ['full', 'the quota is used up'],
  InsufficientCapacity: ['full', 'no space left'],
  XMinioStorageFull: ['full', 'no space left'],
};

const networkCode = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';

const isNetworkFault = (error: unknown): boolean => NETWORK_CODES.has(networkCode(error));

/** 507 is Insufficient Storage, whatever code comes with it. */
const isFull = ({ status, code }: Refusal): boolean => status === 507 || REASONS[code]?.[0] === 'full';

/** True when a retry can help; it cannot for a bad certificate or a rejected key. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Refusal)) return isNetworkFault(error);
  if (isFull(error)) return false;
  return error.status >= 500 || error.status === 429 || TRANSIENT_CODES.has(error.code);
}

/** A response to HEAD has no body, so only its status is known. */
export async function readRefusal(response: Dispatcher.ResponseData): Promise<Refusal> {
  const xml = await response.body.text();
  return toRefusal(response.statusCode, xml);
}

export const toRefusal = (status: number, xml: string): Refusal =>
  new Refusal(status, readElement(xml, 'Code') ?? '', readElement(xml, 'Message')?.slice(0, 200) ?? '');

export function explain(error: unknown, attempted: string, store: string): unknown {
  if (error instanceof Refusal) {
    const other = isFull(error) ? 'full' : error.status === 403 ? 'denied' : 'failed';
    const [fault, known] = REASONS[error.code] ?? [other, undefined];
    const reason = known ?? (error.message || 'no reason given');
    const code = error.code === '' ? `${error.status}` : `${error.status} ${error.code}`;
    return new ObjectsError(fault, `cannot ${attempted} at ${store}: ${reason} (${code})`, { cause: error });
  }
  if (!isNetworkFault(error)) return error;
  return new ObjectsError('unreachable', `cannot ${attempted} at ${store}: no response (${networkCode(error)})`, {
    cause: error,
  });
}
