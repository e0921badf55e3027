// A carrier of texts for SMS_CARRIER=http: it forwards each text to Plivo, or to its log. To use another provider, write the
// functions of `Provider` (provider.ts) for it. The protocol is described in docs/guides/delivery.md.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createLog,
  createVariables,
  RequestError,
  readBody,
  runService,
  SettingsError,
  serve,
} from '../bridge/index.ts';
import { type Answer, type Carrier, createCarrier } from './carrier.ts';
import { openJournal } from './journal.ts';
import { createLogProvider } from './log-provider.ts';
import { createPlivo } from './plivo.ts';
import type { Provider, Text } from './provider.ts';
import { isSigned } from './signatures.ts';

const BODY_LIMIT = 64 * 1024;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

const log = createLog('http-carrier');

function readSettings() {
  const variables = createVariables(process.env);
  const secret = variables.text('SMS_HTTP_SECRET');
  if (!SECRET.test(secret))
    throw new SettingsError('SMS_HTTP_SECRET must be the secret of Foreword: whsec_ and base64');
  const kind = variables.choice('PROVIDER', ['plivo', 'log'], 'log');
  const provider: Provider =
    kind === 'log'
      ? createLogProvider((message) => log.info('received a text; nothing is sent', { message }))
      : createPlivo({
          authId: variables.text('PLIVO_AUTH_ID'),
          authToken: variables.text('PLIVO_AUTH_TOKEN'),
          from: variables.text('PLIVO_FROM'),
          apiUrl: variables.url('PLIVO_API_URL', 'https://api.plivo.com'),
        });
  return {
    ...{ secret, provider },
    forewordUrl: variables.url('FOREWORD_URL'),
    publicUrl: variables.url('PUBLIC_URL', kind === 'log' ? 'http://127.0.0.1' : undefined),
    folder: variables.text('DATA_DIR', './data'),
    host: variables.text('HOST', '127.0.0.1'),
    port: Number(variables.text('PORT', '8080')),
  };
}

function readText(body: string): (Text & { readonly statusUrl: string }) | null {
  try {
    const { id, to, body: text, status_url: statusUrl } = JSON.parse(body) as Record<string, unknown>;
    const isValid = [id, to, text, statusUrl].every((value) => typeof value === 'string' && value !== '');
    return isValid ? { id: String(id), to: String(to), body: String(text), statusUrl: String(statusUrl) } : null;
  } catch {
    return null;
  }
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function answer(carrier: Carrier, secret: string, call: Received): Promise<Answer> {
  const { method, path, headers, body } = call;
  if (path === '/healthz') return { status: 200, json: { ok: true } };
  const [, area = '', kind = '', id = ''] = path.split('/').map(decodeURIComponent);
  if (area === 'provider') {
    if (method !== 'POST') return { status: 405 };
    return kind === 'status' ? carrier.report(id, call) : kind === 'inbound' ? carrier.reply(call) : { status: 404 };
  }
  if (!isSigned(secret, headers, body)) return { status: 401 };
  if (method === 'GET') return area === '' ? { status: 200, json: {} } : carrier.query(area);
  const text = readText(body);
  if (method !== 'POST' || text === null) return { status: 400, json: { message: 'id, to, body and status_url' } };
  const sent = await carrier.send(text, text.statusUrl);
  log.info('text', { message: text.id, status: sent.status });
  return sent;
}

function respond(response: ServerResponse, { status, json, content, retryAfterS }: Answer): void {
  response.statusCode = status;
  if (retryAfterS !== undefined) response.setHeader('retry-after', retryAfterS);
  const { type, body } = content ?? { type: 'application/json', body: json === undefined ? '' : JSON.stringify(json) };
  response.setHeader('content-type', type);
  response.end(body);
}

runService(() => {
  const { secret, folder, host, port, publicUrl, ...settings } = readSettings();
  const carrier = createCarrier({ ...settings, secret, publicUrl, journal: openJournal(folder) });
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request, BODY_LIMIT);
      const { method = '', url: target = '/', headers } = request;
      const path = new URL(target, 'http://carrier').pathname;
      respond(response, await answer(carrier, secret, { method, path, url: publicUrl + target, headers, body }));
    } catch (error) {
      respond(response, { status: error instanceof RequestError ? error.status : 500 });
    }
  });
  serve(server, { host, port }, log);
});
