import type { ConsoleBody, ConsoleKey, ConsoleParams, ConsoleQuery, ConsoleResponse } from '@foreword/contract';
import { foreword } from '../harness/index.ts';

let keys = 0;

/** A new Idempotency-Key, as pages make them. */
export const newRetryKey = (): string => `retry-key-of-a-test-${++keys}`;

export interface ConsoleReply<K extends ConsoleKey> {
  readonly status: number;
  readonly headers: Headers;
  /** After a success. */
  readonly body: ConsoleResponse<K>;
  /** After a failure. */
  readonly error: { readonly code: string; readonly message: string; readonly field?: string };
}

export interface ConsoleAsk<K extends ConsoleKey> {
  readonly params?: ConsoleParams<K>;
  readonly query?: ConsoleQuery<K>;
  readonly body?: ConsoleBody<K>;
  /** The Idempotency-Key of a change. By default, each call is a new request. */
  readonly key?: string;
}

/** A signed-in client of the console's API. */
export interface ConsoleClient {
  readonly cookie: string;
  call<K extends ConsoleKey>(key: K, ask?: ConsoleAsk<K>): Promise<ConsoleReply<K>>;
  /** A path below the service, with the cookie. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

const fromConsole = (url: string) => ({ origin: url, 'sec-fetch-site': 'same-origin' });

export function clientWith(url: string, cookie: string, origin: object = fromConsole(url)): ConsoleClient {
  const headers = { cookie, ...origin };
  return {
    cookie,
    get: (path, more = {}) => fetch(url + path, { headers: { cookie, ...more }, redirect: 'manual' }),
    async call(operation, { params = {}, query = {}, body, key = newRetryKey() } = {}) {
      const [method = 'GET', pattern = ''] = operation.split(' ');
      const path = pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent((params as Record<string, string>)[name] ?? ''),
      );
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) {
        for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
      }
      const response = await fetch(`${url}/console/api${path}${search.size > 0 ? `?${search}` : ''}`, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(method !== 'GET' && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { error: ConsoleReply<typeof operation>['error'] };
      return {
        status: response.status,
        headers: response.headers,
        body: answer as never,
        error: answer.error,
      };
    },
  };
}

/** Signs in with a link from the operator's command, and submits its confirmation form. */
export async function openConsole(
  { url, environment }: { url: string; environment: Record<string, string> },
  who: { org: string; email: string },
): Promise<ConsoleClient> {
  const link = await foreword(environment, 'signin', '--org', who.org, '--email', who.email);
  const { pathname } = new URL(link.url);
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(url + pathname, { method: 'POST', headers, redirect: 'manual' });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (response.status !== 303 || cookie === undefined) throw new Error(`signing in returned ${response.status}`);
  return clientWith(url, cookie);
}
