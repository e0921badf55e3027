import { invalidArgument } from './errors.ts';
import type { CreateTouchpointEvent, DryRun } from './generated/types.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { toE164 } from './phone.ts';
import { type Connection, checkRetries, checkTimeout, Requester, type RequestOptions } from './request.ts';
import {
  Events,
  Intros,
  LinkDomains,
  Members,
  Recipients,
  TestHelpers,
  Touchpoints,
  WebhookEndpoints,
  WebhookMessages,
} from './resources.ts';
import { type Fetch, runtime } from './runtime.ts';
import { Webhooks } from './webhooks.ts';

const TIMEOUT_MS = 20_000;
/** With the pauses, about 15 seconds: longer than a restart of the service. */
const MAX_RETRIES = 5;

export interface ForewordOptions {
  /** A key of the organization, `fw_test_…`. */
  readonly apiKey: string;
  /** The address of your installation, such as `https://foreword.example.com`. */
  readonly baseUrl: string;
  /** The secret of your webhook endpoint, or several while you rotate it. Only `webhooks.verify` needs it. */
  readonly webhookSecret?: string | readonly string[] | undefined;
  /** Time limit of one attempt. Default: 20 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How many times a failed attempt is repeated. Default: 5. */
  readonly maxRetries?: number | undefined;
  /** Replaces the `fetch` of the runtime, for a proxy or a log. */
  readonly fetch?: Fetch | undefined;
}

function checkApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw invalidArgument('apiKey', 'is missing: is its environment variable set?');
  if (!/^[!-~]+$/.test(apiKey)) throw invalidArgument('apiKey', 'contains white space or other characters of no key');
  return apiKey;
}

function checkBaseUrl(baseUrl: unknown): string {
  let url: InstanceType<typeof runtime.URL>;
  try {
    url = new runtime.URL(String(baseUrl));
  } catch {
    throw invalidArgument('baseUrl', 'must be an address such as https://foreword.example.com');
  }
  if (!/^https?:$/.test(url.protocol)) throw invalidArgument('baseUrl', 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalidArgument('baseUrl', 'must not contain a password');
  if (url.search !== '' || url.hash !== '') throw invalidArgument('baseUrl', 'must have no query and no fragment');
  const path = url.href.replace(/\/+$/, '');
  if (path.endsWith('/v1')) throw invalidArgument('baseUrl', 'must not end with /v1: the SDK adds it');
  return path;
}

/** A client of the Foreword API. */
export class Foreword {
  readonly events: Events;
  readonly intros: Intros;
  readonly recipients: Recipients;
  readonly touchpoints: Touchpoints;
  readonly members: Members;
  /** Your own host names for recipients' links. */
  readonly linkDomains: LinkDomains;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookMessages: WebhookMessages;
  readonly webhooks: Webhooks;
  readonly testHelpers: TestHelpers;
  readonly #requester: Requester;

  constructor(options: ForewordOptions) {
    const { apiKey, baseUrl, webhookSecret, timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES, fetch } = options ?? {};
    const connection: Connection = {
      apiKey: checkApiKey(apiKey),
      baseUrl: checkBaseUrl(baseUrl),
      timeoutMs: checkTimeout('timeoutMs', timeoutMs),
      maxRetries: checkRetries('maxRetries', maxRetries),
      fetch,
    };
    const requester = new Requester(connection);
    this.#requester = requester;
    this.events = new Events(requester);
    this.intros = new Intros(requester);
    this.recipients = new Recipients(requester);
    this.touchpoints = new Touchpoints(requester);
    this.members = new Members(requester);
    this.linkDomains = new LinkDomains(requester);
    this.webhookEndpoints = new WebhookEndpoints(requester);
    this.webhookMessages = new WebhookMessages(requester);
    this.webhooks = new Webhooks(webhookSecret);
    this.testHelpers = new TestHelpers(requester);
  }

  /** Returns what an event would do. Stores and sends nothing. */
  dryRun(body: CreateTouchpointEvent, options?: RequestOptions): Promise<DryRun> {
    return this.#requester.send({ method: 'POST', path: '/v1/dry_run', body, options });
  }

  /** `source:recordId:touchpoint:part`, such as `crm:42:new_inspection:roofing`. */
  static readonly idempotencyKey = idempotencyKey;

  /** The E.164 form of a number as a CRM stores it. Throws a `ForewordPhoneError` when there is not exactly one. */
  static readonly toE164 = toE164;
}
