/** The developer pages of the console: API keys, webhooks, the request log and dry runs. */

import { Name, Nullable, oneOf, SingleLine } from '../fields.ts';
import type { NamedMember } from '../members.ts';
import { KEY_SCOPES, type KeyScope, type Language } from '../plain/index.ts';
import { ClosedObject, Type } from '../schema.ts';
import type { WebhookEndpoint } from '../webhooks.ts';
import { define, json, response, Time } from './operation.ts';
import type { TouchpointContent } from './touchpoints.ts';

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The last characters, to recognize the key. */
  readonly ending: string;
  readonly created_at: string;
  /** Precise to a minute. Null when the key was never used. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** Null: never. */
  readonly expires_at: string | null;
  /** The addresses and networks from which the key works. Empty: any. */
  readonly allowed_ips: readonly string[];
  readonly scope: KeyScope;
  /** Whether it may get the recording links of members. */
  readonly recording_links: boolean;
  /** Whether agents may change something with it, through /mcp. */
  readonly agent_writes: boolean;
}

/** The secret is shown only once. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

const KEY_LIMITS = {
  expires_at: Type.Optional(Nullable(Time('When the key stops working. Null: never.'))),
  allowed_ips: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      maxItems: 50,
      uniqueItems: true,
      'x-problem': 'must be a list of at most 50 different addresses or networks',
      description: 'The addresses and networks from which the key works, such as 203.0.113.0/24. Empty: any.',
    }),
  ),
  scope: Type.Optional(oneOf(KEY_SCOPES, 'The operations that the key may use.')),
  recording_links: Type.Optional(
    Type.Boolean({
      'x-problem': 'must be true or false',
      description: 'Whether the key may get the recording links of members. Only with the scope full.',
    }),
  ),
  agent_writes: Type.Optional(
    Type.Boolean({
      'x-problem': 'must be true or false',
      description: 'Whether agents may change something with the key. Not with the scope read.',
    }),
  ),
};

/** An event type that an endpoint can subscribe to. */
export interface WebhookEventChoice {
  readonly type: string;
  readonly says: string;
}

export interface WebhookEndpointList {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly events: readonly WebhookEventChoice[];
  readonly limit: number;
}

export interface WebhookEndpointDetail {
  readonly endpoint: WebhookEndpoint;
  readonly events: readonly WebhookEventChoice[];
  /** Messages before their first attempt, before another one, and those of the last 30 days that failed. Counted up to `limit`. */
  readonly backlog: {
    readonly waiting: number;
    readonly retrying: number;
    readonly given_up: number;
    /** When the oldest of those that failed was created. */
    readonly failed_since: string | null;
    readonly limit: number;
  };
}

const METHODS = ['GET', 'POST', 'DELETE'] as const;
const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const;

export const searchText = (description: string, maxLength = 255) =>
  SingleLine({ minLength: 1, maxLength, description });

export const RequestsQuery = ClosedObject({
  method: Type.Optional(oneOf(METHODS, 'Only this method.')),
  path: Type.Optional(searchText('Only paths that start with this.')),
  status: Type.Optional(oneOf(STATUS_CLASSES, 'Only responses of this class.')),
  key: Type.Optional(searchText('Only requests with this key id.')),
  error: Type.Optional(searchText('Only responses with this error code.')),
  request_id: Type.Optional(searchText('Only the request with this id.')),
  object_id: Type.Optional(searchText('Only requests that returned or named this object.')),
  since: Type.Optional(Time('At this time or later.')),
  until: Type.Optional(Time('Before this time.')),
  before: Type.Optional(searchText('`next` of the previous page.')),
});

export type LoggedKey = Pick<ApiKey, 'id' | 'name' | 'ending'>;

export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly object_id: string | null;
  readonly key: LoggedKey;
  readonly created_at: string;
}

export interface LoggedRequestDetail extends LoggedRequest {
  /** Phone numbers and secrets are masked here, in the body and in the response. */
  readonly query: string | null;
  /** The first 8 KB. Null without a text body, for consents and dry runs, and once an erasure has emptied it. */
  readonly body: string | null;
  readonly body_bytes: number;
  readonly is_cut: boolean;
  /** The response body of an error. */
  readonly answer: string | null;
}

export interface LoggedRequests {
  readonly requests: readonly LoggedRequest[];
  /** The start of the next page. Null on the last page. */
  readonly next: string | null;
  /** Set when the page is not full because the scan reached its limit, at this time. */
  readonly scanned_back_to: string | null;
  /** Requests of this period that were not logged, because there were too many. */
  readonly not_logged: number;
}

export interface RequestChoices {
  readonly keys: readonly LoggedKey[];
  readonly error_codes: readonly string[];
  readonly retention_days: number;
}

