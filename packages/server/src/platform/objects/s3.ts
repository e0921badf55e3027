import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  fitRange,
  isFaultOf,
  type ObjectBody,
  type Objects,
  ObjectsError,
  refuseSpentStream,
  type S3Address,
  type StoredObject,
} from './interface.ts';
import {
  Refusal,
  readElement,
  readElements,
  S3Client,
  type S3Response,
  toRefusal,
  writeCompletion,
  writeDeletion,
} from './s3-client.ts';

/** S3 accepts up to 10,000 parts of at least 5 MiB, so these allow 80 GiB. Each upload keeps at most two in memory. */
const PART_BYTES = 8 * 1024 * 1024;

/** Splits the body into parts of PART_BYTES; only the last may be shorter. Yields nothing for an empty body. */
async function* partsOf(body: ObjectBody): AsyncGenerator<Buffer, undefined> {
  if (Buffer.isBuffer(body)) {
    for (let start = 0; start < body.length; start += PART_BYTES) yield body.subarray(start, start + PART_BYTES);
  } else if (body instanceof Readable) {
    yield* partsOfStream(body);
  } else {
    yield* partsOfFile(body.file);
  }
  return undefined;
}

async function* partsOfFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    while (true) {
      const part = Buffer.allocUnsafe(PART_BYTES);
      let filled = 0;
      while (filled < PART_BYTES) {
        const { bytesRead } = await file.read(part, filled, PART_BYTES - filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield part.subarray(0, filled);
      if (filled < PART_BYTES) return;
    }
  } finally {
    await file.close();
  }
}

