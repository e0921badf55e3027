/** An OpenID Connect provider that the operator set up. */
export interface CompanySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
