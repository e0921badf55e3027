import type { FastifyInstance } from 'fastify';
import {
  type Authenticator,
  type Caller,
  CONNECTION_COST,
  createAuthenticator,
  createLimiter,
  createRequestQueues,
  type KeyUsage,
  type Limiter,
  type RequestQueues,
  requireScope,
  watchKeyUsage,
} from '../access/index.ts';
import type { Config } from '../config.ts';
import { createRequestLog, endAccess, registerConsole } from '../console/index.ts';
import type { Tables } from '../db/tenancy.ts';
import {
  type CarrierWatch,
  createRecipientConsents,
  notifyOfReply,
  registerBounceRoutes,
  registerCarrierRoutes,
  sendAnyway,
} from '../delivery/index.ts';
import { registerDocs } from '../docs.ts';
import { registerDocsFiles } from '../docs-files.ts';
import { findDocsSite, registerDocsSite } from '../docs-site.ts';
import { createErasures, type Erasures } from '../erasure/index.ts';
import { registerErrorsPage } from '../errors-page.ts';
import { createWaitForEvent, type EventAcceptor } from '../events/index.ts';
import { createHandlers } from '../handlers.ts';
import { createIntroService, createWaitForIntro, type IntroCreator, type IntroService } from '../intros/index.ts';
import { consentByRecording, currentConsentText, readShownConsent } from '../likeness/index.ts';
import {
  createLinkDomainService,
  type LinkDomainService,
  type LinkHosts,
  registerLinkDomainRoutes,
} from '../link-domains/index.ts';
import type { Links } from '../links/index.ts';
import { registerMcp } from '../mcp/index.ts';
import { findOrganization } from '../organizations/index.ts';
import {
  browserLanguage,
  findMediaOrigin,
  previewPage,
  registerPages,
  renderClosed,
  renderReassigned,
  renderTooMany,
  renderUnavailable,
  renderUnknown,
  sendDocument,
} from '../pages/index.ts';
import type { Database } from '../platform/db.ts';
import { LongPoll } from '../platform/long-poll.ts';
import { type Gate, registerOperations } from '../platform/operations.ts';
import { version } from '../platform/version.ts';
import {
  createRecordingLinks,
  createRecordingRetry,
  createSimulatedMember,
  createUploadServers,
  type RecorderDeps,
  type RecorderPages,
  registerRecorder,
} from '../recordings/index.ts';
import { registerRoot } from '../root.ts';
import { createSimulation, createTestClockService } from '../simulation/index.ts';
import { createMemberService } from '../team/index.ts';
import { registerWeb } from '../web.ts';
import { openWebBuild, recordersOf } from '../web-build.ts';
import { createWebhookService, type WebhookService } from '../webhooks/index.ts';
import type { Core } from './core.ts';

function createGate(
  authenticator: Authenticator,
  usage: KeyUsage,
  limiter: Limiter,
  queues: RequestQueues,
): Gate<Caller> {
  return {
    authenticate: (authorization, client) => authenticator.authenticate(authorization, client),
    allow: requireScope,
    admit(caller, kind, cost) {
      usage.note(caller);
      return limiter.admit(caller, kind, cost);
    },
    openSlot: ({ organizationId }, kind, cost, client) =>
      kind === 'batched'
        ? queues.batched.slot(organizationId, 1, client)
        : queues.api.slot(organizationId, cost + CONNECTION_COST, client),
    describe: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
    keyOf: ({ keyId }) => keyId,
  };
}

interface Accepting {
  readonly events: EventAcceptor;
  readonly creator: IntroCreator;
  readonly carrierWatch: CarrierWatch;
  readonly linkHosts: LinkHosts;
}

interface Services {
  readonly queues: RequestQueues;
  readonly erasures: Erasures;
  readonly authenticator: Authenticator;
  readonly intros: IntroService;
  readonly webhooks: WebhookService;
  readonly linkDomains: LinkDomainService;
}

/** The member's recorder, the recipient's page and the team's console. */
async function registerBrowserPages(app: FastifyInstance, core: Core, services: Accepting & Services): Promise<void> {
  const { db, config, links, objects, delivery, introEvents } = core;
  const { linkHosts } = services;
  const { publicUrl, cell, maxApiKeys, maxUploadBytes: maxBytes, maxDailyUploadBytes: maxDailyBytes } = config;
  const { webhooksAllowPrivate, company } = config;
  const build = await openWebBuild();
  await registerWeb(app, build);
  // Every page with a video must allow the store in its policy, including previews in the recorder and the console.
  const mediaOrigin = config.redirectMedia ? await findMediaOrigin(objects) : null;
  registerPages(app, {
    ...core,
    publicUrl,
    linkHosts,
    mediaOrigin,
    introEvents,
    optOut: delivery.consents.optOut,
    notifyOfReply,
  });
  const assets = recordersOf(build);
  const uploads = createUploadServers({ ...core, maxBytes, maxDailyBytes, consentByRecording });
  const consent = { textOf: currentConsentText, readShown: readShownConsent };
  const pages = recorderPages(db, links, mediaOrigin);
  const sendText: RecorderDeps['sendText'] = (tx, tenant, id, now) => sendAnyway(core, tx, tenant, id, now);
  registerRecorder(app, { ...core, uploads, pages, assets, maxBytes, consent, sendText });
  const web = { build, mediaOrigin, version: version() };
  registerConsole(app, { ...core, ...services, publicUrl, cell, maxApiKeys, webhooksAllowPrivate, company, ...web });
}

