import * as oidc from 'openid-client';
import type { Logger } from '../../platform/log.ts';

/** An OpenID Connect provider that the operator set up. */
export interface CompanySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the browser keeps, sealed, while the person is at the provider. */
export interface Departure {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Where the provider says who came back. `unverified`: it knows no address of theirs that it has seen answer. */
export type Arrival = { readonly email: string } | 'unverified';

export interface Company {
  /** The provider's address to go to, and what has to be kept until the person comes back. */
  depart(): Promise<{ readonly url: string; readonly departure: Departure }>;
  /** `query` as it came back. Throws when anything about it is not as it has to be. */
  arrive(query: URLSearchParams, departure: Departure): Promise<Arrival>;
}

/** The provider did not answer, or not as one. What it said goes to the log. */
export class CompanyError extends Error {}

const ANSWER_LIMIT_S = 10;
const SCOPE = 'openid email';

/** One line for the log: errors of the library carry the whole answer, with its tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const { cause } = error;
  const because = cause instanceof Error ? `: ${cause.message}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${because}`;
}

/** Asks the provider how it is spoken to. Also for `foreword doctor`, which asks nothing more. */
export async function discoverCompany(settings: CompanySettings): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  try {
    return await oidc.discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
      timeout: ANSWER_LIMIT_S,
      execute: [
        // The line to the provider is not the only thing that vouches for what it says.
        oidc.enableNonRepudiationChecks,
        // The configuration takes plain http for this machine alone.
        ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    });
  } catch (error) {
    throw new CompanyError(reasonOf(error));
  }
}

async function readArrival(
  configuration: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<Arrival> {
  const claims = tokens.claims();
  if (claims === undefined) throw new CompanyError('the provider sent no ID token');
  // Some tell the address only to who asks for it.
  const { email, email_verified: verified } =
    claims.email === undefined ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  // Not by the address alone: with many providers anybody may write any into their account.
  return typeof email === 'string' && verified === true ? { email } : 'unverified';
}

export function createCompany(settings: CompanySettings, deps: { redirectUri: string; log: Logger }): Company {
  const { redirectUri, log } = deps;
  let known: Promise<oidc.Configuration> | undefined;

  /** Once, when the first person needs it; a provider that could not be asked is asked again by the next. */
  function configure(): Promise<oidc.Configuration> {
    known ??= discoverCompany(settings).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  }

  async function telling<T>(step: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ step, reason }, 'company sign-in failed');
      throw error instanceof CompanyError ? error : new CompanyError(reason);
    }
  }

  return {
    depart: () =>
      telling('discovery', async () => {
        const configuration = await configure();
        const departure = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: departure.state,
          nonce: departure.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(departure.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, departure };
      }),
    arrive: (query, { state, nonce, verifier }) =>
      telling('callback', async () => {
        const configuration = await configure();
        // Not the address that the request names: a proxy, or whoever sent it, may call us something else.
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        return readArrival(configuration, tokens);
      }),
  };
}
