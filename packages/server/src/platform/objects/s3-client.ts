import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { S3Address } from './address.ts';
import { explain, isPassing, readRefusal } from './s3-fault.ts';

/** Four pauses of up to 3 s in all: a store that restarts is waited for, a member who waits is not left alone for long. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;
const CONNECT_MS = 5_000;
/** To the first byte of the answer. With a body it includes sending 8 MiB, at half a megabit a second. */
const ANSWER_MS = 20_000;
const ANSWER_TO_BODY_MS = 120_000;
/** Between two pieces of an answer; a reader of ours that is slow does not count. */
const SILENCE_MS = 30_000;

export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the address's prefix; empty for the bucket itself. */
  readonly key: string;
  /** For messages: "write a/b". */
  readonly purpose: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export type Answer = Dispatcher.ResponseData;

/** Signs, sends, and sends again. Every ask may be repeated: none adds to what is there. */
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

  /** `take` belongs to the attempt: an answer that breaks off while it reads is asked for again. */
  async send<Result>(ask: Ask, take: (answer: Answer) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#request(ask);
        if (answer.statusCode >= 300) throw await readRefusal(answer);
        return await take(answer);
      } catch (error) {
        if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      }
      // Between half and all of it, so that many who failed together do not come back together.
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

  async #request(ask: Ask): Promise<Answer> {
    const { method, body } = ask;
    // The hash is part of the signature, so the store refuses a body that was damaged on its way, without TLS too.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const headers = { ...ask.headers, 'x-amz-content-sha256': hash };
    const signed = await this.#signer(method, this.#urlOf(ask.key, ask.query), { headers }).sign();
    const { origin, pathname, search } = signed.url;
    this.#agent ??= createAgent();
    return (await this.#agent).request({
      origin,
      path: `${pathname}${search}`,
      method,
      headers: Object.fromEntries(signed.headers),
      body: body ?? null,
      headersTimeout: body === undefined ? ANSWER_MS : ANSWER_TO_BODY_MS,
    });
  }
}

/** Loaded at the first request: it costs a start on a folder, and every command, a tenth of a second. */
async function createAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: SILENCE_MS });
}

/** A signature covers %20, which URLSearchParams writes as a plus. */
const spellOut = (url: URL): string => {
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
};
