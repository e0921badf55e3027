import { ForewordWebhookError } from './errors.ts';
import type { WebhookPayload } from './generated/types.ts';
import { runtime } from './runtime.ts';

/** Headers of fetch, of Node, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The endpoint's secret, or several while you rotate it. Default: `webhookSecret` of the client. */
  readonly secret?: string | readonly string[] | undefined;
}

/** A verified webhook. `id` is the same each time this message is sent: skip those that you have seen. */
export type VerifiedWebhook = WebhookPayload & { readonly id: string };

/** Standard Webhooks 1.0 gives this to differences between clocks and to slow networks. */
const TOLERANCE_S = 300;

function readHeader(headers: WebhookHeaders, name: string): string {
  let value: unknown;
  if (typeof headers?.get === 'function') {
    value = headers.get(name);
  } else {
    const entry = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name);
    value = Array.isArray(entry?.[1]) ? entry[1].join(' ') : entry?.[1];
  }
  if (typeof value !== 'string' || value === '')
    throw new ForewordWebhookError('missing_header', `The header ${name} is missing: pass all headers of the request`);
  return value;
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(runtime.atob(text), (character) => character.charCodeAt(0));
  } catch {
    return;
  }
}

function readKeys(secret: string | readonly string[] | undefined): Uint8Array[] {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === ''))
    throw new ForewordWebhookError(
      'missing_secret',
      'Set webhookSecret in the client, or pass { secret }: the secret of the endpoint, whsec_…',
    );
  return secrets.map((one) => {
    const key = decodeBase64(one.replace(/^whsec_/, ''));
    if (key === undefined || key.length === 0)
      throw new ForewordWebhookError(
        'invalid_secret',
        'The webhook secret must be whsec_ and Base64, as the API returned it',
      );
    return key;
  });
}

function readBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return new runtime.TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Not with instanceof, which fails for a buffer of another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  const isPromise = typeof (body as PromiseLike<unknown> | undefined)?.then === 'function';
  const advice = isPromise
    ? 'a promise: await it first'
    : `${body === null ? 'null' : typeof body}: a body that was parsed has lost the bytes that were signed. Use request.text(), or express.raw({ type: 'application/json' })`;
  throw new ForewordWebhookError('body_not_raw', `Pass the raw body as text or bytes, not ${advice}`);
}

function checkTimestamp(timestamp: string): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new ForewordWebhookError('invalid_timestamp', 'The header webhook-timestamp is not a time in seconds');
  const ageS = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (ageS > TOLERANCE_S)
    throw new ForewordWebhookError(
      'timestamp_too_old',
      `The webhook was sent ${ageS} s ago: more than ${TOLERANCE_S} s`,
    );
  if (ageS < -TOLERANCE_S)
    throw new ForewordWebhookError(
      'timestamp_too_new',
      `The webhook's time is ${-ageS} s ahead of this clock: more than ${TOLERANCE_S} s`,
    );
}

function concatenate(text: string, body: Uint8Array): Uint8Array {
  const head = new runtime.TextEncoder().encode(text);
  const joined = new Uint8Array(head.length + body.length);
  joined.set(head);
  joined.set(body, head.length);
  return joined;
}

/** Takes the same time for every pair of one length, so that the time reveals no part of the signature. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}

async function sign(key: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const { subtle } = runtime.crypto;
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, content));
}

async function hasSignature(header: string, keys: readonly Uint8Array[], content: Uint8Array): Promise<boolean> {
  const signatures = header
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => decodeBase64(entry.slice('v1,'.length)));
  let isValid = false;
  for (const key of keys) {
    const expected = await sign(key, content);
    for (const signature of signatures) if (signature && isEqual(expected, signature)) isValid = true;
  }
  return isValid;
}

/** Checks the signature and the age of a webhook, and returns its payload. Throws a `ForewordWebhookError`. */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  { secret }: VerifyOptions,
): Promise<VerifiedWebhook> {
  const keys = readKeys(secret);
  const body = readBody(rawBody);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature');
  checkTimestamp(timestamp);
  if (!(await hasSignature(signatures, keys, concatenate(`${id}.${timestamp}.`, body))))
    throw new ForewordWebhookError(
      'invalid_signature',
      body.length === 0
        ? 'The body is empty: something else has read it already'
        : 'No signature matches: check that the secret belongs to this endpoint, and that the body is unchanged',
    );
  return readPayload(id, body);
}

function readPayload(id: string, body: Uint8Array): VerifiedWebhook {
  try {
    const payload = JSON.parse(new runtime.TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof payload.type === 'string') return { ...payload, id };
  } catch {
    // The error below covers it.
  }
  throw new ForewordWebhookError('invalid_payload', 'The signature is valid, but the body is no webhook of Foreword');
}

export class Webhooks {
  readonly #secret: string | readonly string[] | undefined;

  constructor(secret: string | readonly string[] | undefined) {
    this.#secret = secret;
  }

  /** Checks the signature and the age of a webhook, and returns its payload. Throws a `ForewordWebhookError`. */
  verify(
    rawBody: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    { secret = this.#secret }: VerifyOptions = {},
  ): Promise<VerifiedWebhook> {
    return verifyWebhook(rawBody, headers, { secret });
  }
}
