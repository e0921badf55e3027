import type { Dispatcher } from 'undici';
import { ObjectsError, type ObjectsFault } from './interface.ts';

// Reads a few elements of a format unchanged since 2006, without relevant attributes or nesting, so no XML parser is needed.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-z]+));/g, (whole, hex, decimal, name) => {
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal);
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

const encode = (text: string): string => text.replace(/[&<>"'\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const readElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => decode(text));

export const readElement = (xml: string, name: string): string | undefined => readElements(xml, name)[0];

export const writeDeletion = (keys: readonly string[]): string =>
  `<Delete><Quiet>true</Quiet>${keys.map((key) => `<Object><Key>${encode(key)}</Key></Object>`).join('')}</Delete>`;

export const writeCompletion = (etags: readonly string[]): string =>
  `<CompleteMultipartUpload>${etags
    .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${encode(etag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;

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
