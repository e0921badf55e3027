import type { IncomingHttpHeaders } from 'node:http';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '@foreword/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress } from '../platform/encoding.ts';
import { renderPlain } from './closed.ts';
import type { Document } from './view.ts';

/** The language that a browser prefers (RFC 9110, 12.5.4), for pages of links that belong to no one. */
export function browserLanguage({ 'accept-language': accepted = '' }: IncomingHttpHeaders): Language {
  const preferred = accepted
    .split(',')
    .map((entry) => {
      const [tag = '', quality = 'q=1'] = entry.split(';').map((part) => part.trim().toLowerCase());
      return { language: tag.split('-')[0], weight: Number(quality.replace('q=', '')) || 0 };
    })
    .sort((one, other) => other.weight - one.weight)
    .flatMap(({ language, weight }) => LANGUAGES.filter((known) => known === language && weight > 0));
  return preferred[0] ?? DEFAULT_LANGUAGE;
}

/** No shared cache stores a page, and browsers revalidate it each time, so a cancelled page closes at once. */
const REVALIDATE = 'private, no-cache';
const PRIVATE_HEADERS = {
  'cache-control': REVALIDATE,
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
/** Opened directly, a video loads again inside the browser's own player, which a sandbox would prevent. */
const VIDEO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'";
const BROTLI_QUALITY = 5;

interface Compressed {
  readonly policy: string;
  readonly bytes: Buffer;
  readonly encoding: string;
}

export function sendCompressed(reply: FastifyReply, status: number, { policy, bytes, encoding }: Compressed) {
  // Keeps a stricter cache-control that the caller has set.
  const cacheControl = reply.getHeader('cache-control') ?? REVALIDATE;
  reply
    .code(status)
    .headers(DOCUMENT_HEADERS)
    .header('cache-control', cacheControl)
    .header('content-security-policy', policy);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.header('content-length', bytes.length);
  return reply.request.method === 'HEAD' ? reply.send() : reply.send(bytes);
}

/** Compresses and sends a document that is rendered per request. */
export async function sendDocument(request: FastifyRequest, reply: FastifyReply, status: number, document: Document) {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const bytes = await compress(Buffer.from(document.html), encoding, BROTLI_QUALITY);
  return sendCompressed(reply, status, { policy: document.policy, bytes, encoding });
}

const language = ({ headers }: FastifyRequest) => browserLanguage(headers);

export const sendUnknown = (request: FastifyRequest, reply: FastifyReply) =>
  sendDocument(request, reply, 404, renderPlain(language(request), 'unknown'));

export const sendTooMany = (request: FastifyRequest, reply: FastifyReply, waitS: number) =>
  sendDocument(request, reply.header('retry-after', waitS), 429, renderPlain(language(request), 'tooMany'));

export const sendUnavailable = (request: FastifyRequest, reply: FastifyReply) =>
  sendDocument(request, reply, 503, renderPlain(language(request), 'unavailable'));

/** Headers that keep a file below a link out of caches and search engines. */
export const setFileHeaders = (reply: FastifyReply, type: string): FastifyReply =>
  reply
    .headers(PRIVATE_HEADERS)
    .header('content-security-policy', type === 'video/mp4' ? VIDEO_POLICY : FILE_POLICY)
    .type(type);

/** For the console, and for everything below a member's link: not cached, not indexed, and no other site learns the address. */
export const keepPrivate = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow');

/** The policy of the console and the recorder, which load everything from this server. `own`: what only one of them needs. */
export const appPolicy = (nonce: string, own: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    ...own,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Redirects within the same link. */
export const redirectTo = (reply: FastifyReply, path: string): FastifyReply =>
  reply.headers(PRIVATE_HEADERS).header('referrer-policy', 'no-referrer').redirect(path, 303);

export const sendEmpty = (reply: FastifyReply, status: number): FastifyReply =>
  reply.code(status).header('cache-control', REVALIDATE).send();
