export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined when the answer was no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests, as an integrator's script would.
  readonly body: any;
}

export interface Api {
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown, options?: { key?: string; headers?: Record<string, string> }): Promise<Reply>;
  /** Anything at all: nothing is added but the key of the organization, unless `headers` has its own. */
  raw(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string | Buffer },
  ): Promise<Reply>;
}

let keys = 0;
/** A key that no other call of this file uses. Counted, not random: a failing run can be told from its log. */
export const nextKey = (): string => `test:${process.pid}:${++keys}`;

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, body };
}

export function createApi(url: string, apiKey: string): Api {
  const authorization = `Bearer ${apiKey}`;
  const raw: Api['raw'] = async (method, path, { headers = {}, body } = {}) =>
    toReply(
      await fetch(url + path, {
        method,
        headers: { authorization, ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      }),
    );
  return {
    raw,
    get: (path) => raw('GET', path),
    post: (path, body, { key = nextKey(), headers = {} } = {}) =>
      raw('POST', path, {
        headers: {
          'idempotency-key': key,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
