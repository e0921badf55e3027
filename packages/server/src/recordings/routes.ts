import { randomBytes } from 'node:crypto';
import { type Closed, type RecorderState, renderShell } from '@foreword/web/shell';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { markOpenedByMember } from '../intros/index.ts';
import { createLinkRateLimit, type Link, type Links } from '../links/index.ts';
import { updateMember } from '../members/index.ts';
import { brandColors } from '../organizations/index.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Objects } from '../platform/objects.ts';
import { isRobot } from '../platform/robots.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';
import { isClosed } from './rules.ts';
import type { UploadScope, UploadServers } from './uploads.ts';
import { findForMember, type IntroForMember, presentState } from './view.ts';

/** What a link opens that is no recorder. The recipient's page knows how these look. */
export interface OtherPages {
  sendClosed(
    request: FastifyRequest,
    reply: FastifyReply,
    intro: IntroForMember,
    reason: Closed,
  ): Promise<FastifyReply>;
  sendUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  sendTooMany(request: FastifyRequest, reply: FastifyReply, waitS: number): Promise<FastifyReply>;
  sendPreview(request: FastifyRequest, reply: FastifyReply, link: Link): Promise<FastifyReply>;
}

export interface RecorderDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly links: Links;
  readonly clock: Clock;
  readonly uploads: UploadServers;
  readonly pages: OtherPages;
  /** Names of the built files, below `/assets/`. */
  readonly assets: { script: string; style: string };
  readonly maxBytes: number;
}

type ShownStatus = RecorderState['intro']['status'];

interface Opened {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly token: string;
  readonly intro: IntroForMember;
}

const PACE_BOUNDS = [60, 220] as const;
/** Links that opened lately are not guesses, however many wrong ones come from the same address. */
const MAX_KNOWN = 10_000;
const UPLOAD_METHODS = ['HEAD', 'PATCH', 'DELETE'] as const;

function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "frame-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function colorsOf(accent: string | null): string {
  const { light, dark } = brandColors(accent);
  const write = (shades: typeof light) =>
    `--accent:${shades.accent};--on-accent:${shades.onAccent};--accent-text:${shades.accentText}`;
  return `:root{${write(light)}}@media(prefers-color-scheme:dark){:root{${write(dark)}}}`;
}

/** Everything below a link is private: no cache keeps it, no robot lists it, no other site learns its address. */
function protect(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .header('x-content-type-options', 'nosniff');
}

function readPace(body: unknown): number | null {
  try {
    const { words_per_minute: pace } = JSON.parse(String(body)) as { words_per_minute?: unknown };
    const isPace = Number.isInteger(pace) && Number(pace) >= PACE_BOUNDS[0] && Number(pace) <= PACE_BOUNDS[1];
    return isPace ? Number(pace) : null;
  } catch {
    return null;
  }
}

