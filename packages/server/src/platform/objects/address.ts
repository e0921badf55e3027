import { fileURLToPath } from 'node:url';
import { ObjectsUrlError } from './interface.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface FolderAddress {
  readonly kind: 'folder';
  readonly root: string;
}

export interface S3Address {
  readonly kind: 's3';
  /** `https://host[:port]` */
  readonly origin: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Undefined: derived from the host name if possible, otherwise us-east-1. */
  readonly region: string | undefined;
  readonly credentials: Credentials;
}

const FORMS = 'file:///folder or s3://host/bucket';
const S3_FORM = 's3://KEY:SECRET@host[:port]/bucket[/prefix]?region=…&tls=off';

const refuse = (problem: string): ObjectsUrlError => new ObjectsUrlError(`OBJECTS_URL ${problem}`);

/** Parses the URL without touching the store, so that a bad one is rejected at startup. */
export function readObjectsUrl(text: string, credentials?: Credentials): FolderAddress | S3Address {
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return readFolder(text, url);
  if (url?.protocol === 's3:') return readS3(url, credentials);
  if (text.startsWith('s3:')) {
    // Usually caused by a slash in the secret, which ends the host too early.
    throw refuse(`must have the form ${S3_FORM}, with / in the secret encoded as %2F, + as %2B and @ as %40`);
  }
  throw refuse(`must be a URL such as ${FORMS}`);
}

function readFolder(text: string, url: URL): FolderAddress {
  // URL would silently turn file:data into the folder /data.
  if (!text.startsWith('file:///') || url.search !== '' || url.hash !== '') {
    throw refuse('must be an absolute path, such as file:///var/lib/foreword/objects');
  }
  try {
    return { kind: 'folder', root: fileURLToPath(url) };
  } catch {
    throw refuse('must be an absolute path, such as file:///var/lib/foreword/objects');
  }
}

function readS3(url: URL, given: Credentials | undefined): S3Address {
  const [bucket = '', ...rest] = url.pathname.split('/').slice(1);
  const prefix = rest.join('/').replace(/\/$/, '');
  if (url.hostname === '') throw refuse(`has no host: ${S3_FORM}`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(bucket)) throw refuse(`has no valid bucket: ${S3_FORM}`);
  if (prefix !== '' && !/^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)*$/.test(prefix)) {
    throw refuse('has a prefix with characters other than a-z, 0-9, _, -, . and /');
  }
  if (url.hash !== '') throw refuse(`contains a #, which must be encoded as %23: ${S3_FORM}`);
  const { region, tls } = readS3Settings(url.searchParams);
  return {
    kind: 's3',
    origin: `${tls ? 'https' : 'http'}://${url.host}`,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    credentials: readCredentials(url) ?? given ?? refuseWithoutCredentials(),
  };
}

function readS3Settings(parameters: URLSearchParams): { region: string | undefined; tls: boolean } {
  for (const name of parameters.keys()) {
    if (name !== 'region' && name !== 'tls') throw refuse('accepts only the parameters region and tls');
  }
  const region = parameters.get('region') ?? undefined;
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) {
    throw refuse('has an invalid region; a valid one is eu-central-1');
  }
  const tls = parameters.get('tls') ?? 'on';
  if (tls !== 'on' && tls !== 'off') throw refuse('must have tls=on or tls=off');
  return { region, tls: tls === 'on' };
}

function readCredentials(url: URL): Credentials | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const accessKeyId = decodeURIComponent(url.username);
    const secretAccessKey = decodeURIComponent(url.password);
    if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey };
  } catch {
    throw refuse('has a % in its key or secret that must be encoded as %25');
  }
  throw refuse(`must contain both the key and the secret, or neither: ${S3_FORM}`);
}

function refuseWithoutCredentials(): never {
  throw refuse('has no credentials: add them, or set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
}
