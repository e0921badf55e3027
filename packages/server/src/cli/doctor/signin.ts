import type { Config } from '../../config.ts';
import { CompanyError, discoverCompany } from '../../console/index.ts';
import { type Finding, note, ok, problem } from './finding.ts';

const NAME = 'sign-in';

/** Checks whether members can sign in without the operator: by email or with their company account. */
export async function checkSignIn({ company, carriers, roles }: Config): Promise<Finding> {
  if (!roles.has('api')) return ok(NAME, 'Not needed: FOREWORD_ROLE has no api here.');
  const hasMail = carriers.mail !== undefined;
  const email = hasMail ? 'By email' : 'Not by email, because SMTP_URL is not set';
  if (company === undefined) {
    if (hasMail) return ok(NAME, `${email}.`);
    const next = 'Set SMTP_URL and MAIL_FROM, or OIDC_ISSUER. Until then, create sign-in links with foreword signin.';
    return note(NAME, 'Members cannot sign in to the console on their own.', next);
  }
  try {
    await discoverCompany(company);
    return ok(NAME, `${email}; with a company account at ${company.issuer}.`);
  } catch (error) {
    if (!(error instanceof CompanyError)) throw error;
    const message = `${email}. OIDC_ISSUER ${company.issuer} does not respond like an OpenID provider: ${error.message}.`;
    return problem(NAME, message, 'Fix OIDC_ISSUER, or check the network. The issuer must serve a discovery document.');
  }
}
