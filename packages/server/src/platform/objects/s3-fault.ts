import type { Dispatcher } from 'undici';
import { ObjectsError, type ObjectsFault } from './interface.ts';
import { readElement } from './s3-xml.ts';

/** What the store answered instead of doing it. */
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

/** Codes that ask to come again, whatever the status beside them: some arrive with 200 or 400. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  // Ceph's word for a key of a deletion that somebody else was writing or deleting at that moment.
  'UnknownError',
]);

const REASONS: Readonly<Record<string, readonly [ObjectsFault, string]>> = {
  InvalidAccessKeyId: ['denied', 'it does not know the access key'],
  SignatureDoesNotMatch: ['denied', 'the secret does not belong to the access key'],
  AccessDenied: ['denied', 'the access key may not do that'],
  RequestTimeTooSkewed: ['denied', 'its clock and ours differ by more than minutes'],
  AuthorizationHeaderMalformed: ['denied', 'the region is probably another'],
  PermanentRedirect: ['failed', 'the bucket lives in another region'],
  NoSuchBucket: ['failed', 'there is no such bucket'],
  QuotaExceeded: ['full', 'the quota is used up'],
  InsufficientCapacity: ['full', 'there is no room left'],
  XMinioStorageFull: ['full', 'there is no room left'],
};

const networkCode = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';

const isNetworkFault = (error: unknown): boolean => NETWORK_CODES.has(networkCode(error));

/** Worth another attempt. A certificate that is wrong or a key that is refused stays so. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Refusal)) return isNetworkFault(error);
  return error.status >= 500 || error.status === 429 || PASSING_CODES.has(error.code);
}

/** An answer to HEAD has no body, so its status is all there is to know. */
export async function readRefusal(answer: Dispatcher.ResponseData): Promise<Refusal> {
  const xml = await answer.body.text();
  return toRefusal(answer.statusCode, xml);
}

export const toRefusal = (status: number, xml: string): Refusal =>
  new Refusal(status, readElement(xml, 'Code') ?? '', readElement(xml, 'Message')?.slice(0, 200) ?? '');

export function explain(error: unknown, attempted: string, store: string): unknown {
  if (error instanceof Refusal) {
    const [fault, known] = REASONS[error.code] ?? [error.status === 403 ? 'denied' : 'failed', undefined];
    const reason = known ?? (error.message || 'it says no more');
    const code = error.code === '' ? `${error.status}` : `${error.status} ${error.code}`;
    return new ObjectsError(fault, `cannot ${attempted} at ${store}: ${reason} (${code})`, { cause: error });
  }
  if (!isNetworkFault(error)) return error;
  return new ObjectsError('unreachable', `cannot ${attempted} at ${store}: no answer (${networkCode(error)})`, {
    cause: error,
  });
}
