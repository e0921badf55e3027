import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { registerBrandPreview } from './brand/preview.ts';
import type { ConsoleDeps } from './deps.ts';
import { registerFiles } from './files.ts';
import { createConsoleGate } from './gate.ts';
import { createConsoleHandlers } from './handlers.ts';
import { registerIntroFiles } from './intros/files.ts';
import { registerLive } from './live.ts';
import { registerManifest } from './manifest.ts';
import { registerConsoleOperations } from './operations.ts';
import { registerExport } from './overview/export.ts';
import { createCookies } from './sessions/cookies.ts';
import { createSessions, makeLink } from './sessions/service.ts';
import { registerShell } from './shell.ts';
import { createCompany } from './signin/company.ts';
import { companyCallback, registerCompanySignIn } from './signin/company-routes.ts';
import { createEntering } from './signin/entering.ts';
import { registerSignIn, signInPath } from './signin/routes.ts';

export type { ConsoleDeps } from './deps.ts';
export { createRequestLog } from './developers/request-log/collecting.ts';
export { FORGET_INTERVAL_MS as FORGET_REQUESTS_INTERVAL_MS } from './developers/request-log/rules.ts';
export { forgetOldRequests } from './developers/request-log/writing.ts';
export { FORGET_SESSIONS_INTERVAL_MS } from './sessions/rules.ts';
export { forgetOld as forgetOldSessions } from './sessions/store.ts';
export { CompanyError, type CompanySettings, discoverCompany } from './signin/company.ts';

/** The mail server is the service's own: no organization has another. */
const ANY_ORGANIZATION = { organizationId: '', sealed: null };

/** For a command and for the first start: a link that signs this member in, once. The path below PUBLIC_URL. */
export const makeSignInPath = async (
  db: Queryable<Tables>,
  now: Date,
  member: { tenant: Tenant; id: string },
): Promise<string> => signInPath(await makeLink(db, now, member, { browserHash: null, from: null, next: '/console' }));

/** The team's console: its one page, what that asks for, and the way in. */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  const cookies = createCookies(deps.publicUrl);
  const sessions = createSessions(deps);
  const gate = createConsoleGate({ sessions, cookies, publicUrl: deps.publicUrl });
  const enter = createEntering({ ...deps, gate, cookies });
  const { carriers, company: settings } = deps;
  const hasCompany = settings !== undefined;
  const options = () => ({ hasMail: !carriers.of('email', ANY_ORGANIZATION).isLocal, hasCompany });
  registerSignIn(app, { ...deps, sessions, cookies, gate, enter, options });
  if (settings !== undefined) {
    const company = createCompany(settings, { redirectUri: companyCallback(deps.publicUrl), log: deps.log });
    registerCompanySignIn(app, { ...deps, company, sessions, gate, enter, options, named: cookies.named });
  }
  registerManifest(app);
  registerConsoleOperations(app, gate, createConsoleHandlers(deps));
  registerLive(app, deps, gate);
  registerFiles(app, deps, gate);
  registerIntroFiles(app, deps, gate);
  registerBrandPreview(app, deps, gate);
  registerExport(app, deps, gate);
  registerShell(app, deps, { gate, sessions, cookies });
}
