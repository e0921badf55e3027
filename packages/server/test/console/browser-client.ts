/** Somebody's browser, as far as signing in needs one: it keeps cookies, and says where a form was sent from. */
export interface BrowserClient {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** A form of one of our own pages, unless `headers` say otherwise. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

let visitors = 0;

/** Each comes from an address of its own: attempts are counted by address. */
export function createBrowserClient(url: string, address = `203.0.113.${++visitors}`): BrowserClient {
  const cookies = new Map<string, string>();

  async function ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { 'x-forwarded-for': address, ...(cookie !== '' && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0\b/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      }),
  };
}
