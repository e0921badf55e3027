import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress, type Encoding, matchesTag } from './encoding.ts';

interface Compressed {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Serves a document that stays the same for the life of the process: from memory, compressed once for each encoding. */
export function createCachedDocument(options: {
  readonly type: string;
  readonly quality: number;
  /** `no-cache` unless given: browsers ask each time whether it has changed. */
  readonly cacheControl?: string;
  /** False for content that is already compressed. */
  readonly compresses?: boolean;
  read(): Buffer | Promise<Buffer>;
}): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { cacheControl = 'no-cache', compresses = true } = options;
  const documents = new Map<Encoding, Promise<Compressed>>();

  async function make(encoding: Encoding): Promise<Compressed> {
    const bytes = await compress(await options.read(), encoding, options.quality);
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }

  function find(encoding: Encoding): Promise<Compressed> {
    const cached = documents.get(encoding);
    if (cached !== undefined) return cached;
    const made = make(encoding);
    documents.set(encoding, made);
    // Failures are not cached.
    made.catch(() => documents.delete(encoding));
    return made;
  }

  return async (request, reply) => {
    const encoding = compresses ? chooseEncoding(request.headers['accept-encoding']) : 'identity';
    const { bytes, etag } = await find(encoding);
    reply.type(options.type).header('etag', etag).header('cache-control', cacheControl);
    if (compresses) reply.header('vary', 'accept-encoding');
    if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.send(bytes);
  };
}
