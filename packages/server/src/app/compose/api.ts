import type { WebBuild } from '@foreword/web/build';
import type { FastifyInstance } from 'fastify';
import { createCookies, createRequestLog, endAccess, registerConsole } from '../../console/index.ts';
import {
  type CarrierWatch,
  deliveryOperations,
  registerBounceRoutes,
  registerCarrierRoutes,
  sendAnyway,
  textOperations,
} from '../../delivery/index.ts';
import {
  type Authenticator,
  createAuthenticator,
  createLimiter,
  createRequestQueues,
  type RequestQueues,
  watchKeyUsage,
} from '../../http/access/index.ts';
import { openWebBuild, recordersOf, registerWeb } from '../../http/assets.ts';
import { registerDocs } from '../../http/docs/reference.ts';
import { findDocsSite, registerDocsFiles, registerDocsSite, registerErrorsPage } from '../../http/docs/site.ts';
import {
  apiKeys,
  type Handlers,
  registerOperations,
  type Served,
  serveHandlers,
  type UseOperation,
  useOperations,
} from '../../http/index.ts';
import { registerMcp } from '../../http/mcp/index.ts';
import { registerRoot } from '../../http/root.ts';
import { type EventAcceptor, eventAcceptance, eventOperations } from '../../intros/events/index.ts';
import { type IntroCreator, introCreation, introOperations } from '../../intros/index.ts';
import { memberOperations } from '../../members/team/index.ts';
import {
  type LinkHosts,
  linkDomainOperations,
  registerLinkDomainRoutes,
} from '../../organizations/link-domains/index.ts';
import { findMediaOrigin, registerPages } from '../../pages/index.ts';
import { LongPoll } from '../../platform/long-poll.ts';
import { version } from '../../platform/process.ts';
import { createNumberReplacement, erasureOperations } from '../../privacy/erasure/index.ts';
import { consentByRecording, currentConsentText, readShownConsent } from '../../privacy/likeness/index.ts';
import { type RecorderDeps, recordingOperations, registerRecorder } from '../../recordings/index.ts';
import { simulatedIntroOperations, testClockOperations } from '../../testing/simulation/index.ts';
import { touchpointOperations } from '../../touchpoints/index.ts';
import { webhookOperations } from '../../webhooks/index.ts';
import type { Config } from '../config/index.ts';
import type { Core } from './core.ts';

interface Accepting {
  readonly events: EventAcceptor;
  readonly creator: IntroCreator;
  readonly carrierWatch: CarrierWatch;
  readonly linkHosts: LinkHosts;
}

interface Services {
  readonly queues: RequestQueues;
  readonly authenticator: Authenticator;
  readonly served: readonly Served[];
  readonly use: UseOperation;
}

/** The member's recorder, the recipient's page and the team's console. */
async function registerBrowserPages(
  app: FastifyInstance,
  core: Core,
  build: WebBuild,
  services: Accepting & Services,
): Promise<void> {
  const { config, objects, delivery, introEvents, carriers } = core;
  const { linkHosts } = services;
  const { publicUrl, cell, maxUploadBytes: maxBytes, maxDailyUploadBytes: maxDailyBytes } = config;
  const { webhooksAllowPrivate, company } = config;
  registerWeb(app, build);
  // Every page with a video must allow the store in its policy, including previews in the recorder and the console.
  const mediaOrigin = config.redirectMedia ? await findMediaOrigin(objects) : null;
  registerPages(app, {
    ...core,
    publicUrl,
    linkHosts,
    mediaOrigin,
    introEvents,
    numberOf: carriers.numberOf,
    consents: delivery.consents,
  });
  const assets = recordersOf(build);
  const consent = { textOf: currentConsentText, readShown: readShownConsent };
  const sendText: RecorderDeps['sendText'] = (tx, tenant, id, now) => sendAnyway(core, tx, tenant, id, now);
  const { session } = createCookies(publicUrl);
  const isSignedIn: RecorderDeps['isSignedIn'] = (request) => session.read(request) !== null;
  const limits = { maxBytes, maxDailyBytes, consentByRecording };
  registerRecorder(app, { ...core, ...limits, mediaOrigin, assets, consent, sendText, isSignedIn });
  const web = { build, mediaOrigin, version: version() };
  registerConsole(app, { ...core, ...services, publicUrl, cell, webhooksAllowPrivate, company, ...web });
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
function registerDocPages(app: FastifyInstance, { docsSite, publicUrl }: Config, build: WebBuild): string | null {
  const site = docsSite ? findDocsSite() : null;
  registerDocs(app, build, publicUrl);
  const hasFiles = docsSite && site === null && registerDocsFiles(app);
  if (!hasFiles) registerDocsSite(app, site, publicUrl);
  if (site === null) registerErrorsPage(app);
  return site?.folder ?? null;
}

/** Registers the API and the web pages. The result is closed after the last request. */
export async function registerApi(app: FastifyInstance, shared: Core, accepting: Accepting) {
  const core = { ...shared, db: shared.requestDb };
  const { db, connection, direct, clock, config, carriers, delivery, log } = core;
  registerRoot(app);
  const build = await openWebBuild();
  const siteFolder = registerDocPages(app, config, build);
  const authenticator = createAuthenticator({ db, connection: direct, clock, cell: config.cell });
  const usage = watchKeyUsage({ pool: db.pool, clock, log });
  const requestLog = createRequestLog({ connection, clock, log });
  requestLog.watch(app);
  const longPoll = openLongPoll(app, core);
  const queues = createRequestQueues();
  const limiter = createLimiter(db.pool, config.rateLimit);
  const gate = { authenticator, usage, limiter, queues };
  const parts = {
    ...core,
    ...delivery,
    ...accepting,
    longPoll,
    endAccess,
    maxDailyBytes: config.maxDailyUploadBytes,
    publicUrl: config.publicUrl,
    allowPrivate: config.webhooksAllowPrivate,
    replaceNumber: createNumberReplacement(core.contents),
  };
  const operations: Handlers = {
    ...eventAcceptance(parts),
    ...eventOperations(parts),
    ...introCreation(parts),
    ...introOperations(parts),
    ...recordingOperations(parts),
    ...deliveryOperations(parts),
    ...textOperations(parts),
    ...erasureOperations(parts),
    ...touchpointOperations(parts),
    ...memberOperations(parts),
    ...linkDomainOperations(parts),
    ...webhookOperations(parts),
    ...testClockOperations(parts),
    ...simulatedIntroOperations(parts),
  };
  const served = serveHandlers(db, operations);
  registerOperations(app, apiKeys({ gate, tracer: core.tracer }), served);
  registerMcp(app, { gate, publicUrl: config.publicUrl, version: version(), log, siteFolder });
  registerCarrierRoutes(app, { db, clock, carriers, publicUrl: config.publicUrl, ...delivery.routes });
  registerLinkDomainRoutes(app, core);
  registerBounceRoutes(app, { bounces: delivery.bounces, secret: config.carriers.mail?.bounceSecret, log });
  const use = useOperations(db, operations);
  await registerBrowserPages(app, core, build, { ...accepting, queues, authenticator, served, use });
  return { close: () => Promise.all([authenticator.close(), usage.stop(), requestLog.stop()]) };
}
