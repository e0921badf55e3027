import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { S3Address } from './address.ts';
import { checkObjects } from './check.ts';
import { type ByteRange, type ObjectBody, type Objects, ObjectsError, type StoredObject } from './interface.ts';
import { checkKey, checkPrefix, fitRange } from './keys.ts';
import { type Answer, S3Client } from './s3-client.ts';
import { Refusal, toRefusal } from './s3-fault.ts';
import { PART_BYTES, partsOf } from './s3-parts.ts';
import { readElement, readElements, writeCompletion, writeDeletion } from './s3-xml.ts';
import { isFaultOf } from './source.ts';

/** Of the signature's own rules. */
const PRESIGN_SECONDS_MAX = 604_800;

const discard = (answer: Answer): Promise<void> => answer.body.dump();
const readText = (answer: Answer): Promise<string> => answer.body.text();

/** Some errors come with status 200, when the store had begun to answer before it knew. */
async function readSuccess(answer: Answer): Promise<string> {
  const xml = await readText(answer);
  if (/<Error>/.test(xml)) throw toRefusal(answer.statusCode, xml);
  return xml;
}

const header = (answer: Answer, name: string): string => {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : '';
};

const isAbsent = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 404 && error.code !== 'NoSuchBucket';

export function openS3(address: S3Address, clock: Clock): Objects {
  return new S3Objects(address, clock);
}

class S3Objects implements Objects {
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
      const isTheirs = isFaultOf(body, error);
      if (body instanceof Readable) body.destroy();
      throw isTheirs ? error : this.#client.explain(error, purpose);
    } finally {
      await parts.return(undefined);
    }
  }

  async open(key: string): Promise<StoredObject | null> {
    checkKey(key);
    const purpose = `open ${key}`;
    try {
      const answer = await this.#client.send({ method: 'HEAD', key, purpose }, async (head) => {
        await discard(head);
        return head;
      });
      const size = Number(header(answer, 'content-length'));
      const etag = header(answer, 'etag');
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
      throw new RangeError(`an address lives from 1 to ${PRESIGN_SECONDS_MAX} seconds, not ${seconds}`);
    }
    return this.#client.presign(key, { 'X-Amz-Expires': `${seconds}`, 'response-content-type': type });
  }

  async check(): Promise<void> {
    await checkObjects(this);
  }

  async #stream(key: string, size: number, etag: string, asked: ByteRange | undefined): Promise<Readable> {
    const purpose = `read ${key}`;
    const range = asked && fitRange(asked, size);
    const expected = range === undefined ? size : range.end - range.start + 1;
    const headers = {
      'if-match': etag,
      ...(range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }),
    };
    try {
      return await this.#client.send({ method: 'GET', key, purpose, headers }, async (answer) => {
        if (Number(header(answer, 'content-length')) === expected) return answer.body;
        answer.body.destroy();
        throw new ObjectsError('failed', `cannot ${purpose}: the store sent another range than was asked for`);
      });
    } catch (error) {
      if (isAbsent(error) || (error instanceof Refusal && error.status === 412)) {
        throw new ObjectsError('changed', `${key} was replaced or deleted since it was opened`);
      }
      throw this.#client.explain(error, purpose);
    }
  }

  async #putInParts(upload: {
    key: string;
    purpose: string;
    headers: Record<string, string>;
    first: Buffer;
    rest: AsyncGenerator<Buffer>;
  }): Promise<void> {
    const { key, purpose, headers, first, rest } = upload;
    // A repeated start may leave an upload without parts behind: it takes no room, and the bucket's own rule sweeps it.
    const started = await this.#client.send(
      { method: 'POST', key, purpose, headers, query: { uploads: '' } },
      readSuccess,
    );
    const uploadId = readElement(started, 'UploadId') ?? '';
    let sending = this.#putPart(key, purpose, uploadId, 1, first);
    try {
      const etags: string[] = [];
      // A failure is told when the part is awaited, after the next one was gathered.
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
      // A part that arrives after the end of its upload would stay for ever.
      await sending.catch(() => undefined);
      // What is told is why the upload failed, not that its parts could not be dropped.
      await this.#client.send({ method: 'DELETE', key, purpose, query: { uploadId } }, discard).catch(() => undefined);
      throw error;
    }
  }

  #putPart(key: string, purpose: string, uploadId: string, number: number, body: Buffer): Promise<string> {
    const query = { partNumber: `${number}`, uploadId };
    return this.#client.send({ method: 'PUT', key, purpose, query, body }, async (answer) => {
      await discard(answer);
      return header(answer, 'etag');
    });
  }

  /** A page of a listing has a thousand keys at most, which is what one deletion takes. */
  async #deleteListed(keys: readonly string[], purpose: string): Promise<void> {
    if (keys.length === 0) return;
    const body = Buffer.from(writeDeletion(keys));
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    await this.#client.send({ method: 'POST', key: '', purpose, query: { delete: '' }, headers, body }, readSuccess);
  }
}
