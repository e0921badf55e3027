import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderTeamPage, sendDocument } from '../pages/index.ts';
import { html } from '../platform/html.ts';
import type { ServerOptions } from './server.ts';

/** For clients that are not browsers. */
const POINTERS = { name: 'Foreword', docs: '/docs', openapi: '/openapi.json', console: '/console' };

/** The highest quality that an Accept header gives a media type, not counting wildcards. */
function qualityOf(accept: string, type: string): number {
  const qualities = accept.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) return 0;
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return Number.isNaN(quality) ? 0 : quality;
  });
  return Math.max(...qualities);
}

/** Browsers ask for HTML by name; other clients send a wildcard, JSON or nothing. */
const isBrowser = (accept = ''): boolean => {
  const html = qualityOf(accept, 'text/html');
  return html > 0 && html >= qualityOf(accept, 'application/json');
};

/** `/` redirects browsers to the console and points API clients to the reference. */
export function registerRoot(app: FastifyInstance): void {
  app.get('/', { config: { operation: 'root' } }, async (request, reply) => {
    reply.header('vary', 'accept').header('cache-control', 'no-cache');
    return isBrowser(request.headers.accept) ? reply.redirect('/console', 302) : POINTERS;
  });
}

const UNKNOWN = {
  title: 'Page not found',
  text: 'There is nothing at this address. If you followed a link in a message, open it there again: part of it may be missing.',
  team: 'Go to the console',
} as const;

/** For browsers at an address without a page. It may be a damaged link of a recipient, so it says nothing about anyone. */
export function createUnknownPage(publicUrl: string): NonNullable<ServerOptions['unknownPageFor']> {
  const console = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/console`;
  const document = renderTeamPage({
    title: UNKNOWN.title,
    inside: html`<p>${UNKNOWN.text}</p>
<p><a href="${console}">${UNKNOWN.team}</a></p>`,
  });
  const send = (request: FastifyRequest, reply: FastifyReply) => sendDocument(request, reply, 404, document);
  return ({ method, headers }) => (method === 'GET' && isBrowser(headers.accept) ? send : undefined);
}
