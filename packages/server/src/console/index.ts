/** The server of the team console: sign-in, sessions, operations and live updates. */

import type { FastifyInstance } from 'fastify';
import type { Db, Tenant } from '../db/tenancy.ts';
import { registerOperations } from '../http/index.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { createConsoleAccess } from './access.ts';
import { registerActivityExport } from './activity/export.ts';
import { createActivityHandlers } from './activity/index.ts';
import { createArchiveHandlers, type RunningExports, registerArchiveExport } from './archive/index.ts';
import { createBrandHandlers } from './brand/index.ts';
import { registerBrandPreview } from './brand/preview.ts';
import { createConsentHandlers } from './consent/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { createDryRunHandlers } from './developers/dry-run.ts';
import { createFirstStepsHandlers } from './developers/first-steps.ts';
import { createKeyHandlers } from './developers/keys.ts';
import { createRequestHandlers } from './developers/requests.ts';
import { createWebhookHandlers } from './developers/webhooks.ts';
import { createErasuresHandlers } from './erasures/index.ts';
import { registerFiles, registerIntroFiles } from './files.ts';
import { createFirstResponses } from './first-responses.ts';
import { createHomeHandlers } from './home/index.ts';
import { createIntrosHandlers } from './intros/index.ts';
import { createLikenessHandlers } from './likeness/index.ts';
import { registerLive } from './live.ts';
import { registerManifest } from './manifest.ts';
import { createMembersHandlers } from './members/index.ts';
import { type ConsoleHandlers, serveConsole, sessions as sessionCredential } from './operations.ts';
import { registerExport } from './overview/export.ts';
import { createOverviewHandlers } from './overview/index.ts';
import { createPasskeyHandlers } from './passkeys/index.ts';
import { registerPasskeySignIn } from './passkeys/routes.ts';
import { createPasskeys, type Passkeys } from './passkeys/service.ts';
import { createRetentionHandlers } from './retention/index.ts';
import { createSessionHandlers } from './session.ts';
import { createCookies } from './sessions/cookies.ts';
import { createLink, createSessions } from './sessions/service.ts';
import { createShell, registerShell } from './shell.ts';
import { createBrowserMemory } from './signin/browser-memory.ts';
import { createCompany } from './signin/company.ts';
import { companyCallback, registerCompanySignIn } from './signin/company-routes.ts';
import { signInPath } from './signin/links.ts';
import { createFinishSignIn, registerSignIn } from './signin/routes.ts';
import { registerSummaryOff } from './summary/routes.ts';
import { createTextLimitsHandlers } from './text-limits/index.ts';
import { createTouchpointsHandlers } from './touchpoints/index.ts';

const createConsoleHandlers = (
  deps: ConsoleDeps,
  { passkeys, exports }: { readonly passkeys: Passkeys; readonly exports: RunningExports },
): ConsoleHandlers => ({
  ...createSessionHandlers(deps),
  ...createOverviewHandlers(deps),
  ...createTouchpointsHandlers(deps),
  ...createMembersHandlers(deps),
  ...createLikenessHandlers(deps),
  ...createIntrosHandlers(deps),
  ...createKeyHandlers(deps),
  ...createWebhookHandlers(deps),
  ...createRequestHandlers(deps),
  ...createDryRunHandlers(deps),
  ...createFirstStepsHandlers(deps),
  ...createBrandHandlers(deps),
  ...createHomeHandlers(deps),
  ...createTextLimitsHandlers(deps),
  ...createConsentHandlers(deps),
  ...createPasskeyHandlers(deps, passkeys),
  ...createActivityHandlers(deps),
  ...createArchiveHandlers(deps, exports),
  ...createRetentionHandlers(deps),
  ...createErasuresHandlers(deps),
});

export type { ConsoleDeps } from './deps.ts';
export { createRequestLog } from './developers/request-log/collector.ts';
export { resetPasskeys } from './passkeys/index.ts';
export { SESSION_CLEANUP_INTERVAL_MS } from './sessions/rules.ts';
export { endAccess } from './sessions/store/ending.ts';
export { deleteOld as deleteOldSessions } from './sessions/store.ts';
export { CompanyError, type CompanySettings, discoverCompany } from './signin/company.ts';

/** Creates a one-time sign-in link, for the command and the first start. Returns the path below PUBLIC_URL. */
export const makeSignInPath = async (db: Db, now: Date, member: { tenant: Tenant; id: string }): Promise<string> => {
  const secret = await createLink(db, now, member, {
    browserHash: null,
    networkHash: null,
    isKnownBrowser: false,
    next: '/console',
  });
  await recordChange(db, member.tenant, { action: 'session.link_created', object: member.id });
  return signInPath(secret);
};

/** The team's console: its page, its API and its sign-in. */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  const cookies = createCookies(deps.publicUrl);
  const sessions = createSessions(deps);
  const access = createConsoleAccess({ sessions, cookies, publicUrl: deps.publicUrl });
  const memory = createBrowserMemory({ ...deps, named: cookies.named });
  const finishSignIn = createFinishSignIn({ ...deps, access, cookies, memory });
  const { carriers, company: settings } = deps;
  const hasCompany = settings !== undefined;
  const options = () => ({ hasMail: carriers.routeOfEmail === 'provider', hasCompany });
  registerSignIn(app, { ...deps, sessions, cookies, memory, access, finishSignIn, options });
  if (settings !== undefined) {
    const company = createCompany(settings, { redirectUri: companyCallback(deps.publicUrl), log: deps.log });
    registerCompanySignIn(app, { ...deps, company, sessions, access, finishSignIn, options, named: cookies.named });
  }
  const passkeys = createPasskeys(deps);
  registerPasskeySignIn(app, { ...deps, passkeys, access, cookies, sendShell: createShell(deps) });
  registerManifest(app);
  const exports: RunningExports = new Set();
  const handlers = createConsoleHandlers(deps, { passkeys, exports });
  const shared = deps.served.filter(({ operation }) => operation.role !== undefined);
  registerOperations(app, sessionCredential(access, deps.queues.console), [...shared, ...serveConsole(handlers)]);
  registerLive(app, deps, access);
  registerFiles(app, deps, access);
  registerIntroFiles(app, deps, access);
  registerBrandPreview(app, deps, access);
  registerExport(app, deps, access);
  registerActivityExport(app, deps, access);
  registerArchiveExport(app, deps, access, exports);
  registerSummaryOff(app, deps);
  registerShell(app, deps, { access, sessions, cookies, readFirstResponses: createFirstResponses(handlers) });
}
