import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress } from '../platform/encoding.ts';
import type { Document } from './view.ts';

/** Nobody on the way keeps a page, and a browser asks each time: what was cancelled is gone at once. */
const FRESH = 'private, no-cache';
const DOCUMENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': FRESH,
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), browsing-topics=()',
};
/** Of a link, neither what it opens nor that it was followed is told to anybody. */
const FILE_HEADERS = {
  'cache-control': FRESH,
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};
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

export const markFile = (reply: FastifyReply, type: string): FastifyReply => reply.headers(FILE_HEADERS).type(type);

export const sendNothing = (reply: FastifyReply, status: number): FastifyReply =>
  reply.code(status).header('cache-control', FRESH).send();
