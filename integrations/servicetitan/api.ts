import {
  type CrmApi,
  CrmError,
  createCrmApi,
  createTokenSource,
  textAt,
  type Variables,
  valueAt,
} from '../bridge/index.ts';

const ATTEMPT_MS = 8_000;

/** Client credentials: https://developer.servicetitan.io/docs/get-going-oauth-20. A token is valid for 15 minutes. */
async function fetchToken(url: string, id: string, secret: string): Promise<{ value: string; expiresInMs: number }> {
  const response = await fetch(`${url}/connect/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(ATTEMPT_MS),
  }).catch(() => {
    throw new CrmError('get token', undefined);
  });
  // The answer to wrong credentials is a 400, which an administrator can fix.
  if (!response.ok) throw new CrmError('get token', response.status === 400 ? 401 : response.status);
  const body: unknown = await response.json().catch(() => undefined);
  const value = textAt(body, 'access_token');
  if (value === undefined) throw new CrmError('get token', undefined);
  const expiresInS = valueAt(body, 'expires_in');
  return { value, expiresInMs: (typeof expiresInS === 'number' ? expiresInS : 900) * 1000 };
}

/** Calls the API of one tenant. Paths are those of the documentation after `/tenant/{tenant}`, with the API in front. */
export interface ServiceTitan {
  get(operation: string, api: 'jpm' | 'crm' | 'dispatch' | 'settings', path: string): Promise<unknown>;
  post(operation: string, api: 'jpm', path: string, json: unknown): Promise<unknown>;
}

export function connectServiceTitan(variables: Variables): ServiceTitan {
  const authUrl = variables.url('SERVICETITAN_AUTH_URL', 'https://auth.servicetitan.io');
  const id = variables.text('SERVICETITAN_CLIENT_ID');
  const secret = variables.text('SERVICETITAN_CLIENT_SECRET');
  const appKey = variables.text('SERVICETITAN_APP_KEY');
  const tenant = variables.text('SERVICETITAN_TENANT_ID');
  const getToken = createTokenSource(() => fetchToken(authUrl, id, secret));
  const api: CrmApi = createCrmApi({
    baseUrl: variables.url('SERVICETITAN_API_URL', 'https://api.servicetitan.io'),
    authorize: async (isRefused) => ({
      authorization: `Bearer ${await getToken(isRefused)}`,
      'st-app-key': appKey,
    }),
  });
  const locate = (name: string, path: string) => `/${name}/v2/tenant/${encodeURIComponent(tenant)}${path}`;
  return {
    get: (operation, name, path) => api.call({ operation, path: locate(name, path) }),
    post: (operation, name, path, json) => api.call({ operation, method: 'POST', path: locate(name, path), json }),
  };
}
