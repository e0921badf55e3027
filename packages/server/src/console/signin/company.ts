import type * as oidc from 'openid-client';
import { loadOnce } from '../../platform/bounded-map.ts';
import type { Logger } from '../../platform/log.ts';

/** An OpenID Connect provider that the operator set up. */
export interface CompanySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Stored sealed in the browser while the user is at the provider. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `unverified`: the provider has not verified the account's email. */
type VerifiedEmail = { readonly email: string } | 'unverified';

/** The provider did not respond, or not as specified. Its response is logged. */
export class CompanyError extends Error {}

const RESPONSE_TIMEOUT_S = 10;
const SCOPE = 'openid email';

/** One line for the log, because the library's errors contain the whole response with its tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const { cause } = error;
  const because = cause instanceof Error ? `: ${cause.message}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${because}`;
}

/** Most installations have no company sign-in, and do not need the library. */
const loadLibrary = () => import('openid-client');

/** Loads the provider's discovery document. `foreword doctor` does only this. */
export async function discoverCompany(settings: CompanySettings): Promise<oidc.Configuration> {
  const oidc = await loadLibrary();
  const issuer = new URL(settings.issuer);
  try {
    return await oidc.discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
      timeout: RESPONSE_TIMEOUT_S,
      execute: [
        // Verifies signatures in addition to TLS.
        oidc.enableNonRepudiationChecks,
        // The configuration accepts plain http only for this machine.
        ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    });
  } catch (error) {
    throw new CompanyError(reasonOf(error));
  }
}

async function readEmail(
  configuration: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<VerifiedEmail> {
  const claims = tokens.claims();
  if (claims === undefined) throw new CompanyError('the provider sent no ID token');
  const { fetchUserInfo } = await loadLibrary();
  // Some providers return the email only from the userinfo endpoint.
  const { email, email_verified: verified } =
    claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  // Unverified emails are not trusted: with many providers, users can enter any email into their account.
  return typeof email === 'string' && verified === true ? { email } : 'unverified';
}

export type Company = ReturnType<typeof createCompany>;

export function createCompany(settings: CompanySettings, deps: { redirectUri: string; log: Logger }) {
  const { redirectUri, log } = deps;
  const configure = loadOnce(() => discoverCompany(settings));

  async function withLog<T>(step: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ step, reason }, 'company sign-in failed');
      throw error instanceof CompanyError ? error : new CompanyError(reason);
    }
  }

  return {
    /** Returns the provider's address to redirect to, and what to store until the user returns. */
    start: () =>
      withLog('discovery', async () => {
        const oidc = await loadLibrary();
        const configuration = await configure();
        const pending = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, pending };
      }),
    /** Checks the query of the callback. Throws when anything in it is wrong. */
    finish: (query: URLSearchParams, { state, nonce, verifier }: PendingSignIn) =>
      withLog('callback', async () => {
        const oidc = await loadLibrary();
        const configuration = await configure();
        // Uses our own address instead of the request's Host, which a proxy or the client may have changed.
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        return readEmail(configuration, tokens);
      }),
  };
}
