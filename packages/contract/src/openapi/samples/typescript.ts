import type { OperationId } from '../../operations.ts';
import { type LiteralStyle, singleQuoted, writeLiteral } from './literals.ts';
import type { SampleRequest } from './request.ts';

const STYLE: LiteralStyle = {
  indent: '  ',
  object: ['{', '}'],
  list: ['[', ']'],
  padded: true,
  trailingComma: true,
  key: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name)}: `,
  text: (value) => (value.includes("'") && !value.includes('"') ? JSON.stringify(value) : singleQuoted(value)),
  words: { null: 'null', true: 'true', false: 'false' },
};

/** The method of the SDK for each operation, and a name for its result or, with `each`, for an object of its list. */
const METHODS: Readonly<Record<OperationId, readonly [method: string, result: string, each?: 'each']>> = {
  createTouchpointEvent: ['events.create', 'event'],
  listEvents: ['events.list', 'event', 'each'],
  retrieveEvent: ['events.retrieve', 'event'],
  retryEvent: ['events.retry', 'event'],
  dryRun: ['dryRun', 'result'],
  createIntro: ['intros.create', 'intro'],
  listIntros: ['intros.list', 'intro', 'each'],
  retrieveIntro: ['intros.retrieve', 'intro'],
  cancelIntro: ['intros.cancel', 'intro'],
  markIntroSent: ['intros.markSent', 'intro'],
  correctIntroPhone: ['intros.correctPhone', 'intro'],
  takeDownIntro: ['intros.takeDown', 'intro'],
  retryRecording: ['intros.retryRecording', 'intro'],
  retrieveTimeline: ['intros.timeline', 'timeline'],
  createRecordingLink: ['intros.recordingLink', 'link'],
  optOutRecipient: ['recipients.optOut', 'optOut'],
  optInRecipient: ['recipients.optIn', 'recipient'],
  listOptOuts: ['recipients.listOptOuts', 'optOut', 'each'],
  eraseRecipient: ['recipients.erase', 'erasure'],
  retrieveErasure: ['recipients.retrieveErasure', 'erasure'],
  recordTestIntro: ['testHelpers.intros.record', 'intro'],
  openTestIntro: ['testHelpers.intros.open', 'intro'],
  watchTestIntro: ['testHelpers.intros.watch', 'intro'],
  replyTestIntro: ['testHelpers.intros.reply', 'intro'],
  optOutTestRecipient: ['testHelpers.intros.optOut', 'intro'],
  optInTestRecipient: ['testHelpers.intros.optIn', 'intro'],
  expireTestIntro: ['testHelpers.intros.expire', 'intro'],
  failTestIntro: ['testHelpers.intros.fail', 'intro'],
  retrieveTestClock: ['testHelpers.clock.retrieve', 'clock'],
  advanceTestClock: ['testHelpers.clock.advance', 'clock'],
  resetTestClock: ['testHelpers.clock.reset', 'clock'],
  listTouchpoints: ['touchpoints.list', 'touchpoint', 'each'],
  retrieveTouchpoint: ['touchpoints.retrieve', 'touchpoint'],
  listMembers: ['members.list', 'member', 'each'],
  createMember: ['members.create', 'member'],
  retrieveMember: ['members.retrieve', 'member'],
  updateMember: ['members.update', 'member'],
  deactivateMember: ['members.deactivate', 'member'],
  reactivateMember: ['members.reactivate', 'member'],
  createLinkDomain: ['linkDomains.create', 'domain'],
  listLinkDomains: ['linkDomains.list', 'domain', 'each'],
  retrieveLinkDomain: ['linkDomains.retrieve', 'domain'],
  checkLinkDomain: ['linkDomains.check', 'domain'],
  deleteLinkDomain: ['linkDomains.delete', 'deleted'],
  createWebhookEndpoint: ['webhookEndpoints.create', 'endpoint'],
  listWebhookEndpoints: ['webhookEndpoints.list', 'endpoint', 'each'],
  retrieveWebhookEndpoint: ['webhookEndpoints.retrieve', 'endpoint'],
  updateWebhookEndpoint: ['webhookEndpoints.update', 'endpoint'],
  deleteWebhookEndpoint: ['webhookEndpoints.delete', 'deleted'],
  rotateWebhookSecret: ['webhookEndpoints.rotateSecret', 'endpoint'],
  testWebhookEndpoint: ['webhookEndpoints.test', 'message'],
  listWebhookMessages: ['webhookEndpoints.messages', 'message', 'each'],
  retrieveWebhookMessage: ['webhookMessages.retrieve', 'message'],
  listWebhookAttempts: ['webhookEndpoints.attempts', 'attempt', 'each'],
  replayWebhooks: ['webhookEndpoints.replay', 'replay'],
};

/** The SDK requires a key for these; for other operations it creates one. */
const NEEDS_KEY: readonly OperationId[] = ['createTouchpointEvent', 'createIntro', 'createMember'];

const isEmpty = (body: SampleRequest['body']): boolean => body === undefined || JSON.stringify(body) === '{}';

function argumentsOf({ operationId, id, query, body, idempotencyKey = '' }: SampleRequest): string {
  const write = (value: Parameters<typeof writeLiteral>[0]) => writeLiteral(value, STYLE);
  return [
    ...(id === undefined ? [] : [write(id)]),
    ...(isEmpty(body) ? [] : [write(body ?? null)]),
    ...(query === undefined ? [] : [write(query)]),
    ...(NEEDS_KEY.includes(operationId) ? [write({ idempotencyKey })] : []),
  ].join(', ');
}

export function writeTypeScript(request: SampleRequest): string {
  const [method, result, each] = METHODS[request.operationId];
  const call = `foreword.${method}(${argumentsOf(request)})`;
  return [
    "import { Foreword } from '@foreword/sdk';",
    '',
    'const foreword = new Foreword({',
    "  apiKey: process.env.FOREWORD_API_KEY ?? '',",
    "  baseUrl: process.env.FOREWORD_URL ?? '',",
    '});',
    '',
    ...(each === undefined
      ? [`const ${result} = await ${call};`, `console.log(${result});`]
      : [`for await (const ${result} of ${call}) {`, `  console.log(${result});`, '}']),
  ].join('\n');
}
