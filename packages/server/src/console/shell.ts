import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appPolicy, sendDocument } from '../pages/index.ts';
import { keepPrivate, mayActAs } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ReadFirstResponses } from './first-responses.ts';
import { type FirstPage, NO_PAGE, renderConsole, type ShellContent } from './page.ts';
import { passkeyPath } from './passkeys/rules.ts';
import { readSession } from './session.ts';
import { IDLE_LIFE_MS, readNext } from './sessions/rules.ts';
import type { SignInDeps } from './signin/routes.ts';

const OWN_POLICY = ["frame-src 'self' blob:", "form-action 'self'"];

/** Sends the console's page with what it shows. */
export function createShell({ build }: Pick<ConsoleDeps, 'build'>) {
  const { console: entry } = build.entries;
  if (entry === undefined) throw new Error('the web build has no console');
  return (request: FastifyRequest, reply: FastifyReply, content: ShellContent, page: FirstPage = NO_PAGE) => {
    const nonce = randomBytes(16).toString('base64url');
    const html = renderConsole(entry, content, page, nonce);
    return sendDocument(request, keepPrivate(reply), 200, { html, policy: appPolicy(nonce, OWN_POLICY) });
  };
}

/** The console's single HTML page, for every path. The browser decides what it shows. */
export function registerShell(
  app: FastifyInstance,
  deps: SignInDeps,
  sendShell: ReturnType<typeof createShell>,
  readFirstResponses: ReadFirstResponses,
): void {
  const { access, sessions, cookies } = deps;
  for (const url of ['/console', '/console/*']) {
    app.get(url, { config: { operation: 'console' } }, async (request, reply) => {
      const [path = '', query = ''] = request.url.split('?');
      if (path.startsWith('/console/api/')) return reply.callNotFound();
      const secret = cookies.session.read(request);
      const signedIn = await access.identifyAny(request);
      keepPrivate(reply);
      if (secret === null || signedIn === null) {
        const next = path === '/console' ? '' : `?next=${encodeURIComponent(request.url)}`;
        return reply.redirect(`/console/signin${next}`, 303);
      }
      if (signedIn.step !== 'done') return reply.redirect(passkeyPath(readNext(request.url)), 303);
      const fresh = await sessions.refresh(signedIn, secret);
      if (fresh !== null) cookies.session.set(reply, fresh, IDLE_LIFE_MS);
      const start = mayActAs(signedIn.role, 'manager') ? '/overview' : '/home';
      const first = {
        user: signedIn,
        path: path.slice('/console'.length).replace(/^\/?$/, start),
        search: new URLSearchParams(query),
      };
      const [session, responses] = await Promise.all([
        readSession(deps, signedIn.tenant, signedIn.row),
        readFirstResponses(first),
      ]);
      return sendShell(request, reply, { session }, { path: first.path, responses });
    });
  }
}
