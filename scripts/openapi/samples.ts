/** Writes the code samples of each operation. */

import type { Json, JsonObject, OperationId } from '@foreword/contract';

/** The request that a sample sends: the first example of its operation. */
interface SampleRequest {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With the id, without the query. */
  readonly path: string;
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: Json | undefined;
}

/** How a language writes the values of JSON. */
interface LiteralStyle {
  readonly trailingComma: '' | ',';
  key(name: string): string;
  text(value: string): string;
}

/** Longer objects and lists are written on several lines. */
const MAX_WIDTH = 88;
const INDENT = '  ';

function writeParts(parts: string[], [open, close]: readonly [string, string], style: LiteralStyle, pad: string) {
  const space = open === '{' ? ' ' : '';
  const short = parts.length === 0 ? open + close : `${open}${space}${parts.join(', ')}${space}${close}`;
  if (!short.includes('\n') && pad.length + short.length <= MAX_WIDTH) return short;
  const inner = pad + INDENT;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${style.trailingComma}\n${pad}${close}`;
}

/** The value as source code. Lines after the first one start with `pad`. */
function writeLiteral(value: Json, style: LiteralStyle, pad = ''): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const write = (part: Json) => writeLiteral(part, style, pad + INDENT);
  if (Array.isArray(value)) return writeParts(value.map(write), ['[', ']'], style, pad);
  const fields = Object.entries(value).map(([name, part]) => style.key(name) + write(part));
  return writeParts(fields, ['{', '}'], style, pad);
}

const JSON_STYLE: LiteralStyle = {
  trailingComma: '',
  key: (name) => `${JSON.stringify(name)}: `,
  text: (value) => JSON.stringify(value),
};

// A single quote cannot be escaped inside single quotes: they are closed, and opened again after it.
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function writeCurl({ method, path, query, idempotencyKey, body }: SampleRequest): string {
  // With `-d`, curl sends a POST.
  const option = method === 'GET' || body !== undefined ? '' : `-X ${method} `;
  const target = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
  return [
    `curl ${option}"$FOREWORD_URL${target}"`,
    '-H "Authorization: Bearer $FOREWORD_API_KEY"',
    ...(idempotencyKey === undefined ? [] : [`-H "Idempotency-Key: ${idempotencyKey}"`]),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...(body === undefined ? [] : [`-d ${quoted(writeLiteral(body, JSON_STYLE, INDENT))}`]),
  ].join(' \\\n  ');
}

/** In single quotes, with a backslash before quotes and backslashes. */
const singleQuoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

const TYPESCRIPT_STYLE: LiteralStyle = {
  trailingComma: ',',
  key: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name)}: `,
  text: (value) => (value.includes("'") && !value.includes('"') ? JSON.stringify(value) : singleQuoted(value)),
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

function argumentsOf({ operationId, id, query, body, idempotencyKey = '' }: SampleRequest): string {
  const isEmpty = body === undefined || JSON.stringify(body) === '{}';
  const values = [
    id,
    isEmpty ? undefined : body,
    query,
    NEEDS_KEY.includes(operationId) ? { idempotencyKey } : undefined,
  ];
  return values.flatMap((value) => (value === undefined ? [] : [writeLiteral(value, TYPESCRIPT_STYLE)])).join(', ');
}

function writeTypeScript(request: SampleRequest): string {
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

/** `x-codeSamples`: complete programs that read FOREWORD_URL and FOREWORD_API_KEY. Tests run every one. */
export const codeSamples = (request: SampleRequest): JsonObject[] => [
  { lang: 'shell', label: 'curl', source: `${writeCurl(request)}\n` },
  { lang: 'typescript', label: 'TypeScript', source: `${writeTypeScript(request)}\n` },
];
