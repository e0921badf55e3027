import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress } from '../platform/encoding.ts';
import type { Document } from './view.ts';

/** Nobody on the way keeps a page, and a browser asks each time: what was cancelled is gone at once. */
const FRESH = 'private, no-cache';
const PRIVATE_HEADERS = {
  'cache-control': FRESH,
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};
const DOCUMENT_HEADERS = {
  ...PRIVATE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  vary: 'accept-encoding',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), browsing-topics=()',
};
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/** Opened by itself, a video is in a player that the browser makes, and that asks for it once more; not in a sandbox. */
const VIDEO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'";
const BROTLI_QUALITY = 5;

export interface Compressed {
  readonly policy: string;
  readonly bytes: Buffer;
  readonly encoding: string;
}

export function answerDocument(reply: FastifyReply, status: number, { policy, bytes, encoding }: Compressed) {
  // Whoever sends a page that nobody may keep at all has said so before.
  const kept = reply.getHeader('cache-control') ?? FRESH;
  reply.code(status).headers(DOCUMENT_HEADERS).header('cache-control', kept).header('content-security-policy', policy);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.header('content-length', bytes.length);
  return reply.request.method === 'HEAD' ? reply.send() : reply.send(bytes);
}

/** For documents that are made for one answer. */
export async function sendDocument(request: FastifyRequest, reply: FastifyReply, status: number, document: Document) {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const bytes = await compress(Buffer.from(document.html), encoding, BROTLI_QUALITY);
  return answerDocument(reply, status, { policy: document.policy, bytes, encoding });
}

/** Of a link, neither what it opens nor that it was followed is told to anybody. */
export const markFile = (reply: FastifyReply, type: string): FastifyReply =>
  reply
    .headers(PRIVATE_HEADERS)
    .header('content-security-policy', type === 'video/mp4' ? VIDEO_POLICY : FILE_POLICY)
    .type(type);

/** To another address below the same link. */
export const sendElsewhere = (reply: FastifyReply, path: string): FastifyReply =>
  reply.headers(PRIVATE_HEADERS).header('referrer-policy', 'no-referrer').redirect(path, 303);

export const sendNothing = (reply: FastifyReply, status: number): FastifyReply =>
  reply.code(status).header('cache-control', FRESH).send();
