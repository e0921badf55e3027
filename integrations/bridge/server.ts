import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Bridge } from './context.ts';
import { type Acknowledgement, handleCrmWebhook } from './crm-webhooks.ts';
import { handleForewordWebhook } from './foreword-webhooks.ts';
import { type CrmRequest, RequestError } from './recipe.ts';
import { readBody } from './service.ts';

/** Larger than any documented webhook of the supported CRMs, small enough to keep in memory. */
const BODY_LIMIT = 1024 * 1024;
const RETRY_AFTER_S = 30;

const readHeaders = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

function decodeSecret(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new RequestError(400, 'the path is not valid');
  }
}

interface Handlers {
  crm(request: CrmRequest): Promise<Acknowledgement>;
  foreword(rawBody: string, headers: Record<string, string>): Promise<Acknowledgement>;
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function answer(request: IncomingMessage, handlers: Handlers, publicUrl: string | undefined) {
  const target = request.url ?? '/';
  const { pathname } = new URL(target, 'http://recipe');
  const isCrm = pathname === '/crm' || pathname.startsWith('/crm/');
  if (pathname === '/healthz') {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new RequestError(405, 'use GET');
    return { contentType: JSON_TYPE, body: '{"ok":true}' };
  }
  if (!isCrm && pathname !== '/foreword') throw new RequestError(404, 'no such path');
  if (request.method !== 'POST') throw new RequestError(405, 'use POST');
  const rawBody = await readBody(request, BODY_LIMIT);
  const headers = readHeaders(request);
  if (!isCrm) return handlers.foreword(rawBody, headers);
  const url = `${publicUrl ?? `http://${headers.host ?? 'localhost'}`}${target}`;
  return handlers.crm({ url, headers, rawBody, pathSecret: decodeSecret(pathname.slice('/crm/'.length)) });
}

function reply(response: ServerResponse, status: number, contentType: string, body: string): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.setHeader('cache-control', 'no-store');
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_S);
  // The rest of a body that is too large is not read.
  if (status === 413) response.setHeader('connection', 'close');
  response.end(body);
}

/** Serves `/crm` for the CRM, `/foreword` for Foreword's webhooks, and `/healthz`. */
export function createRecipeServer(bridge: Bridge, publicUrl: string | undefined): Server {
  const handlers: Handlers = { crm: handleCrmWebhook(bridge), foreword: handleForewordWebhook(bridge) };
  return createServer(async (request, response) => {
    try {
      const { contentType, body } = await answer(request, handlers, publicUrl);
      reply(response, 200, contentType, body);
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 503;
      const message = error instanceof RequestError ? error.message : 'not processed; send it again later';
      if (status === 401) bridge.log.warn('rejected a request', { reason: message });
      reply(response, status, JSON_TYPE, JSON.stringify({ error: message }));
    }
  });
}
