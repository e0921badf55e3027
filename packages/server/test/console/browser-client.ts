let clients = 0;

export type BrowserClient = ReturnType<typeof createBrowserClient>;

/**
 * A minimal browser for the sign-in: stores cookies and sends the headers of a form. Each client has its own IP address, because
 * attempts are limited by address.
 */
export function createBrowserClient(url: string, address = `203.0.113.${++clients}`) {
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
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    /** Submits a form from one of our pages, unless `headers` override that. */
    post: (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
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