/** Why the event would fail: immediately with an API error, or later when it is processed. */
export interface DryRunProblem {
  readonly at: 'body' | 'touchpoint' | 'appointment' | 'member' | 'opt_out' | 'script';
  /** The response's status. Null when the event is accepted, but fails when it is processed. */
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  /** The cause, for the person who fixes it. */
  readonly reason:
    | 'malformed'
    | 'unknown_slug'
    | 'turned_off'
    | 'no_appointment'
    | 'not_found'
    | 'deactivated'
    | 'ambiguous'
    | 'opted_out'
    | 'template';
  /** Slugs similar to the unknown one. */
  readonly suggestions: readonly string[];
}

export interface DryRunTouchpoint
  extends Pick<TouchpointContent, 'name' | 'context' | 'delivery' | 'minutes_to_record'> {
  readonly slug: string;
}

export interface DryRunMember extends NamedMember {
  readonly found_by: 'id' | 'external_id' | 'email';
}

/** A time, with the time zone that applies to it. */
export interface ZonedMoment {
  readonly at: string;
  readonly timezone: string;
}

export interface DryRunIntro {
  readonly title: string;
  readonly script: { readonly text: string; readonly words: number; readonly seconds: number };
  /** The script's language differs when the touchpoint has none in the recipient's. */
  readonly recipient_language: Language;
  readonly script_language: Language;
  /** How the member is notified. */
  readonly notification: { readonly by: readonly ('text' | 'email')[]; readonly opted_out: boolean };
  readonly deadline: ZonedMoment & { readonly rule: 'appointment' | 'touchpoint' | 'touchpoint_after_late_report' };
  readonly reminders: {
    readonly rule: 'planned' | 'turned_off' | 'no_time';
    readonly at: readonly (ZonedMoment & { readonly purpose: 'halfway' | 'last' })[];
  };
}

/** The action of the service if the video were ready now. */
export type DryRunDelivery =
  | { readonly by: 'integration'; readonly recipient_opted_out: boolean }
  | {
      readonly by: 'service';
      readonly outcome:
        | { readonly kind: 'now' }
        | ({ readonly kind: 'later'; readonly held_for: 'quiet_hours' | 'recent_text' } & ZonedMoment)
        | { readonly kind: 'never'; readonly code: string; readonly message: string };
      readonly text: { readonly body: string; readonly segments: number; readonly problem: string | null };
      /** The hours that decide when the text is sent, on its day. */
      readonly hours: {
        readonly from: number;
        readonly until: number;
        readonly timezone: string;
        /** The US state whose law sets them. Null: the federal law, or the organization. */
        readonly state: string | null;
      };
    };

export interface DryRun {
  readonly outcome: 'creates_intro' | 'is_rejected' | 'fails_later';
  readonly problem: DryRunProblem | null;
  readonly touchpoint: DryRunTouchpoint | null;
  readonly appointment: (ZonedMoment & { readonly is_past: boolean }) | null;
  readonly member: DryRunMember | null;
  readonly intro: DryRunIntro | null;
  readonly delivery: DryRunDelivery | null;
}

export const DEVELOPERS_OPERATIONS = define({
  listKeys: { route: 'GET /keys', role: 'owner', success: response<{ keys: ApiKey[] }>() },
  createKey: {
    route: 'POST /keys',
    role: 'owner',
    isKeyed: true,
    body: json({ name: Name('The purpose of the key.', 'Acme CRM'), ...KEY_LIMITS }),
    success: response<NewApiKey>(),
  },
  /** Changes only the given limits. */
  changeKey: { route: 'POST /keys/{id}', role: 'owner', body: json(KEY_LIMITS), success: response<ApiKey>() },
  revokeKey: { route: 'POST /keys/{id}/revoke', role: 'owner', success: response<ApiKey>() },
  readWebhooks: { route: 'GET /webhooks', role: 'manager', success: response<WebhookEndpointList>() },
  readWebhook: { route: 'GET /webhooks/{id}', role: 'manager', success: response<WebhookEndpointDetail>() },
  searchRequests: {
    route: 'GET /requests',
    role: 'manager',
    query: RequestsQuery,
    success: response<LoggedRequests>(),
  },
  readRequestChoices: { route: 'GET /requests/choices', role: 'manager', success: response<RequestChoices>() },
  readRequest: { route: 'GET /requests/{id}', role: 'manager', success: response<LoggedRequestDetail>() },
  explainEvent: {
    route: 'POST /dry-run',
    role: 'manager',
    // Accepts anything; the response lists what is invalid.
    body: json({ event: Type.Unknown() }),
    success: response<DryRun>(),
  },
});