async function* partsOfStream(body: Readable): AsyncGenerator<Buffer> {
  refuseSpentStream(body);
  let part = Buffer.allocUnsafe(PART_BYTES);
  let filled = 0;
  for await (const piece of body) {
    const chunk: Buffer = Buffer.from(piece);
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(part, filled, taken);
      taken += copied;
      filled += copied;
      if (filled === PART_BYTES) {
        yield part;
        part = Buffer.allocUnsafe(PART_BYTES);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

/** The maximum of the signature format. */
const PRESIGN_SECONDS_MAX = 604_800;

const discard = (response: S3Response): Promise<void> => response.body.dump();
const readText = (response: S3Response): Promise<string> => response.body.text();

/** Some errors have status 200, because the store starts the response before it knows the result. */
async function readSuccess(response: S3Response): Promise<string> {
  const xml = await readText(response);
  if (/<Error>/.test(xml)) throw toRefusal(response.statusCode, xml);
  return xml;
}

const header = (response: S3Response, name: string): string => {
  const value = response.headers[name];
  return typeof value === 'string' ? value : '';
};

const isAbsent = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 404 && error.code !== 'NoSuchBucket';

export class S3Objects implements Objects {
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(address: S3Address, clock: Clock) {
    this.#client = new S3Client(address, clock);
    this.#prefix = address.prefix;
  }

  async put(key: string, body: ObjectBody, { type }: { type: string }): Promise<void> {
    const purpose = `write ${key}`;
    const headers = { 'content-type': type };
    const parts = partsOf(body);
    try {
      checkKey(key);
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      if (first.length < PART_BYTES) {
        await this.#client.send({ method: 'PUT', key, purpose, headers, body: first }, discard);
      } else {
        await this.#putInParts({ key, purpose, headers, first, rest: parts });
      }
    } catch (error) {
      const isBodyFault = isFaultOf(body, error);
      if (body instanceof Readable) body.destroy();
      throw isBodyFault ? error : this.#client.explain(error, purpose);
    } finally {
      await parts.return(undefined);
    }
  }

  async open(key: string): Promise<StoredObject | null> {
    checkKey(key);
    const purpose = `open ${key}`;
    try {
      const response = await this.#client.send({ method: 'HEAD', key, purpose }, async (head) => {
        await discard(head);
        return head;
      });
      const size = Number(header(response, 'content-length'));
      const etag = header(response, 'etag');
      return { size, etag: etag.replaceAll('"', ''), stream: (range) => this.#stream(key, size, etag, range) };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw this.#client.explain(error, purpose);
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    const purpose = `delete ${key}`;
    try {
      await this.#client.send({ method: 'DELETE', key, purpose }, discard);
    } catch (error) {
      if (!isAbsent(error)) throw this.#client.explain(error, purpose);
    }
  }

  async deleteAll(prefix: string): Promise<void> {
    checkPrefix(prefix);
    const purpose = `delete ${prefix}`;
    try {
      let after: string | undefined;
      do {
        const query = {
          'list-type': '2',
          prefix: `${this.#prefix}${prefix}`,
          ...(after === undefined ? {} : { 'continuation-token': after }),
        };
        const page = await this.#client.send({ method: 'GET', key: '', purpose, query }, readSuccess);
        await this.#deleteListed(readElements(page, 'Key'), purpose);
        after = readElement(page, 'IsTruncated') === 'true' ? readElement(page, 'NextContinuationToken') : undefined;
      } while (after !== undefined);
    } catch (error) {
      throw this.#client.explain(error, purpose);
    }
  }

  async presign(key: string, { seconds, type }: { seconds: number; type: string }): Promise<string> {
    checkKey(key);
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > PRESIGN_SECONDS_MAX) {
      throw new RangeError(`a URL can be valid for 1 to ${PRESIGN_SECONDS_MAX} seconds, not ${seconds}`);
    }
    return this.#client.presign(key, { 'X-Amz-Expires': `${seconds}`, 'response-content-type': type });
  }

  async #stream(key: string, size: number, etag: string, requested: ByteRange | undefined): Promise<Readable> {
    const purpose = `read ${key}`;
    const range = requested && fitRange(requested, size);
    const expected = range === undefined ? size : range.end - range.start + 1;
    const headers = {
      'if-match': etag,
      ...(range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }),
    };
    try {
      return await this.#client.send({ method: 'GET', key, purpose, headers }, async (response) => {
        if (Number(header(response, 'content-length')) === expected) return this.#explained(response.body, purpose);
        response.body.destroy();
        throw new ObjectsError('failed', `cannot ${purpose}: the store sent a different range than requested`);
      });
    } catch (error) {
      if (isAbsent(error) || (error instanceof Refusal && error.status === 412)) {
        throw new ObjectsError('changed', `${key} was replaced or deleted since it was opened`);
      }
      throw this.#client.explain(error, purpose);
    }
  }

  /** Errors of a connection that breaks off are explained like those of a request. */
  #explained(body: Readable, purpose: string): Readable {
    const client = this.#client;
    async function* read() {
      try {
        yield* body;
      } catch (error) {
        throw client.explain(error, purpose);
      }
    }
    // Also when nothing of it was read.
    return Readable.from(read(), { objectMode: false }).once('close', () => body.destroy());
  }

  async #putInParts(upload: {
    key: string;
    purpose: string;
    headers: Record<string, string>;
    first: Buffer;
    rest: AsyncGenerator<Buffer>;
  }): Promise<void> {
    const { key, purpose, headers, first, rest } = upload;
    // A retry may leave an upload without parts: it takes no space, and the bucket's lifecycle rule removes it.
    const started = await this.#client.send(
      { method: 'POST', key, purpose, headers, query: { uploads: '' } },
      readSuccess,
    );
    const uploadId = readElement(started, 'UploadId') ?? '';
    let sending = this.#putPart(key, purpose, uploadId, 1, first);
    try {
      const etags: string[] = [];
      // The error is thrown when the part is awaited, after the next part was read.
      sending.catch(() => undefined);
      for await (const part of rest) {
        etags.push(await sending);
        sending = this.#putPart(key, purpose, uploadId, etags.length + 1, part);
        sending.catch(() => undefined);
      }
      etags.push(await sending);
      const body = Buffer.from(writeCompletion(etags));
      await this.#client.send({ method: 'POST', key, purpose, query: { uploadId }, body }, readSuccess);
    } catch (error) {
      // A part that arrives after the upload was aborted would be stored forever.
      await sending.catch(() => undefined);
      // Reports why the upload failed, not that its parts could not be deleted.
      await this.#client.send({ method: 'DELETE', key, purpose, query: { uploadId } }, discard).catch(() => undefined);
      throw error;
    }
  }

  #putPart(key: string, purpose: string, uploadId: string, number: number, body: Buffer): Promise<string> {
    const query = { partNumber: `${number}`, uploadId };
    return this.#client.send({ method: 'PUT', key, purpose, query, body }, async (response) => {
      await discard(response);
      return header(response, 'etag');
    });
  }

  /** A listing page has at most a thousand keys, the limit of one deletion. */
  async #deleteListed(keys: readonly string[], purpose: string): Promise<void> {
    if (keys.length === 0) return;
    const body = Buffer.from(writeDeletion(keys));
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    await this.#client.send({ method: 'POST', key: '', purpose, query: { delete: '' }, headers, body }, readSuccess);
  }
}
