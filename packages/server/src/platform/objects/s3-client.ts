import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { ObjectsError, type ObjectsFault, type S3Address } from './interface.ts';

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
function isTransient(error: unknown): boolean {
  if (!(error instanceof Refusal)) return isNetworkFault(error);
  if (isFull(error)) return false;
  return error.status >= 500 || error.status === 429 || TRANSIENT_CODES.has(error.code);
}

/** A response to HEAD has no body, so only its status is known. */
async function readRefusal(response: Dispatcher.ResponseData): Promise<Refusal> {
  const xml = await response.body.text();
  return toRefusal(response.statusCode, xml);
}

export const toRefusal = (status: number, xml: string): Refusal =>
  new Refusal(status, readElement(xml, 'Code') ?? '', readElement(xml, 'Message')?.slice(0, 200) ?? '');

function explain(error: unknown, attempted: string, store: string): unknown {
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

/** Four pauses of at most 3 s in total: enough for a store that restarts, short enough for a waiting member. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
const CONNECT_MS = 5_000;
/** Until the first byte of the response. With a body, this includes sending 8 MiB at half a megabit per second. */
const RESPONSE_MS = 20_000;
const RESPONSE_TO_BODY_MS = 120_000;
/** Between two chunks of a response; a slow reader on our side does not count. */
const SILENCE_MS = 30_000;

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix; empty for the bucket itself. */
  readonly key: string;
  /** For messages: "write a/b". */
  readonly purpose: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export type S3Response = Dispatcher.ResponseData;

/** Signs and sends requests, with retries. Every request is idempotent. */
export class S3Client {
  readonly #address: S3Address;
  readonly #clock: Clock;
  #agent: Promise<Agent> | undefined;
  /** Derived keys, one for each day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(address: S3Address, clock: Clock) {
    this.#address = address;
    this.#clock = clock;
  }

  /** `read` is part of the attempt: when the response breaks off while it reads, the request is retried. */
  async send<Result>(request: S3Request, read: (response: S3Response) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#request(request);
        if (response.statusCode >= 300) throw await readRefusal(response);
        return await read(response);
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      }
      // Random, so that requests that failed at the same time are not retried at the same time.
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  explain(error: unknown, purpose: string): unknown {
    const { origin, bucket } = this.#address;
    return explain(error, purpose, `${origin}/${bucket}`);
  }

  async presign(key: string, query: Readonly<Record<string, string>>): Promise<string> {
    const signer = this.#signer('GET', this.#urlOf(key, query), { signQuery: true });
    return spellOut((await signer.sign()).url);
  }

  #urlOf(key: string, query: Readonly<Record<string, string>> = {}): string {
    const { origin, bucket, prefix } = this.#address;
    const url = new URL(key === '' ? `/${bucket}` : `/${bucket}/${prefix}${key}`, origin);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return spellOut(url);
  }

  #signer(method: string, url: string, more: { headers?: Record<string, string>; signQuery?: boolean }): AwsV4Signer {
    const { region, credentials } = this.#address;
    return new AwsV4Signer({
      method,
      url,
      ...credentials,
      service: 's3',
      ...(region === undefined ? {} : { region }),
      datetime: this.#clock()
        .toISOString()
        .replace(/[:-]|\.\d{3}/g, ''),
      cache: this.#signingKeys,
      ...more,
    });
  }

  async #request(request: S3Request): Promise<S3Response> {
    const { method, body } = request;
    // The hash is part of the signature, so the store rejects a body that was damaged in transit, even without TLS.
    const headers = { ...request.headers, 'x-amz-content-sha256': hash('sha256', body ?? '') };
    const signed = await this.#signer(method, this.#urlOf(request.key, request.query), { headers }).sign();
    const { origin, pathname, search } = signed.url;
    this.#agent ??= createAgent();
    return (await this.#agent).request({
      origin,
      path: `${pathname}${search}`,
      method,
      headers: Object.fromEntries(signed.headers),
      body: body ?? null,
      headersTimeout: body === undefined ? RESPONSE_MS : RESPONSE_TO_BODY_MS,
    });
  }
}

/** Loaded with the first request, because it would slow every command and every start with a folder by a tenth of a second. */
async function createAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: SILENCE_MS });
}

/** Signatures use %20, but URLSearchParams writes a plus. */
const spellOut = (url: URL): string => {
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
};
