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
  /** Video players get short-lived URLs of the store. */
  readonly redirectsPlayers: boolean;
}

const FORMS = 'file:///folder or s3://host/bucket';
const S3_FORM = 's3://KEY:SECRET@host[:port]/bucket[/prefix]?region=…&tls=off&redirect=on';

const PARAMETERS = new Set(['region', 'tls', 'redirect']);

const refuse = (problem: string): ObjectsUrlError => new ObjectsUrlError(`OBJECTS_URL ${problem}`);

/** Parses the URL without touching the store, so that a bad one is rejected at startup. */
export function readObjectsUrl(text: string): FolderAddress | S3Address {
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return readFolder(text, url);
  if (url?.protocol === 's3:') return readS3(url);
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

function readCredentials(url: URL): Credentials {
  try {
    const accessKeyId = decodeURIComponent(url.username);
    const secretAccessKey = decodeURIComponent(url.password);
    if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey };
  } catch {
    throw refuse('has a % in its key or secret that must be encoded as %25');
  }
  throw refuse(`must contain the key and the secret: ${S3_FORM}`);
}