function openLongPoll(app: FastifyInstance, { metrics }: Core): LongPoll {
  const longPoll = new LongPoll();
  metrics.gauge('foreword_waiting_requests', 'Requests that wait for a change (?wait=).', () => longPoll.waiting);
  // Otherwise, closing would wait for them.
  app.addHook('preClose', (done) => {
    longPoll.stop();
    done();
  });
  return longPoll;
}

/** The docs site, or the pages that exist without it. Returns the folder of the site. */
function registerDocPages(app: FastifyInstance, { docsSite, publicUrl }: Config): string | null {
  const site = docsSite ? findDocsSite() : null;
  registerDocs(app);
  const hasFiles = docsSite && site === null && registerDocsFiles(app);
  if (!hasFiles) registerDocsSite(app, site, publicUrl);
  if (site === null) registerErrorsPage(app);
  return site?.folder ?? null;
}

/** Closed after the last request. */
export interface Closing {
  close(): Promise<unknown>;
}

/** Registers the API and the web pages. */
export async function registerApi(app: FastifyInstance, shared: Core, accepting: Accepting): Promise<Closing> {
  const core = { ...shared, db: shared.requestDb };
  const { db, connection, direct, clock, config, carriers, delivery, log } = core;
  registerRoot(app);
  const siteFolder = registerDocPages(app, config);
  const authenticator = createAuthenticator({ db, connection: direct, clock, cell: config.cell });
  const usage = watchKeyUsage({ pool: db.pool, clock, log });
  const requestLog = createRequestLog({ connection, clock, log });
  requestLog.watch(app);
  const intros = createIntroService(core);
  const simulated = createSimulatedMember({ ...core, maxDailyBytes: config.maxDailyUploadBytes, intros });
  const recordingRetry = createRecordingRetry({ ...core, intros });
  const recordingLinks = createRecordingLinks(core);
  const members = createMemberService({ ...core, endAccess });
  const simulation = createSimulation({ ...core, intros, simulated });
  const erasures = createErasures(core);
  const webhooks = createWebhookService({ ...core, allowPrivate: config.webhooksAllowPrivate });
  const linkDomains = createLinkDomainService({ ...core, publicUrl: config.publicUrl });
  const longPoll = openLongPoll(app, core);
  const queues = createRequestQueues();
  const gate = createGate(authenticator, usage, createLimiter(db.pool, config.rateLimit), queues);
  registerOperations(
    app,
    gate,
    core.tracer,
    createHandlers({
      db,
      clock,
      testClocks: core.testClocks,
      ...accepting,
      waitForEvent: createWaitForEvent({ db, longPoll }),
      intros,
      waitForIntro: createWaitForIntro({ db, intros, longPoll }),
      simulated,
      recordingRetry,
      recordingLinks,
      simulation,
      testClock: createTestClockService(core),
      members,
      erasures,
      recipientConsents: createRecipientConsents({ ...core, ...delivery }),
      erasedOptOuts: core.erasedOptOuts,
      webhooks,
      linkDomains,
    }),
  );
  registerMcp(app, { gate, publicUrl: config.publicUrl, version: version(), log, siteFolder });
  registerCarrierRoutes(app, { db, clock, carriers, publicUrl: config.publicUrl, ...delivery.routes });
  registerLinkDomainRoutes(app, core);
  registerBounceRoutes(app, { bounces: delivery.bounces, secret: config.carriers.mail?.bounceSecret, log });
  await registerBrowserPages(app, core, {
    ...accepting,
    queues,
    authenticator,
    erasures,
    intros,
    webhooks,
    linkDomains,
  });
  return { close: () => Promise.all([authenticator.close(), usage.stop(), requestLog.stop()]) };
}

/** The other pages under a member's link. They share the design of the recipient's page. */
function recorderPages(db: Database<Tables>, links: Links, mediaOrigin: string | null): RecorderPages {
  return {
    sendClosed: (request, reply, intro, reason) =>
      sendDocument(
        request,
        reply,
        410,
        renderClosed({
          audience: 'member',
          reason,
          language: intro.language,
          organization: { name: intro.organization_name, accent: intro.accent, officePhone: intro.office_phone },
        }),
      ),
    sendReassigned: (request, reply, { first_name, last_name, organization_name: name, accent, ...to }) => {
      const reader = { language: to.language, organization: { name, accent, officePhone: null } };
      return sendDocument(request, reply, 410, renderReassigned(reader, `${first_name} ${last_name}`));
    },
    sendUnknown: (request, reply) => sendDocument(request, reply, 404, renderUnknown(browserLanguage(request.headers))),
    async sendRemoved(request, reply, { organizationId }) {
      const organization = await findOrganization(db.kysely, organizationId);
      if (organization === null) return this.sendUnknown(request, reply);
      const { name, accent, office_phone: officePhone, language } = organization;
      const closed = {
        audience: 'member',
        reason: 'expired',
        language,
        organization: { name, accent, officePhone },
      } as const;
      return sendDocument(request, reply, 410, renderClosed(closed));
    },
    sendTooMany: (request, reply, waitS) =>
      sendDocument(request, reply.header('retry-after', waitS), 429, renderTooMany(browserLanguage(request.headers))),
    sendUnavailable: (request, reply) =>
      sendDocument(request, reply, 503, renderUnavailable(browserLanguage(request.headers))),
    async sendPreview(request, reply, { tenant, introId }) {
      const page = await previewPage(db, { tenant, introId, pageUrl: links.pageUrl(introId, null), mediaOrigin });
      return page === null
        ? sendDocument(request, reply, 404, renderUnknown(browserLanguage(request.headers)))
        : sendDocument(request, reply, 200, page);
    },
  };
}
