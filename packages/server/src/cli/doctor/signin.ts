import type { Config } from '../../config.ts';
import { CompanyError, discoverCompany } from '../../console/index.ts';
import { type Finding, ok, problem } from './finding.ts';

const NAME = 'sign-in';

/** Whether people can come in by themselves: by a letter, or by their company's account. */
export async function checkSignIn({ company, carriers, roles }: Config): Promise<Finding> {
  if (!roles.has('api')) return ok(NAME, 'Not needed: FOREWORD_ROLE has no api here.');
  const hasMail = carriers.mail !== undefined;
  const letter = hasMail ? 'By letter' : 'Not by letter, as SMTP_URL is not set';
  if (company === undefined) {
    if (hasMail) return ok(NAME, `${letter}.`);
    // A choice, and the one that everybody begins with.
    const next = 'Set SMTP_URL and MAIL_FROM, or OIDC_ISSUER; until then foreword signin makes links.';
    return ok(NAME, `Nobody can sign in to the console by themselves. ${next}`);
  }
  try {
    await discoverCompany(company);
    return ok(NAME, `${letter}; by the company's account at ${company.issuer}, which answers.`);
  } catch (error) {
    if (!(error instanceof CompanyError)) throw error;
    const message = `${letter}. OIDC_ISSUER ${company.issuer} does not answer as a provider: ${error.message}.`;
    return problem(
      NAME,
      message,
      'Correct OIDC_ISSUER, or look at the network; its discovery document has to be there.',
    );
  }
}