export function registerRecorder(app: FastifyInstance, deps: RecorderDeps): void {
  const { db, links, pages, clock } = deps;
  type WithToken = FastifyRequest<{ Params: { token: string } }>;

  const rateLimit = createLinkRateLimit(monotonicMs);
  const known = new Set<string>();

  function remember(token: string): void {
    known.delete(token);
    known.add(token);
    const [oldest] = known;
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  /** A number: seconds to wait, after too many links that were wrong. */
  async function open({ params: { token }, ip }: WithToken): Promise<Opened | null | number> {
    const waitS = known.has(token) ? null : rateLimit.waitS(ip);
    if (waitS !== null) return waitS;
    const link = await links.find(db.kysely, 'record', token);
    const intro = link && (await findForMember(db.kysely, link.tenant, link.introId));
    if (link === null || intro === null) {
      rateLimit.noteMiss(ip);
      return null;
    }
    remember(token);
    return { ...link, token, intro };
  }

  /** For a person who followed a link: the page that says why there is no recorder. */
  async function openForPerson(request: WithToken, reply: FastifyReply): Promise<Opened | null> {
    protect(reply);
    const opened = await open(request);
    if (typeof opened === 'number') await pages.sendTooMany(request, reply, opened);
    else if (opened === null) await pages.sendUnknown(request, reply);
    else if (isClosed(opened.intro.status)) await pages.sendClosed(request, reply, opened.intro, opened.intro.status);
    else return opened;
    return null;
  }

  const stateOf = ({ introId, token, intro }: Opened, status: ShownStatus): RecorderState =>
    presentState(
      introId,
      { ...intro, status },
      {
        links,
        maxBytes: deps.maxBytes,
        logoUrl: intro.logo === null ? null : `/r/${token}/logo.png`,
      },
    );

  /** For what the recorder's own script asks: a word it understands, and no page. */
  async function openForScript(
    request: WithToken,
    reply: FastifyReply,
  ): Promise<(Opened & { intro: { status: ShownStatus } }) | null> {
    protect(reply);
    const opened = await open(request);
    if (typeof opened === 'number') {
      const message = 'Too many wrong links came from this address. Wait a moment.';
      await reply
        .code(429)
        .header('retry-after', opened)
        .send({ error: { code: 'rate_limited', message } });
      return null;
    }
    if (opened === null) {
      await reply.code(404).send({ error: { code: 'not_found', message: 'There is nothing at this link.' } });
      return null;
    }
    const status: IntroStatus = opened.intro.status;
    if (isClosed(status)) {
      await reply.code(410).send({ closed: status });
      return null;
    }
    return { ...opened, intro: { ...opened.intro, status } };
  }

  app.get<{ Params: { token: string } }>('/r/:token', { config: { operation: 'recorder' } }, async (request, reply) => {
    const opened = await openForPerson(request, reply);
    if (opened === null) return reply;
    const { intro } = opened;
    const nonce = randomBytes(12).toString('base64');
    reply
      .header('content-security-policy', policyWith(nonce))
      .header('permissions-policy', 'camera=(self), microphone=(self)');
    return reply.type('text/html; charset=utf-8').send(
      renderShell(stateOf(opened, intro.status as ShownStatus), {
        api: `/r/${opened.token}`,
        script: `/assets/${deps.assets.script}`,
        style: `/assets/${deps.assets.style}`,
        colors: colorsOf(intro.accent),
        nonce,
      }),
    );
  });

  app.get<{ Params: { token: string } }>(
    '/r/:token/state',
    { config: { operation: 'recorderState' } },
    async (request, reply) => {
      const opened = await openForScript(request, reply);
      if (opened === null) return reply;
      // The recorder asks as soon as it runs. The page itself is fetched by every program that looks at a link ahead of a person.
      const isFirst = opened.intro.member_opened_at === null && request.method === 'GET' && !isRobot(request.headers);
      if (isFirst) await markOpenedByMember(db.kysely, opened.tenant, opened.introId, clock());
      return reply.send(stateOf(opened, opened.intro.status));
    },
  );

  app.post<{ Params: { token: string } }>(
    '/r/:token/pace',
    { config: { operation: 'recorderPace' } },
    async (request, reply) => {
      const opened = await openForScript(request, reply);
      if (opened === null) return reply;
      const pace = readPace(request.body);
      if (pace === null) {
        const message = `words_per_minute must be a whole number from ${PACE_BOUNDS.join(' to ')}.`;
        return reply.code(422).send({ error: { code: 'validation_failed', message, field: 'words_per_minute' } });
      }
      await updateMember(db.kysely, opened.tenant, opened.intro.member_id, { words_per_minute: pace });
      return reply.code(204).send();
    },
  );

  app.get<{ Params: { token: string } }>(
    '/r/:token/logo.png',
    { config: { operation: 'recorderLogo' } },
    async (request, reply) => {
      const opened = await openForScript(request, reply);
      if (opened === null) return reply;
      const logo = opened.intro.logo === null ? null : await deps.objects.open(opened.intro.logo);
      if (logo === null) return reply.callNotFound();
      return reply.type('image/png').send(await logo.stream());
    },
  );

  app.get<{ Params: { token: string } }>(
    '/r/:token/preview',
    { config: { operation: 'recorderPreview' } },
    async (request, reply) => {
      const opened = await openForPerson(request, reply);
      if (opened === null) return reply;
      if (opened.intro.recording_id === null) return pages.sendUnknown(request, reply);
      return pages.sendPreview(request, reply, opened);
    },
  );

  registerUploads(app, deps.uploads, openForScript);
}

/** The bytes go past Fastify: the library reads the request itself, piece by piece. */
function registerUploads(
  app: FastifyInstance,
  uploads: UploadServers,
  openForScript: (
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ) => Promise<(UploadScope & { token: string; intro: { status: ShownStatus } }) | null>,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));

    const pass = async (request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply) => {
      const opened = await openForScript(request, reply);
      if (opened === null) return reply;
      if (opened.intro.status === 'sent') {
        return reply.code(410).send({ closed: 'sent' });
      }
      reply.hijack();
      // Hidden from Fastify, which refuses media types before a route is asked; see platform/http.ts.
      if (request.state.mediaType !== undefined) request.raw.headers['content-type'] = request.state.mediaType;
      await uploads(opened, `/r/${opened.token}/uploads`).handle(request.raw, reply.raw);
      return reply;
    };
    scope.post<{ Params: { token: string } }>('/r/:token/uploads', { config: { operation: 'upload' } }, pass);
    for (const method of UPLOAD_METHODS) {
      const config = { operation: 'upload' };
      scope.route<{ Params: { token: string; id: string } }>({
        method,
        url: '/r/:token/uploads/:id',
        config,
        handler: pass,
      });
    }
  });
}
