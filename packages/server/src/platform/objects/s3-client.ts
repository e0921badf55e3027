import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { S3Address } from './address.ts';
import { explain, isTransient, readRefusal } from './s3-fault.ts';

/** Four pauses of at most 3 s in total: enough for a store that restarts, short enough for a waiting member. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
const CONNECT_MS = 5_000;
/** Until the first byte of the response. With a body, this includes sending 8 MiB at half a megabit per second. */
const RESPONSE_MS = 20_000;
const RESPONSE_TO_BODY_MS = 120_000;
/** Between two chunks of a response; a slow reader on our side does not count. */
const SILENCE_MS = 30_000;

export interface S3Request {
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
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const headers = { ...request.headers, 'x-amz-content-sha256': hash };
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
