import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendDocument } from '../pages/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import { renderConsole, type ShellContent } from './document.ts';
import { passkeyPath } from './passkeys/rules.ts';
import { presentSession } from './session.ts';
import type { Cookies } from './sessions/cookies.ts';
import { IDLE_LIFE_MS, readNext } from './sessions/rules.ts';
import type { Sessions } from './sessions/service.ts';

const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const PREFIX = '/assets/';

type Shell = Pick<ConsoleDeps, 'build' | 'publicUrl'>;

/** Sends the console's page with what it shows. */
export function createShell({ build }: Shell) {
  const { console: entry } = build.entries;
  if (entry === undefined) throw new Error('the web build has no console');
  const { script, style, preload = [] } = entry;
  const files = { script: PREFIX + script, style: PREFIX + style, preload: preload.map((name) => PREFIX + name) };
  return (request: FastifyRequest, reply: FastifyReply, content: ShellContent) => {
    const nonce = randomBytes(16).toString('base64url');
    const html = renderConsole({ content, ...files, nonce });
    return sendDocument(request, keepPrivate(reply), 200, { html, policy: policyWith(nonce) });
  };
}

/** The console's single HTML page, for every path. The browser decides what it shows. */
export function registerShell(
  app: FastifyInstance,
  { build, publicUrl }: Shell,
  { access, sessions, cookies }: { access: ConsoleAccess; sessions: Sessions; cookies: Cookies },
): void {
  const sendShell = createShell({ build, publicUrl });
  for (const url of ['/console', '/console/*']) {
    app.get(url, { config: { operation: 'console' } }, async (request, reply) => {
      const path = request.url.split('?')[0] ?? '';
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
      return sendShell(request, reply, { session: presentSession(signedIn.row, publicUrl) });
    });
  }
}
