import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress, matchesTag } from './encoding.ts';

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
