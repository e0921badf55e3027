import { randomBytes } from 'node:crypto';
import { DeclineBody, HandOverBody, LANGUAGES, type Language, PACE, type RecorderState } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../app/services.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import type { Carriers } from '../delivery/index.ts';
import { type Decline, handOver, markOpenedByMember, type Reassign } from '../intros/index.ts';
import { listColleagues, updateMember } from '../members/index.ts';
import { appPolicy, brandRules, previewPage, sendDocument, sendUnavailable, sendUnknown } from '../pages/index.ts';
import { isRobot } from '../platform/client-address.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { parseJson } from '../platform/json.ts';
import { withRequest } from '../platform/origin.ts';
import { compileCheck } from '../platform/validate.ts';
import { readEdits } from './edits.ts';
import {
  createLinkOpener,
  findNext,
  type LinkOpener,
  type OpenedLink,
  type RequestWithToken,
  readSkipped,
} from './open-link.ts';
import { hasText, presentState } from './present.ts';
import type { LinkUse } from './rules.ts';
import { retryRecording } from './scheduling.ts';
import { languageOf, renderShell } from './shell.ts';
import { findMemberText } from './store/member-view.ts';
import type { ShownVersion, UploadDeps, UploadServers } from './uploads.ts';

interface UnableDeps extends Pick<Services, 'db' | 'testClocks'> {
  readonly decline: Decline;
  readonly reassign: Reassign;
}

const checkDecline = compileCheck(DeclineBody, 'body');
const checkHandOver = compileCheck(HandOverBody, 'body');

function readBody<T>(body: unknown, check: (value: unknown) => unknown): T {
  const parsed = parseJson(String(body));
  if (parsed === undefined) throw invalid('body', 'must be JSON');
  return check(parsed) as T;
}

type Answer = (opened: OpenedLink, request: RequestWithToken, reply: FastifyReply) => Promise<unknown>;

/** Registers requests that the recorder's script sends. Null is answered without content. */
const scriptRoutes =
  (app: FastifyInstance, { openForScript }: LinkOpener) =>
  (method: 'GET' | 'POST', name: string, operation: string, use: LinkUse, answer: Answer): void => {
    app.route<ByToken>({
      method,
      url: `/r/:token/${name}`,
      config: { operation },
      async handler(request, reply) {
        const opened = await openForScript(request, reply, use);
        if (opened === null) return reply;
        const answered = await answer(opened, request, reply);
        return answered === null ? reply.code(204).send() : answered;
      },
    });
  };

/** For a member who cannot record the intro: decline it, or hand it over to a colleague. */
function registerUnable(app: FastifyInstance, deps: UnableDeps, opener: LinkOpener): void {
  const { db, testClocks, decline, reassign } = deps;
  const on = scriptRoutes(app, opener);

  async function act(tenant: Tenant, move: (tx: Tx, now: Date) => Promise<ApiError | null>): Promise<null> {
    const refusal = await db.kysely.transaction().execute((tx) => move(tx, testClocks.now(tenant)));
    if (refusal !== null) throw refusal;
    return null;
  }

  on('POST', 'decline', 'recorderDecline', 'record', async ({ tenant, introId, intro }, { body }) => {
    const { reason, message = null } = readBody<DeclineBody>(body, checkDecline);
    const wanted = { introId, memberId: intro.member_id, reason, message: message || null };
    return act(tenant, (tx, now) => decline(tx, tenant, wanted, now));
  });

  on('GET', 'colleagues', 'recorderColleagues', 'record', async ({ tenant, intro }) => ({
    colleagues: await listColleagues(db.kysely, tenant, intro.member_id),
  }));

  on('POST', 'hand-over', 'recorderHandOver', 'record', async ({ tenant, introId, intro }, request) => {
    const { member: to } = readBody<HandOverBody>(request.body, checkHandOver);
    const wanted = { introId, from: intro.member_id, to };
    return withRequest(request, { type: 'member', id: wanted.from }, () =>
      act(tenant, (tx, now) => handOver({ reassign }, tx, tenant, wanted, now)),
    );
  });
}

