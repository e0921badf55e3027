import type { Config } from '../../app/config/index.ts';
import { CompanyError, discoverCompany } from '../../console/index.ts';
import { localUrl, type RunningService } from '../../platform/data-dir.ts';
import { parseJson } from '../../platform/json.ts';
import { isLoopbackUrl } from '../../platform/outbound/addresses.ts';
import { type Finding, note, ok, problem, warning } from './finding.ts';

const RESPONSE_TIMEOUT_MS = 3_000;

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

type ReadyzResponse = 'none' | 'unknown' | Readiness;

function readReadiness(text: string): ReadyzResponse {
  const { status, checks } = (parseJson(text) ?? {}) as Partial<Readiness>;
  return typeof status === 'string' && typeof checks === 'object' ? { status, checks } : 'unknown';
}

async function readReadyz(url: string): Promise<ReadyzResponse> {
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      redirect: 'manual',
    });
    return readReadiness(await response.text());
  } catch {
    return 'none';
  }
}

function checkLocal(url: string, response: ReadyzResponse): Finding {
  const name = 'service';
  if (response === 'none')
    return warning(name, `Not running at ${url}.`, 'Start it with npm start or npx foreword start.');
  if (response === 'unknown') {
    return problem(name, `Another program is using ${url}.`, 'Stop it, or set PORT to a free port.');
  }
  if (response.status === 'ready') return ok(name, `Running and ready at ${url}.`);
  const failing = Object.entries(response.checks).filter(([, state]) => state !== 'ok');
  const which = failing.map(([part]) => part).join(', ');
  return warning(
    name,
    `Running at ${url}, but ${response.status}${which === '' ? '' : ` (failing: ${which})`}.`,
    'Wait a moment and try again. If the problem persists, check the log.',
  );
}

/** Checks the address that recipients and members open, which may lead through a proxy. */
async function checkPublic(publicUrl: string): Promise<Finding> {
  const name = 'public address';
  const response = await readReadyz(publicUrl);
  if (typeof response === 'object') return ok(name, `${publicUrl} reaches the service.`);
  return warning(
    name,
    `${publicUrl} (PUBLIC_URL) does not reach the service: ${response === 'none' ? 'no response' : 'another program responds'}.`,
    'Check the proxy and DNS, or set PUBLIC_URL. Links start with this address.',
  );
}

/** Anybody can read an open /metrics: how many intros, texts and errors there are. */
async function checkMetrics(publicUrl: string): Promise<Finding[]> {
  const name = 'metrics';
  const status = await fetch(`${publicUrl}/metrics`, {
    method: 'HEAD',
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  })
    .then((response) => response.status)
    .catch(() => null);
  if (status === null) return [];
  if (status !== 200) return [ok(name, `${publicUrl}/metrics is not open.`)];
  const report = isLoopbackUrl(publicUrl) ? note : warning;
  const next = 'Set METRICS_TOKEN or METRICS_PORT, or let the proxy refuse /metrics.';
  return [report(name, `${publicUrl}/metrics is open: whoever reaches this address can read it.`, next)];
}

export async function checkServer(config: Config, running: RunningService | null): Promise<Finding[]> {
  const url = running?.localUrl ?? localUrl(config);
  const publicUrl = config.hasPublicUrl || running === null ? config.publicUrl : running.url;
  const response = await readReadyz(url);
  const here = checkLocal(url, response);
  const isElsewhere = publicUrl !== `http://${config.host}:${config.port}` && publicUrl !== url;
  if (typeof response !== 'object') return [here];
  return [here, ...(isElsewhere ? [await checkPublic(publicUrl)] : []), ...(await checkMetrics(publicUrl))];
}

const SIGN_IN = 'sign-in';

/** Checks whether members can sign in without the operator: by email or with their company account. */
export async function checkSignIn({ company, carriers, roles }: Config): Promise<Finding> {
  if (!roles.has('api')) return ok(SIGN_IN, 'Not needed: FOREWORD_ROLE has no api here.');
  const hasMail = carriers.mail !== undefined;
  const email = hasMail ? 'By email' : 'Not by email, because SMTP_URL is not set';
  if (company === undefined) {
    if (hasMail) return ok(SIGN_IN, `${email}.`);
    const next = 'Set SMTP_URL and MAIL_FROM, or OIDC_ISSUER. Until then, create sign-in links with foreword signin.';
    return note(SIGN_IN, 'Members cannot sign in to the console on their own.', next);
  }
  try {
    await discoverCompany(company);
    return ok(SIGN_IN, `${email}; with a company account at ${company.issuer}.`);
  } catch (error) {
    if (!(error instanceof CompanyError)) throw error;
    const message = `${email}. OIDC_ISSUER ${company.issuer} does not respond like an OpenID provider: ${error.message}.`;
    return problem(
      SIGN_IN,
      message,
      'Fix OIDC_ISSUER, or check the network. The issuer must serve a discovery document.',
    );
  }
}
