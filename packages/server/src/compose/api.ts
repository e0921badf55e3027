import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import {
  type Authenticator,
  type Caller,
  createAuthenticator,
  createLimiter,
  type KeyUsage,
  requireScope,
  watchKeyUsage,
} from '../access/index.ts';
import type { Config } from '../config.ts';
import { createRequestLog, endAccess, registerConsole } from '../console/index.ts';
import { type CarrierWatch, registerCarrierRoutes } from '../delivery/index.ts';
import { registerDocs } from '../docs.ts';
import { registerErrorsPage } from '../errors-page.ts';
import { createWaitForEvent, type EventAcceptor } from '../events/index.ts';
import { createHandlers } from '../handlers.ts';
import { createIntroService, createWaitForIntro, type IntroCreator, type IntroService } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import {
  findMediaOrigin,
  previewPage,
  registerPages,
  renderClosed,
  renderTooMany,
  renderUnavailable,
  renderUnknown,
  sendDocument,
} from '../pages/index.ts';
import type { Database } from '../platform/db.ts';
import { LongPoll } from '../platform/long-poll.ts';
import { type Gate, registerOperations } from '../platform/operations.ts';
import {
  createRecordingLinks,
  createRecordingRetry,
  createSimulatedMember,
  createUploadServers,
  type RecorderPages,
  registerRecorder,
} from '../recordings/index.ts';
import { registerRoot } from '../root.ts';
import { createSimulation, createTestClockService } from '../simulation/index.ts';
import type { Tables } from '../tables.ts';
import { createMemberService } from '../team/index.ts';
import { registerWeb } from '../web.ts';
import { openWebBuild } from '../web-build.ts';
import { createWebhookService, type WebhookService } from '../webhooks/index.ts';
import type { Core } from './core.ts';

function createGate(authenticator: Authenticator, usage: KeyUsage, pool: pg.Pool, config: Config): Gate<Caller> {
  const limiter = createLimiter(pool, config.rateLimit);
  return {
    authenticate: (authorization, client) => authenticator.authenticate(authorization, client),
    allow: requireScope,
    admit(caller, kind) {
      usage.note(caller);
      return limiter.admit(caller, kind);
    },
    describe: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
  };
}

interface Accepting {
  readonly events: EventAcceptor;
  readonly creator: IntroCreator;
  readonly carrierWatch: CarrierWatch;
}

interface Services {
  readonly authenticator: Authenticator;
  readonly intros: IntroService;
  readonly webhooks: WebhookService;
}

/** The member's recorder, the recipient's page and the team's console. */
async function registerBrowserPages(app: FastifyInstance, core: Core, services: Accepting & Services): Promise<void> {
  const { db, config, links, objects, delivery, introEvents } = core;
  const { publicUrl, maxUploadBytes: maxBytes, webhooksAllowPrivate, company } = config;
  const build = await openWebBuild();
  await registerWeb(app, build);
  // Every page with a video must allow the store in its policy, including previews in the recorder and the console.
  const mediaOrigin = config.redirectMedia ? await findMediaOrigin(objects) : null;
  registerPages(app, { ...core, publicUrl, mediaOrigin, introEvents, optOut: delivery.optOut });
  const { recorder: assets } = build.entries;
  if (assets === undefined) throw new Error('the web build has no recorder');
  const uploads = createUploadServers({ ...core, maxBytes });
  registerRecorder(app, { ...core, uploads, pages: recorderPages(db, links, mediaOrigin), assets, maxBytes });
  registerConsole(app, { ...core, ...services, publicUrl, webhooksAllowPrivate, company, build, mediaOrigin });
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

/** Closed after the last request. */
export interface Closing {
  close(): Promise<unknown>;
}

/** Registers the API and the web pages. */
export async function registerApi(app: FastifyInstance, shared: Core, accepting: Accepting): Promise<Closing> {
  const core = { ...shared, db: shared.requestDb };
  const { db, connection, direct, clock, config, carriers, delivery, log } = core;
  registerRoot(app);
  registerDocs(app);
  registerErrorsPage(app);
  const authenticator = createAuthenticator({ db, connection: direct, clock });
  const usage = watchKeyUsage({ pool: db.pool, clock, log });
  const requestLog = createRequestLog({ connection, clock, log });
  requestLog.watch(app);
  const intros = createIntroService(core);
  const simulated = createSimulatedMember({ ...core, intros });
  const recordingRetry = createRecordingRetry({ ...core, intros });
  const recordingLinks = createRecordingLinks(core);
  const members = createMemberService({ ...core, endAccess });
  const simulation = createSimulation({ ...core, intros, simulated });
  const webhooks = createWebhookService({ ...core, allowPrivate: config.webhooksAllowPrivate });
  const longPoll = openLongPoll(app, core);
  registerOperations(
    app,
    createGate(authenticator, usage, db.pool, config),
    createHandlers({
      db,
      clock,
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
      webhooks,
    }),
  );
  registerCarrierRoutes(app, { db, clock, carriers, publicUrl: config.publicUrl, ...delivery.routes });
  await registerBrowserPages(app, core, { ...accepting, authenticator, intros, webhooks });
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
          organization: { name: intro.organization_name, accent: intro.accent, officePhone: intro.office_phone },
        }),
      ),
    sendUnknown: (request, reply) => sendDocument(request, reply, 404, renderUnknown()),
    sendTooMany: (request, reply, waitS) =>
      sendDocument(request, reply.header('retry-after', waitS), 429, renderTooMany()),
    sendUnavailable: (request, reply) => sendDocument(request, reply, 503, renderUnavailable()),
    async sendPreview(request, reply, { tenant, introId }) {
      const page = await previewPage(db, { tenant, introId, pageUrl: links.pageUrl(introId), mediaOrigin });
      return page === null
        ? sendDocument(request, reply, 404, renderUnknown())
        : sendDocument(request, reply, 200, page);
    },
  };
}
