/** The package has no types. These cover what the tests use. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Claims {
    readonly sub: string;
    readonly email?: string;
    readonly email_verified?: boolean;
  }

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: readonly {
          client_id: string;
          client_secret: string;
          redirect_uris: readonly string[];
        }[];
        claims: Readonly<Record<string, readonly string[]>>;
        conformIdTokenClaims: boolean;
        pkce: { required: () => boolean };
        cookies: { keys: readonly string[] };
        findAccount: (context: unknown, id: string) => { accountId: string; claims: () => Claims };
      },
    );
    callback(): RequestListener;
  }
}
