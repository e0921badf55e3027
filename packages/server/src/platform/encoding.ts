import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCache } from './bounded-map.ts';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The best encoding that the header `Accept-Encoding` allows. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const offers = (accepted ?? '').toLowerCase().split(',');
  const accepts = (name: string) =>
    offers.some((offer) => new RegExp(`^\\s*${name}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`).test(offer));
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

/** `quality` applies to brotli: up to 11 for cached files, 5 or 6 when a reader waits for the result. */
export async function compress(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') return promisify(gzip)(bytes);
  return promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

/** `If-None-Match`, compared weakly. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const wanted = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === wanted);
}

/** Shorter bodies fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** Lists are compressed while the caller waits: 2 ms for a page of 100 intros. */
const BROTLI_QUALITY = 4;

/** Sends a body with a weak ETag, compressed as the client accepts; 304 without a body if the client has the same one. */
export async function sendConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<string | Buffer | FastifyReply> {
  const { 'if-none-match': known, 'accept-encoding': accepted } = request.headers;
  // Weak, because it is the same for every encoding.
  const etag = `W/"${hash('sha256', text, 'base64url')}"`;
  reply.header('etag', etag).header('vary', 'accept-encoding');
  if (matchesTag(known, etag)) return reply.code(304).send();
  const bytes = Buffer.from(text);
  if (bytes.length < MIN_COMPRESSED_BYTES) return text;
  const encoding = chooseEncoding(accepted);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return compress(bytes, encoding, BROTLI_QUALITY);
}

/** For addresses that contain a hash of the content. */
export const FOREVER = 'public, max-age=31536000, immutable';

export type CachedDocument = ReturnType<typeof createCachedDocument>;

/** Serves a document that stays the same for the life of the process: from memory, compressed once for each encoding. */
export function createCachedDocument(options: {
  readonly type: string;
  readonly quality: number;
  /** `no-cache` unless given: browsers ask each time whether it has changed. */
  readonly cacheControl?: string;
  /** False for content that is already compressed. */
  readonly compresses?: boolean;
  /** The same, compressed before. */
  readonly brotli?: Buffer | undefined;
  read(): Buffer | Promise<Buffer>;
}) {
  const { cacheControl = 'no-cache', compresses = true } = options;
  const documents = createCache<{ bytes: Buffer; etag: string }>(Number.POSITIVE_INFINITY);

  async function make(encoding: Encoding) {
    const ready = encoding === 'br' ? options.brotli : undefined;
    const bytes = ready ?? (await compress(await options.read(), encoding, options.quality));
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const encoding = compresses ? chooseEncoding(request.headers['accept-encoding']) : 'identity';
    const { bytes, etag } = await documents.get(encoding, () => make(encoding));
    reply.type(options.type).header('etag', etag).header('cache-control', cacheControl);
    if (compresses) reply.header('vary', 'accept-encoding');
    if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.send(bytes);
  };
}
