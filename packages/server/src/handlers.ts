import type { Intro } from '@foreword/contract';
import type { Caller } from './access/index.ts';
import type { Tables } from './db/tenancy.ts';
import { type ErasedOptOuts, listRecipientOptOuts, type RecipientConsents, readTimeline } from './delivery/index.ts';
import type { Erasures } from './erasure/index.ts';
import { answerDryRun, type EventAcceptor, listEvents, retryEventOnce, type WaitForEvent } from './events/index.ts';
import { appointmentHint, type IntroCreator, type IntroService, type WaitForIntro } from './intros/index.ts';
import type { LinkDomainService } from './link-domains/index.ts';
import { listMembers } from './members/index.ts';
import type { Clock } from './platform/clock.ts';
import type { Database } from './platform/db.ts';
import type { Handlers } from './platform/operations.ts';
import type { RecordingLinks, RecordingRetry, SimulatedMember } from './recordings/index.ts';
import type { Simulation, TestClockService } from './simulation/index.ts';
import type { MemberService } from './team/index.ts';
import type { TestClocks } from './test-clock/index.ts';
import { listTouchpoints, presentTouchpoint, retrieveTouchpoint, scriptHint } from './touchpoints/index.ts';
import type { WebhookService } from './webhooks/index.ts';

interface TestHelperRequest<Body> {
  readonly caller: Caller;
  readonly idempotencyKey: string;
  readonly params: { readonly id: string };
  readonly body: Body;
}

function webhookHandlers(webhooks: WebhookService) {
  return {
    createWebhookEndpoint: ({ caller, idempotencyKey, body }) => webhooks.create(caller, idempotencyKey, body),
    listWebhookEndpoints: async ({ caller, query }) => ({ body: await webhooks.list(caller, query) }),
    retrieveWebhookEndpoint: async ({ caller, params }) => ({ body: await webhooks.retrieve(caller, params.id) }),
    updateWebhookEndpoint: ({ caller, idempotencyKey, params, body }) =>
      webhooks.update(caller, idempotencyKey, params.id, body),
    deleteWebhookEndpoint: ({ caller, idempotencyKey, params, body }) =>
      webhooks.remove(caller, idempotencyKey, params.id, body),
    rotateWebhookSecret: ({ caller, idempotencyKey, params, body }) =>
      webhooks.rotate(caller, idempotencyKey, params.id, body),
    testWebhookEndpoint: ({ caller, idempotencyKey, params, body }) =>
      webhooks.test(caller, idempotencyKey, params.id, body),
    listWebhookMessages: async ({ caller, params, query }) => ({
      body: await webhooks.messages(caller, params.id, query),
    }),
    retrieveWebhookMessage: async ({ caller, params, query }) => ({
      body: await webhooks.message(caller, params.id, query.endpoint),
    }),
    listWebhookAttempts: async ({ caller, params, query }) => ({
      body: await webhooks.attempts(caller, params.id, query),
    }),
    replayWebhooks: ({ caller, idempotencyKey, params, body }) =>
      webhooks.replay(caller, idempotencyKey, params.id, body),
  } satisfies Partial<Handlers<Caller>>;
}

function linkDomainHandlers(domains: LinkDomainService) {
  return {
    createLinkDomain: ({ caller, idempotencyKey, body }) => domains.create(caller, idempotencyKey, body),
    listLinkDomains: async ({ caller, query }) => ({ body: await domains.list(caller, query) }),
    retrieveLinkDomain: async ({ caller, params }) => ({ body: await domains.retrieve(caller, params.id) }),
    checkLinkDomain: ({ caller, idempotencyKey, params, body }) =>
      domains.check(caller, idempotencyKey, params.id, body),
    deleteLinkDomain: ({ caller, idempotencyKey, params, body }) =>
      domains.remove(caller, idempotencyKey, params.id, body),
  } satisfies Partial<Handlers<Caller>>;
}

function memberHandlers(db: Database<Tables>, members: MemberService) {
  return {
    listMembers: async ({ caller, query }) => ({ body: await listMembers(db, caller, query) }),
    retrieveMember: async ({ caller, params }) => ({ body: await members.retrieve(caller, params.id) }),
    createMember: ({ caller, idempotencyKey, body }) => members.create(caller, idempotencyKey, body),
    updateMember: ({ caller, idempotencyKey, params, body }) => members.update(caller, idempotencyKey, params.id, body),
    deactivateMember: ({ caller, idempotencyKey, params, body }) =>
      members.deactivate(caller, idempotencyKey, params.id, body),
    reactivateMember: ({ caller, idempotencyKey, params, body }) =>
      members.reactivate(caller, idempotencyKey, params.id, body),
  } satisfies Partial<Handlers<Caller>>;
}

function testHelperHandlers(simulation: Simulation, testClock: TestClockService) {
  const requestOf = <Body>({ caller: tenant, idempotencyKey: key, params, body }: TestHelperRequest<Body>) => ({
    tenant,
    key,
    introId: params.id,
    body,
  });
  return {
    retrieveTestClock: async ({ caller }) => ({ body: await testClock.retrieve(caller) }),
    advanceTestClock: ({ caller, idempotencyKey, body }) => testClock.advance(caller, idempotencyKey, body),
    resetTestClock: ({ caller, idempotencyKey, body }) => testClock.reset(caller, idempotencyKey, body),
    openTestIntro: (request) => simulation.open(requestOf(request)),
    watchTestIntro: (request) => simulation.watch(requestOf(request)),
    replyTestIntro: (request) => simulation.reply(requestOf(request)),
    optOutTestRecipient: (request) => simulation.optOut(requestOf(request)),
    optInTestRecipient: (request) => simulation.optIn(requestOf(request)),
    expireTestIntro: (request) => simulation.expire(requestOf(request)),
    failTestIntro: (request) => simulation.fail(requestOf(request)),
  } satisfies Partial<Handlers<Caller>>;
}

