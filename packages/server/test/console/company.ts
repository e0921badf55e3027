import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { listenLocally } from '../harness/streams.ts';
import { type BrowserClient, createBrowserClient } from './browser-client.ts';

const CLIENT = { client_id: 'foreword', client_secret: 'a secret of this test only' };

/** Submits the provider's login and consent pages, and returns the callback address. */
async function answerPages(provider: BrowserClient, from: string, login: string, home: string): Promise<string> {
  let at = from;
  for (let step = 0; step < 10; step++) {
    const page = await provider.get(at);
    const location = page.headers.get('location');
    if (location !== null) {
      at = new URL(location, at).href;
      if (at.startsWith(home)) return at;
      continue;
    }
    const text = await page.text();
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
    const answer = await provider.post(at, { prompt, login, password: 'anything' });
    at = new URL(answer.headers.get('location') ?? '', at).href;
  }
  throw new Error(`the provider never sent the browser back from ${at}`);
}

/**
 * A real OpenID Connect provider. Any email signs in to an account of that name. `inIdToken`: whether the ID token contains the
 * email; otherwise only the userinfo endpoint returns it.
 */
export async function openCompany(callback: string, options: { inIdToken: boolean }) {
  const server = createServer();
  const { url: issuer, close } = await listenLocally(server);
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [callback] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !options.inIdToken,
    pkce: { required: () => true },
    cookies: { keys: ['a key of this test'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id.replace('unverified:', ''), email_verified: !id.startsWith('unverified:') }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    environment: { OIDC_ISSUER: issuer.replace('//', `//${CLIENT.client_id}:${CLIENT.client_secret}@`) },
    clientSecret: CLIENT.client_secret,
    /** Starts the company sign-in, logs in at the provider, and returns the callback address. */
    async logIn(browser: BrowserClient, login: string, next = '/console') {
      const left = await browser.get(`/console/signin/company?next=${encodeURIComponent(next)}`);
      const address = left.headers.get('location');
      if (address === null) throw new Error(`leaving for the provider answered ${left.status}`);
      return answerPages(createBrowserClient(issuer), address, login, new URL(callback).origin);
    },
    close,
  };
}
