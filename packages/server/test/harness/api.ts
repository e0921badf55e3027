export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined if the response is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, like an integrator's script.
  readonly body: any;
}

export interface Api {
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown, options?: { key?: string; headers?: Record<string, string> }): Promise<Reply>;
  /** Any request; adds only the organization's key, unless `headers` has its own. */
  raw(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string | Buffer },
  ): Promise<Reply>;
}

let keys = 0;
/** An unused idempotency key. Counted, not random, so that a log can be matched to its run. */
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
