/** The server of the team console: sign-in, sessions, operations and live updates. */

import type { FastifyInstance } from 'fastify';
import type { Db, Tenant } from '../db/tenancy.ts';
import { registerOperations } from '../http/index.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { createConsoleAccess } from './access.ts';
import { createActivityHandlers, registerActivityExport } from './activity.ts';
import { createBrandHandlers } from './brand.ts';
import type { ConsoleDeps } from './deps.ts';
import { createDeveloperHandlers } from './developers/index.ts';
import { registerFiles, registerIntroFiles } from './files.ts';
import { createFirstResponses } from './first-responses.ts';
import { createHomeHandlers } from './home.ts';
import { createIntrosHandlers } from './intros/index.ts';
import { registerLive } from './live.ts';
import { createMembersHandlers } from './members.ts';
import { type ConsoleHandlers, serveConsole, sessions as sessionCredential } from './operations.ts';
import { createOverviewHandlers, registerExport } from './overview/index.ts';
import { registerPagePreview } from './page-preview.ts';
import { createPasskeyHandlers, registerPasskeySignIn } from './passkeys/index.ts';
import { createPasskeys } from './passkeys/service.ts';
import { createPrivacyHandlers, type RunningExports, registerArchiveExport } from './privacy.ts';
import { createSessionHandlers } from './session.ts';
import { createBrowserMemory, createCookies } from './sessions/cookies.ts';
import { createLink, createSessions } from './sessions/service.ts';
import { createShell, registerShell } from './shell.ts';
import { createCompany } from './signin/company.ts';
import { companyCallback, registerCompanySignIn, registerSignIn, signInPath } from './signin/routes.ts';
import { registerSummaryOff } from './summary.ts';
import { createTextLimitsHandlers } from './text-limits.ts';
import { createTouchpointsHandlers } from './touchpoints/index.ts';

export { createRequestLog } from './developers/request-log/collector.ts';
export { resetPasskeys } from './passkeys/index.ts';
export { createCookies } from './sessions/cookies.ts';
export { SESSION_CLEANUP_INTERVAL_MS } from './sessions/rules.ts';
export { deleteOld as deleteOldSessions, endAccess } from './sessions/store.ts';
export { CompanyError, type CompanySettings, discoverCompany } from './signin/company.ts';

/** Creates a one-time sign-in link, for the command and the first start. Returns the path below PUBLIC_URL. */
export const makeSignInPath = async (db: Db, now: Date, member: { tenant: Tenant; id: string }): Promise<string> => {
  const secret = await createLink(db, now, member, null);
  await recordChange(db, member.tenant, { action: 'session.link_created', object: member.id });
  return signInPath(secret);
};

/** The team's console: its page, its API and its sign-in. */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  const cookies = createCookies(deps.publicUrl);
  const sessions = createSessions(deps);
  const access = createConsoleAccess({ sessions, cookies, publicUrl: deps.publicUrl });
  const memory = createBrowserMemory(deps, cookies);
  const signIn = { ...deps, sessions, cookies, memory, access };
  registerSignIn(app, signIn);
  const { company, publicUrl, log } = deps;
  if (company !== undefined)
    registerCompanySignIn(app, signIn, createCompany(company, { redirectUri: companyCallback(publicUrl), log }));
  const passkeys = createPasskeys(deps);
  const sendShell = createShell(deps);
  registerPasskeySignIn(app, signIn, passkeys, sendShell);
  const exports: RunningExports = new Set();
  const handlers: ConsoleHandlers = {
    ...createSessionHandlers(deps),
    ...createOverviewHandlers(deps),
    ...createTouchpointsHandlers(deps),
    ...createMembersHandlers(deps),
    ...createIntrosHandlers(deps),
    ...createDeveloperHandlers(deps),
    ...createBrandHandlers(deps),
    ...createHomeHandlers(deps),
    ...createTextLimitsHandlers(deps),
    ...createPasskeyHandlers(deps, passkeys),
    ...createActivityHandlers(deps),
    ...createPrivacyHandlers(deps, exports),
  };
  const shared = deps.served.filter(({ operation }) => operation.role !== undefined);
  registerOperations(app, sessionCredential(access, deps.queues.console), [...shared, ...serveConsole(handlers)]);
  registerLive(app, deps, access);
  registerFiles(app, deps, access);
  registerIntroFiles(app, deps, access);
  registerPagePreview(app, deps, access);
  registerExport(app, deps, access);
  registerActivityExport(app, deps, access);
  registerArchiveExport(app, deps, access, exports);
  registerSummaryOff(app, deps);
  registerShell(app, signIn, sendShell, createFirstResponses(handlers));
}
