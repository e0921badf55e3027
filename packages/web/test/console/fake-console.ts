import http from 'node:http';
import type { ConsoleKey, ConsoleResponse, ConsoleSession, Role } from '@foreword/contract';
import { NO_PAGE, renderConsole } from '../../../server/src/console/page.ts';
import { listenLocally } from '../../../server/test/harness/streams.ts';
import type { WebBuild } from '../../build.ts';
import { NONCE, readBody, sendAsset, sendHtml } from '../fake-server.ts';

/** The same policy as the real server's. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'nonce-${NONCE}'`,
  "connect-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const API = '/console/api';
const SIGN_IN = '<!doctype html><title>Sign in</title>';

export function exampleSession(role: Role = 'owner'): ConsoleSession {
  return {
    member: {
      id: 'mem_01kahzv8e1f0rtx5m2q6n9d3bw',
      first_name: 'Ana',
      last_name: 'Ng',
      email: 'ana@acme.example',
      role,
      photo_url: null,
      records: role === 'member',
    },
    organization: {
      id: 'org_01kahzv8e1f0rtx5m2q6n9d3bw',
      name: 'Acme Exteriors',
      industry: 'exterior_remodeling',
      lanes: ['retail', 'insurance'],
      timezone: 'America/Chicago',
      logo_url: null,
    },
    public_url: 'https://hi.acme.example',
    passkey_needed_from: null,
  };
}

interface Call {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The Idempotency-Key. */
  readonly key: string | undefined;
}
type Handler = (call: Call) => unknown;
type Answer = object | Handler;

/** A response other than 200. */
export class Refusal {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly field?: string };

  constructor(status: number, error: Refusal['error']) {
    this.status = status;
    this.error = error;
  }
}

const UNKNOWN = new Refusal(404, { code: 'not_found', message: 'Not found.' });
const SIGNED_OUT = new Refusal(401, { code: 'unauthorized', message: 'You are no longer signed in.' });

/** A console server without a database: serves the page and the responses that a test sets. */
export class FakeConsole {
  session = exampleSession();
  signedIn = true;
  /** Drops connections, as during a restart. */
  down = false;
  /** Breaks off in the middle of the next response. */
  breaksOff = false;
  /** The received requests, in order: `GET /members?q=ana`. */
  readonly requests: string[] = [];
  origin = '';
  stop: () => Promise<void> = async () => undefined;
  readonly #build: WebBuild;
  readonly #answers = new Map<string, Answer>();
  readonly #listeners = new Set<http.ServerResponse>();
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));

  private constructor(build: WebBuild) {
    this.#build = build;
  }

  static async start(build: WebBuild): Promise<FakeConsole> {
    const fake = new FakeConsole(build);
    fake.answer('GET /session', () => fake.session);
    const { url, close } = await listenLocally(fake.#server);
    fake.origin = url;
    fake.stop = close;
    return fake;
  }

  /** Sets the response of an operation: a value, a Refusal, or a function that returns one of them. */
  answer<K extends ConsoleKey>(key: K, answer: ConsoleResponse<K> | Refusal | Handler): void {
    this.#answers.set(key, answer as Answer);
  }

  /** Sends a live update to all listeners. */
  publish(topic: string): void {
    for (const listener of this.#listeners) listener.write(`data: ${JSON.stringify({ topic })}\n\n`);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Simulates a stopped server; closes all live connections. */
  goDown(): void {
    this.down = true;
    this.#server.closeAllConnections();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (this.down) return void request.destroy();
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    if (pathname.startsWith('/assets/')) return sendAsset(this.#build, pathname, response);
    if (pathname === '/console/signin') return sendHtml(SIGN_IN, POLICY, response);
    // Shown in a frame, which the policy of the console's own pages forbids.
    if (pathname === '/console/sample') return void response.writeHead(200, { 'content-type': 'text/html' }).end();
    if (pathname === `${API}/live`) return this.#listen(response);
    if (pathname.startsWith(`${API}/`)) return this.#sendAnswer(request, response, pathname, searchParams);
    this.#sendShell(response);
  }

  #sendShell(response: http.ServerResponse): void {
    const entry = this.#build.entries.console;
    if (entry === undefined) throw new Error('the console is not built');
    sendHtml(renderConsole(entry, { session: this.session }, NO_PAGE, NONCE), POLICY, response);
  }

  #listen(response: http.ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write(':\n\n');
    this.#listeners.add(response);
    response.on('close', () => this.#listeners.delete(response));
  }

  async #sendAnswer(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    pathname: string,
    query: URLSearchParams,
  ): Promise<void> {
    const method = request.method ?? 'GET';
    const below = pathname.slice(API.length);
    const search = query.toString();
    this.requests.push(`${method} ${below}${search === '' ? '' : `?${search}`}`);
    const text = String(await readBody(request));
    const found = this.signedIn ? this.#find(method, below) : { answer: SIGNED_OUT, params: {} };
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { answer, params } = found;
    const key = request.headers['idempotency-key'] as string | undefined;
    const result: unknown =
      typeof answer === 'function' ? await (answer as Handler)({ params, query, body, key }) : answer;
    const [status, sent] = result instanceof Refusal ? [result.status, { error: result.error }] : [200, result];
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_example' });
    if (this.breaksOff) {
      this.breaksOff = false;
      response.write('{', () => response.destroy());
    } else response.end(JSON.stringify(sent));
  }

  #find(method: string, below: string): { answer: Answer; params: Record<string, string> } {
    for (const [key, answer] of this.#answers) {
      const [verb, pattern = ''] = key.split(' ');
      const match = new RegExp(`^${pattern.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(below);
      if (verb === method && match !== null) return { answer, params: { ...match.groups } };
    }
    return { answer: UNKNOWN, params: {} };
  }
}
