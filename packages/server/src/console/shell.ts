import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appPolicy, sendDocument } from '../pages/index.ts';
import { type ConsoleAccess, keepPrivate, mayActAs } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import { type FirstResponse, type ReadFirstResponses, renderConsole, type ShellContent } from './first-responses.ts';
import { passkeyPath } from './passkeys/rules.ts';
import { readSession } from './session.ts';
import type { Cookies } from './sessions/cookies.ts';
import { IDLE_LIFE_MS, readNext } from './sessions/rules.ts';
import type { Sessions } from './sessions/service.ts';

const OWN_POLICY = ["frame-src 'self' blob:", "form-action 'self'"];

const PREFIX = '/assets/';

type Shell = Pick<ConsoleDeps, 'build' | 'publicUrl'>;

/** The page's scripts, by the path below `/console`: `/intros/int_…` has those of `/intros/:id`. */
const findPage = (pages: Readonly<Record<string, readonly string[]>>, path: string): readonly string[] =>
  pages[path] ?? pages[path.replace(/[^/]+$/, ':id')] ?? [];

interface FirstPage {
  /** Below `/console`. */
  readonly path: string;
  readonly responses: readonly FirstResponse[];
}

/** Sends the console's page with what it shows. */
export function createShell({ build }: Shell) {
  const { console: entry } = build.entries;
  if (entry === undefined) throw new Error('the web build has no console');
  const { script, style, preload, pages, font } = entry;
  const files = { script: PREFIX + script, style: PREFIX + style, font: PREFIX + font };
  return (request: FastifyRequest, reply: FastifyReply, content: ShellContent, page?: FirstPage) => {
    const nonce = randomBytes(16).toString('base64url');
    const scripts = page === undefined ? preload : [...preload, ...findPage(pages, page.path)];
    const html = renderConsole({
      content,
      ...(page !== undefined && { responses: page.responses }),
      ...files,
      preload: scripts.map((name) => PREFIX + name),
      nonce,
    });
    return sendDocument(request, keepPrivate(reply), 200, { html, policy: appPolicy(nonce, OWN_POLICY) });
  };
}

interface ShellServices {
  readonly access: ConsoleAccess;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly readFirstResponses: ReadFirstResponses;
}

/** The console's single HTML page, for every path. The browser decides what it shows. */
export function registerShell(
  app: FastifyInstance,
  deps: Shell & Pick<ConsoleDeps, 'db'>,
  { access, sessions, cookies, readFirstResponses }: ShellServices,
): void {
  const sendShell = createShell(deps);
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