export interface RecorderDeps
  extends UnableDeps,
    UploadDeps,
    Pick<Services, 'db' | 'objects' | 'space' | 'links' | 'clock' | 'testClocks'> {
  readonly carriers: Pick<Carriers, 'numberOf'>;
  /** The object store's origin, if players are redirected there. */
  readonly mediaOrigin: string | null;
  /** Names of the built files, below `/assets/`. */
  readonly assets: Readonly<Record<Language, { script: string; style: string; font: string }>>;
  /** Whether the browser is signed in to the console. */
  isSignedIn(request: FastifyRequest): boolean;
  /** Sends the recipient's text although it is not sent automatically. */
  sendText(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<unknown>;
  /** The consent to the use of the member's likeness. */
  readonly consent: {
    textOf(language: Language, organization: string): Omit<RecorderState['consent'], 'settings'>;
    /** Reads the header in which the recorder says what it showed; null for anything else. */
    readShown(header: string | undefined): ShownVersion | null;
  };
}

type ByToken = { Params: { token: string } };

const PREFERENCES_PROBLEM = `must have words_per_minute, a whole number from ${PACE.slowest} to ${PACE.fastest}, or language.`;
/** Where a member can withdraw the consent, after signing in. */
const SETTINGS = '/console/settings';
const UPLOAD_METHODS = ['HEAD', 'PATCH', 'DELETE'] as const;

const OWN_POLICY = ["frame-src 'self'", "worker-src 'self' blob:", "form-action 'none'"];

/** The member's choices on the recorder's screens: the pace of the script, and their language. */
function readPreferences(body: unknown): { words_per_minute?: number; language?: Language } | null {
  const { words_per_minute: pace, language } = (parseJson(String(body)) ?? {}) as Record<string, unknown>;
  const isPace = Number.isInteger(pace) && Number(pace) >= PACE.slowest && Number(pace) <= PACE.fastest;
  const chosen = LANGUAGES.find((one) => one === language);
  if (isPace) return { words_per_minute: Number(pace) };
  return chosen === undefined ? null : { language: chosen };
}

export function registerRecorder(app: FastifyInstance, deps: RecorderDeps): void {
  const opener = createLinkOpener(deps);
  registerDocuments(app, deps, opener);
  registerRequests(app, deps, opener);
  registerUnable(app, deps, opener);
  registerUploads(app, deps, opener);
}

async function stateOf(opened: OpenedLink, { db, links, maxBytes, consent }: RecorderDeps): Promise<RecorderState> {
  const { introId, token, tenant, intro } = opened;
  const logoUrl = intro.logo === null ? null : `/r/${token}/logo.png`;
  const text = hasText(intro) ? await findMemberText(db.kysely, tenant, introId) : null;
  const state = presentState(introId, intro, { links, maxBytes, logoUrl, text });
  return { ...state, consent: { ...consent.textOf(intro.language, intro.organization_name), settings: SETTINGS } };
}

/** Pages that a person sees: the recorder, and the preview of the recipient's page. */
function registerDocuments(app: FastifyInstance, deps: RecorderDeps, { openForPerson }: LinkOpener): void {
  const { db, links, mediaOrigin } = deps;
  app.get<ByToken>(
    '/r/:token',
    { config: { operation: 'recorder', unavailablePage: sendUnavailable } },
    async (request, reply) => {
      const opened = await openForPerson(request, reply, 'record');
      if (opened === null) return reply;
      const nonce = randomBytes(12).toString('base64');
      reply
        .header('content-security-policy', appPolicy(nonce, OWN_POLICY))
        .header('permissions-policy', 'camera=(self), microphone=(self)');
      const state = await stateOf(opened, deps);
      const assets = deps.assets[languageOf(state)];
      return reply.type('text/html; charset=utf-8').send(
        renderShell(state, {
          api: `/r/${opened.token}`,
          // A later link for the same intro finds the takes of this one on the device.
          ...(opened.expiresAt !== null && { takes: opened.introId }),
          script: `/assets/${assets.script}`,
          style: `/assets/${assets.style}`,
          font: `/assets/${assets.font}`,
          colors: brandRules(opened.intro.accent),
          nonce,
        }),
      );
    },
  );

  app.get<ByToken>(
    '/r/:token/preview',
    { config: { operation: 'recorderPreview', unavailablePage: sendUnavailable } },
    async (request, reply) => {
      const opened = await openForPerson(request, reply, 'follow');
      if (opened === null) return reply;
      const { tenant, introId, intro } = opened;
      if (intro.recording_id === null) return sendUnknown(request, reply);
      const { numberOf } = deps.carriers;
      const shown = { tenant, introId, pageUrl: links.pageUrl(introId, null), mediaOrigin, numberOf };
      const page = await previewPage(db, shown, deps.testClocks.now(tenant));
      return page === null ? sendUnknown(request, reply) : sendDocument(request, reply, 200, page);
    },
  );
}

function registerRequests(app: FastifyInstance, deps: RecorderDeps, opener: LinkOpener): void {
  const { db, testClocks, objects } = deps;
  const on = scriptRoutes(app, opener);

  on('GET', 'state', 'recorderState', 'follow', async (opened, request) => {
    // Counts as opening the link, because only a running recorder requests it. Link scanners fetch just the page.
    const isFirst = opened.intro.member_opened_at === null && request.method === 'GET' && !isRobot(request.headers);
    if (isFirst) await markOpenedByMember(db.kysely, opened.tenant, opened.introId, testClocks.now(opened.tenant));
    return stateOf(opened, deps);
  });

  app.get<ByToken & { Querystring: { skip?: string } }>(
    '/r/:token/next',
    { config: { operation: 'recorderNext' } },
    async (request, reply) => {
      const link = await opener.openToLead(request, reply);
      if (link === null) return reply;
      const present = (next: OpenedLink) => stateOf(next, deps);
      const options = { ...deps, present, isSignedIn: deps.isSignedIn(request) };
      return reply.send(JSON.stringify(await findNext(options, link, readSkipped(request.query.skip))));
    },
  );

  on('POST', 'preferences', 'recorderPreferences', 'record', async ({ tenant, intro }, { body }) => {
    const chosen = readPreferences(body);
    if (chosen === null) throw invalid('body', PREFERENCES_PROBLEM);
    await updateMember(db.kysely, tenant, intro.member_id, chosen);
    return null;
  });

  on('POST', 'retry', 'recorderRetry', 'follow', async ({ tenant, introId: id, intro: { status } }) => {
    await db.kysely.transaction().execute((tx) => retryRecording(deps, tx, tenant, { id, status }));
    return null;
  });

  on('POST', 'send', 'recorderSend', 'follow', async ({ tenant, introId }) => {
    await db.kysely.transaction().execute((tx) => deps.sendText(tx, tenant, introId, testClocks.now(tenant)));
    return null;
  });

  /** Opens this link on a phone, for computers without a camera. */
  on('GET', 'qr.svg', 'recorderQr', 'follow', async ({ token, introId }, _request, reply) => {
    const { encodeQR } = await import('qr');
    const { href } = new URL(`/r/${token}`, deps.links.pageUrl(introId, null));
    // A screen is not damaged, and readers need a margin of four modules.
    return reply.type('image/svg+xml').send(encodeQR(href, 'svg', { ecc: 'low', border: 4 }));
  });

  on('GET', 'logo.png', 'recorderLogo', 'follow', async ({ intro }, _request, reply) => {
    const logo = intro.logo === null ? null : await objects.open(intro.logo);
    return logo === null ? reply.callNotFound() : reply.type('image/png').send(await logo.stream());
  });
}

/** Bypasses Fastify's body parsing: the tus library reads the request stream itself. */
function registerUploads(app: FastifyInstance, deps: RecorderDeps, { openForScript }: LinkOpener): void {
  const { space, consent } = deps;
  let servers: Promise<UploadServers> | undefined;
  // Loads the library with the first upload: a start does not need it.
  const openServers = () => (servers ??= import('./uploads.ts').then((uploads) => uploads.createUploadServers(deps)));
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));

    const config = { operation: 'upload' };
    const handler = async (request: RequestWithToken, reply: FastifyReply) => {
      const opened = await openForScript(request, reply, request.method === 'POST' ? 'record' : 'upload');
      if (opened === null) return reply;
      if (opened.intro.status === 'sent') return reply.code(410).send({ closed: 'sent' });
      const edits = readEdits(request.headers);
      if ('field' in edits) return reply.code(422).send({ error: { code: 'validation_failed', ...edits } });
      // Takes that have begun may use the space that is reserved for them.
      if (request.method === 'POST') await space.require();
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '');
      // http/server.ts hides the media type from Fastify, which would refuse unknown ones before routing.
      if (request.state.mediaType !== undefined) request.raw.headers['content-type'] = request.state.mediaType;
      const { member_id: memberId, organization_name: organization } = opened.intro;
      const shown = consent.readShown(request.headers['foreword-consent']?.toString());
      const serverOf = await openServers();
      await serverOf({ ...opened, memberId, organization, consent: shown, edits }, `/r/${opened.token}/uploads`).handle(
        request.raw,
        reply.raw,
      );
      return reply;
    };
    scope.post<ByToken>('/r/:token/uploads', { config }, handler);
    for (const method of UPLOAD_METHODS) {
      scope.route<{ Params: { token: string; id: string } }>({
        method,
        url: '/r/:token/uploads/:id',
        config,
        handler,
      });
    }
  });
}
