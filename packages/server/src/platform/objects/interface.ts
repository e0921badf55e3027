import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../process.ts';

/** An object as it was when it was opened; `stream` never mixes versions. */
export interface StoredObject {
  readonly size: number;
  /** Without quotes. Changes when the content changes. */
  readonly etag: string;
  /**
   * An `end` past the last byte means the last byte; a `start` past it rejects with a RangeError. Rejects with `changed` when the
   * object was replaced or deleted. The caller must read the stream to its end or destroy it.
   */
  stream(range?: ByteRange): Promise<Readable>;
}

/** Both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type ObjectBody = Buffer | Readable | { readonly file: string };

export interface Objects {
  /** Atomic, and durable once it resolves. Replaces an existing object. */
  put(key: string, body: ObjectBody, options: { type: string }): Promise<void>;
  /** Null when the object does not exist. */
  open(key: string): Promise<StoredObject | null>;
  /** Does nothing when the object does not exist. */
  delete(key: string): Promise<void>;
  /** Deletes every key with this prefix, which must end with a slash. */
  deleteAll(prefix: string): Promise<void>;
  /** A short-lived URL for browsers; null when the store cannot create one (a folder). */
  presign(key: string, options: { seconds: number; type: string }): Promise<string | null>;
}

export type ObjectsFault =
  | 'full' // no space left
  | 'denied' // wrong permissions or credentials
  | 'unreachable' // no response in time, after all attempts
  | 'changed' // replaced or deleted since it was opened
  | 'misused' // an invalid key, prefix or stream
  | 'failed'; // any other response

/** The message names the operation and the key, never a credential. */
export class ObjectsError extends Error {
  readonly code: ObjectsFault;

  constructor(code: ObjectsFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ObjectsError';
    this.code = code;
  }
}

/** The store may work for other objects. */
export const isDenied = (error: unknown): boolean => error instanceof ObjectsError && error.code === 'denied';

/** Writes, reads and deletes a small object; rejects with the reason if that fails. */
export async function checkObjects(objects: Objects): Promise<void> {
  const content = randomUUID();
  // A unique key, because several nodes may start at once.
  const key = `check/${content}`;
  await objects.put(key, Buffer.from(content), { type: 'text/plain' });
  try {
    const stored = await objects.open(key);
    const read = stored === null ? null : (await buffer(await stored.stream())).toString();
    if (read !== content) throw new ObjectsError('failed', 'the store returned other content than was written');
  } finally {
    await objects.delete(key);
  }
  if ((await objects.open(key)) !== null) throw new ObjectsError('failed', 'the store still returns a deleted object');
}

const KEY_LENGTH_MAX = 512;
/** A part starts with a letter or digit, which excludes `..` and hidden names. Lowercase only, so that no two keys name one file. */
const PART = '[a-z0-9][a-z0-9_.-]{0,199}';
const KEY = new RegExp(`^${PART}(/${PART})*$`);

export function checkKey(key: string): void {
  if (key.length > KEY_LENGTH_MAX || !KEY.test(key)) {
    throw new ObjectsError('misused', `not a valid object key: ${JSON.stringify(key.slice(0, 100))}`);
  }
}

export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith('/') || prefix.length > KEY_LENGTH_MAX || !KEY.test(prefix.slice(0, -1))) {
    throw new ObjectsError('misused', `not a valid key prefix: ${JSON.stringify(prefix.slice(0, 100))}`);
  }
}

/** Limits the range to the object; throws a RangeError when it starts past the end. */
export function fitRange({ start, end }: ByteRange, size: number): ByteRange {
  const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!isWhole || start < 0 || end < start || start >= size) {
    throw new RangeError(`no bytes ${start} to ${end} in an object of ${size} bytes`);
  }
  return { start, end: Math.min(end, size - 1) };
}