const joinHints = (...hints: readonly (string | undefined)[]): string | undefined =>
  hints.filter((hint) => hint !== undefined).join(' ') || undefined;

/** Advice for an intro that will not be sent. Only the response of such an intro is parsed. In ASCII, because it is a header. */
function optOutHint(body: string): string | undefined {
  if (!body.includes('"recipient_opted_out":true')) return;
  const { delivery } = JSON.parse(body) as Intro;
  if (delivery.reason !== 'recipient_opted_out') return;
  return 'The recipient opted out of texts. Foreword does not text this intro, and does not ask the member to record it.';
}

/** The handler of each operation of the contract. */
export function createHandlers(deps: {
  db: Database<Tables>;
  clock: Clock;
  testClocks: TestClocks;
  events: EventAcceptor;
  waitForEvent: WaitForEvent;
  creator: IntroCreator;
  intros: IntroService;
  waitForIntro: WaitForIntro;
  simulated: SimulatedMember;
  recordingRetry: RecordingRetry;
  recordingLinks: RecordingLinks;
  simulation: Simulation;
  testClock: TestClockService;
  members: MemberService;
  erasures: Erasures;
  recipientConsents: RecipientConsents;
  erasedOptOuts: ErasedOptOuts;
  webhooks: WebhookService;
  linkDomains: LinkDomainService;
}): Handlers<Caller> {
  const { db, clock, testClocks, events, waitForEvent, creator, intros, waitForIntro, simulated } = deps;
  const { recordingRetry, recordingLinks, simulation, testClock, members, erasures, recipientConsents } = deps;
  const { erasedOptOuts, webhooks, linkDomains } = deps;
  return {
    createTouchpointEvent: async ({ caller, idempotencyKey, body }) => ({
      ...(await events.submit(caller, idempotencyKey, body)),
      hint: appointmentHint(body.context?.appointment, testClocks.now(caller)),
    }),
    retrieveEvent: ({ caller, params, query, client }) =>
      waitForEvent(caller, params.id, { keyId: caller.keyId, seconds: query.wait ?? 0, client }),
    retryEvent: ({ caller: tenant, idempotencyKey: key, params: { id }, body }) =>
      retryEventOnce(db, { tenant, key, id, body }),
    listEvents: async ({ caller, query }) => ({ body: await listEvents(db.kysely, caller, query) }),
    dryRun: async ({ caller, body }) => ({ body: await answerDryRun({ db, erasedOptOuts }, caller, body, clock()) }),
    createIntro: async ({ caller, idempotencyKey, body }) => {
      const script = scriptHint(body.instructions?.script ?? '');
      const { hint, ...answer } = await creator.submit(caller, idempotencyKey, body);
      const hasBegun = appointmentHint(body.context?.appointment, testClocks.now(caller));
      return { ...answer, hint: joinHints(optOutHint(String(answer.body)), script, hasBegun, hint) };
    },
    listIntros: async ({ caller, query }) => ({ body: await intros.list(caller, query) }),
    retrieveIntro: ({ caller, params, query, client }) =>
      waitForIntro(caller, params.id, {
        keyId: caller.keyId,
        seconds: query.wait ?? 0,
        knownVersion: query.version,
        client,
      }),
    cancelIntro: ({ caller, idempotencyKey, params, body }) => intros.cancel(caller, idempotencyKey, params.id, body),
    markIntroSent: ({ caller, idempotencyKey, params, body }) =>
      intros.markSent(caller, idempotencyKey, params.id, body),
    takeDownIntro: ({ caller, idempotencyKey, params, body }) =>
      intros.takeDown(caller, idempotencyKey, params.id, body),
    optOutRecipient: ({ caller, idempotencyKey, body }) =>
      recipientConsents.optOut({ ...caller, source: 'api', by: caller.keyId }, idempotencyKey, body),
    optInRecipient: ({ caller, idempotencyKey, body }) =>
      recipientConsents.optIn({ ...caller, source: 'api', by: caller.keyId }, idempotencyKey, body),
    listOptOuts: async ({ caller, query }) => ({ body: await listRecipientOptOuts(db.kysely, caller, query) }),
    eraseRecipient: ({ caller, idempotencyKey, body }) =>
      erasures.erase({ ...caller, by: caller.keyId }, idempotencyKey, body),
    retrieveErasure: async ({ caller, params }) => ({ body: await erasures.retrieve(caller, params.id) }),
    retryRecording: ({ caller, idempotencyKey, params, body }) =>
      recordingRetry.retry(caller, idempotencyKey, params.id, body),
    createRecordingLink: ({ caller, idempotencyKey, params, body }) =>
      recordingLinks.create(caller, idempotencyKey, params.id, body),
    retrieveTimeline: async ({ caller, params }) => ({ body: await readTimeline(db, caller, params.id) }),
    recordTestIntro: ({ caller, idempotencyKey, params, body }) =>
      simulated.record(caller, idempotencyKey, params.id, body),
    listTouchpoints: async ({ caller }) => {
      const rows = await listTouchpoints(db.kysely, caller);
      return { body: { object: 'list', data: rows.map(presentTouchpoint), has_more: false } };
    },
    retrieveTouchpoint: async ({ caller, params }) => ({
      body: await retrieveTouchpoint(db.kysely, caller, params.id),
    }),
    ...memberHandlers(db, members),
    ...testHelperHandlers(simulation, testClock),
    ...linkDomainHandlers(linkDomains),
    ...webhookHandlers(webhooks),
  };
}
