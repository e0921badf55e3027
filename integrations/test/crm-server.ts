import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CrmCall {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: each route checks the body it documents.
  readonly body: any;
  /** The groups of the route's path. */
  readonly groups: readonly string[];
}

export interface CrmAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
}

/** One documented operation. `path` matches the whole path without its query. */
export interface CrmRoute {
  readonly method: string;
  readonly path: RegExp;
  answer(call: CrmCall): CrmAnswer;
}

export interface CrmServer {
  readonly url: string;
  readonly calls: CrmCall[];
  /** Requests that the vendor does not document. Every test file asserts that there are none. */
  readonly violations: string[];
  /** Answers the next requests whose path contains `part`, instead of their route. */
  interrupt(part: string, answers: readonly CrmAnswer[]): void;
  close(): Promise<void>;
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

/** The CRM's API as its vendor documents it. `check` throws if a header is missing. */
export async function startCrmServer(routes: readonly CrmRoute[], check: (call: CrmCall) => void): Promise<CrmServer> {
  const calls: CrmCall[] = [];
  const violations: string[] = [];
  const interruptions: { part: string; answers: CrmAnswer[] }[] = [];
  const choose = (call: Omit<CrmCall, 'groups'>, path: string): CrmAnswer => {
    const interruption = interruptions.find(({ part, answers }) => path.includes(part) && answers.length > 0);
    const interrupted = interruption?.answers.shift();
    if (interrupted !== undefined) return interrupted;
    const route = routes.find((one) => one.method === call.method && one.path.test(path));
    if (route === undefined) throw new Error('no such operation');
    const groups = (route.path.exec(path) ?? []).slice(1).map(decodeURIComponent);
    check({ ...call, groups });
    return route.answer({ ...call, groups });
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, body: parse(await text(request)) };
    calls.push({ ...call, groups: [] });
    let answer: CrmAnswer;
    try {
      answer = choose(call, url.split('?')[0] ?? '');
    } catch (error) {
      violations.push(`${method} ${url}: ${(error as Error).message}`);
      answer = { status: 400 };
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.json === undefined ? undefined : JSON.stringify(answer.json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    violations,
    interrupt: (part, answers) => interruptions.push({ part, answers: [...answers] }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