/** A stream that was already read would silently be stored as an empty object. */
export function refuseSpentStream(body: Readable): void {
  if (body.errored !== null) throw body.errored;
  if (body.destroyed || body.readableEnded) throw new ObjectsError('misused', 'the stream was already read or closed');
}

/** An error of the source stream is thrown unchanged: a member's broken connection is not an error of the store. */
export const isFaultOf = (body: ObjectBody, error: unknown): boolean =>
  body instanceof Readable && body.errored !== null && body.errored === error;

export interface S3Address {
  readonly kind: 's3';
  /** `https://host[:port]` */
  readonly origin: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Undefined: derived from the host name if possible, otherwise us-east-1. */
  readonly region: string | undefined;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Video players get short-lived URLs of the store. */
  readonly redirectsPlayers: boolean;
}

const FORMS = 'file:///folder or s3://host/bucket';
const S3_FORM = 's3://KEY:SECRET@host[:port]/bucket[/prefix]?region=…&tls=off&redirect=on';

const PARAMETERS = new Set(['region', 'tls', 'redirect']);

/** The message contains no part of the value. */
const refuse = (problem: string): ConfigError => new ConfigError(`OBJECTS_URL ${problem}`);

/** Parses the URL without touching the store, so that a bad one is rejected at startup. */
export function readObjectsUrl(text: string) {
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return readFolder(text, url);
  if (url?.protocol === 's3:') return readS3(url);
  if (text.startsWith('s3:')) {
    // Usually caused by a slash in the secret, which ends the host too early.
    throw refuse(`must have the form ${S3_FORM}, with / in the secret encoded as %2F, + as %2B and @ as %40`);
  }
  throw refuse(`must be a URL such as ${FORMS}`);
}

function readFolder(text: string, url: URL) {
  try {
    // URL would silently turn file:data into the folder /data.
    const isAbsolute = text.startsWith('file:///') && url.search === '' && url.hash === '';
    if (isAbsolute) return { kind: 'folder', root: fileURLToPath(url) } as const;
  } catch {
    // Characters that no path has.
  }
  throw refuse('must be an absolute path, such as file:///var/lib/foreword/objects');
}

function readS3(url: URL): S3Address {
  const [bucket = '', ...rest] = url.pathname.split('/').slice(1);
  const prefix = rest.join('/').replace(/\/$/, '');
  if (url.hostname === '') throw refuse(`has no host: ${S3_FORM}`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(bucket)) throw refuse(`has no valid bucket: ${S3_FORM}`);
  if (prefix !== '' && !/^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)*$/.test(prefix)) {
    throw refuse('has a prefix with characters other than a-z, 0-9, _, -, . and /');
  }
  if (url.hash !== '') throw refuse(`contains a #, which must be encoded as %23: ${S3_FORM}`);
  const { region, tls, redirectsPlayers } = readS3Settings(url.searchParams);
  return {
    kind: 's3',
    origin: `${tls ? 'https' : 'http'}://${url.host}`,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    credentials: readCredentials(url),
    redirectsPlayers,
  };
}

function readS3Settings(parameters: URLSearchParams) {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) throw refuse('accepts only the parameters region, tls and redirect');
  }
  const region = parameters.get('region') ?? undefined;
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) {
    throw refuse('has an invalid region; a valid one is eu-central-1');
  }
  const isOn = (name: string, otherwise: string): boolean => {
    const value = parameters.get(name) ?? otherwise;
    if (value !== 'on' && value !== 'off') throw refuse(`must have ${name}=on or ${name}=off`);
    return value === 'on';
  };
  return { region, tls: isOn('tls', 'on'), redirectsPlayers: isOn('redirect', 'off') };
}

function readCredentials(url: URL): S3Address['credentials'] {
  try {
    const accessKeyId = decodeURIComponent(url.username);
    const secretAccessKey = decodeURIComponent(url.password);
    if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey };
  } catch {
    throw refuse('has a % in its key or secret that must be encoded as %25');
  }
  throw refuse(`must contain the key and the secret: ${S3_FORM}`);
}
