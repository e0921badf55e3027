import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { ConsoleDeps } from './deps.ts';
import { registerFiles } from './files.ts';
import { createConsoleGate } from './gate.ts';
import { createConsoleHandlers } from './handlers.ts';
import { registerConsoleOperations } from './operations.ts';
import { createCookies } from './sessions/cookies.ts';
import { createSessions, makeLink } from './sessions/service.ts';
import { registerShell } from './shell.ts';
import { registerSignIn, signInPath } from './signin/routes.ts';

export type { ConsoleDeps } from './deps.ts';
export { FORGET_SESSIONS_INTERVAL_MS } from './sessions/rules.ts';
export { forgetOld as forgetOldSessions } from './sessions/store.ts';
export type { CompanySettings } from './signin/company.ts';

/** For a command and for the first start: a link that signs this member in, once. The path below PUBLIC_URL. */
export const makeSignInPath = async (
  db: Queryable<Tables>,
  now: Date,
  member: { tenant: Tenant; id: string },
): Promise<string> => signInPath(await makeLink(db, now, member, { browserHash: null, next: '/console' }));

/** The team's console: its one page, what that asks for, and the way in. */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  const cookies = createCookies(deps.publicUrl);
  const sessions = createSessions(deps);
  const gate = createConsoleGate({ sessions, cookies, publicUrl: deps.publicUrl });
  registerSignIn(app, { ...deps, sessions, cookies, gate, hasCompany: deps.company !== undefined });
  registerConsoleOperations(app, gate, createConsoleHandlers(deps));
  registerFiles(app, deps, gate);
  registerShell(app, deps, { gate, sessions, cookies });
}
