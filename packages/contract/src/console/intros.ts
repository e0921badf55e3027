import type { EventFailureCode } from '../errors.ts';
import type { TouchpointEvent } from '../events.ts';
import { AnyId, ExternalText, oneOf } from '../fields.ts';
import { DeclineBody, HandOverBody, type Intro } from '../intros.ts';
import type { NamedMember } from '../members.ts';
import {
  DELIVERY_STATUSES,
  type DeclineReason,
  type DeliveryStatus,
  INTRO_PROBLEMS,
  INTRO_SORTS,
  INTRO_STATUSES,
  type IntroProblem,
  type Responsibility,
  STORED_EVENT_STATUSES,
} from '../plain/index.ts';
import type { Colleague } from '../recorder.ts';
import { ClosedObject, Type } from '../schema.ts';
import type { TimelineStep } from '../timeline.ts';
import type { WebhookAttempt } from '../webhook-messages.ts';
import { define, json, response } from './operation.ts';

type EventStatus = (typeof STORED_EVENT_STATUSES)[number];

type Recipient = Readonly<Omit<Intro['recipient'], 'language'>>;

type Shown =
  | 'id'
  | 'status'
  | 'created_at'
  | 'expires_at'
  | 'recorded_at'
  | 'sent_at'
  | 'opened_at'
  | 'watched_percent';

export interface ConsoleIntroRow extends Readonly<Pick<Intro, Shown>> {
  /** Null: requested without a touchpoint. */
  readonly touchpoint: { readonly slug: string; readonly name: string } | null;
  readonly member: NamedMember;
  readonly recipient: Recipient;
  readonly reference_id: string | null;
  readonly responsibility: Responsibility;
  readonly delivery_error: Intro['delivery']['error'];
  readonly delivery_status: DeliveryStatus | null;
  readonly problem: IntroProblem | null;
  /** The member declined, and the intro waits for someone else. */
  readonly declined: { readonly reason: DeclineReason; readonly message: string | null; readonly at: string } | null;
  /** The member's face, square. Null before a video exists, and once it may no longer be watched. */
  readonly thumbnail_url: string | null;
}

export interface ConsolePage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. A short page may have a next one, because each page scans a limited number of rows. */
  readonly next: string | null;
}

export interface ConsoleIntroCounts {
  /** Open intros, up to `COUNT_LIMIT` + 1, which means "more". */
  readonly intros: { readonly problems: number; readonly requested: number; readonly ready: number };
  readonly events: { readonly accepted: number; readonly failed: number } | null;
}

/** A sent or scheduled message to a member or recipient. */
export interface ConsoleMessage {
  readonly id: string;
  readonly intro_id: string;
  readonly audience: 'member' | 'recipient';
  readonly purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver' | 'reply' | 'answer';
  readonly channel: 'text' | 'email' | null;
  readonly status: 'scheduled' | 'sending' | 'accepted' | 'delivered' | 'undelivered' | 'failed' | 'dropped';
  readonly due_at: string;
  readonly held_for:
    | 'quiet_hours'
    | 'recent_text'
    | 'opt_out_question'
    | 'recording'
    | 'daily_limit'
    | 'texts_paused'
    | 'carrier_account'
    | null;
  /** The US state whose quiet hours hold the text. */
  readonly held_by_state: string | null;
  readonly address: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly segments: number | null;
  /** `log`: only logged, not sent. */
  readonly carrier: string | null;
  readonly error: { readonly code: string | null; readonly message: string | null } | null;
  readonly accepted_at: string | null;
}

export interface ConsoleOutboxMessage extends ConsoleMessage {
  readonly to: { readonly first_name: string; readonly last_name: string | null };
}

export interface ConsoleWebhook {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly payload: unknown;
  readonly deliveries: readonly {
    readonly endpoint_id: string;
    /** Null when the endpoint has been deleted. */
    readonly url: string | null;
    readonly status: 'pending' | 'delivered' | 'failed';
    /** Newest first. */
    readonly attempts: readonly Pick<WebhookAttempt, 'id' | 'status' | 'error' | 'duration_ms' | 'created_at'>[];
  }[];
}

export interface ConsoleRecording {
  readonly status: 'uploading' | 'uploaded' | 'processing' | 'ready' | 'refused';
  readonly progress: number;
  /** Why the take cannot become a video. */
  readonly refusal: string | null;
}

/** Whether an action is available, and the reason if it is not. */
export interface ConsoleActionState {
  readonly possible: boolean;
  readonly reason: string | null;
  /** When it will be possible, if that is known. */
  readonly possible_at: string | null;
}

export interface ConsoleIntroRequest {
  /** In the request log. */
  readonly request_id: string | null;
  readonly path: string;
  /** The body, or the part of it that is stored. */
  readonly body: unknown;
}

type FromApi = 'reference' | 'metadata' | 'recipient_opted_out' | 'reply' | 'taken_down_at';

export interface ConsoleIntro extends ConsoleIntroRow, Readonly<Pick<Intro, FromApi>> {
  readonly title: string | null;
  readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
  readonly trade: string | null;
  readonly lane: string | null;
  readonly script: string | null;
  readonly event_id: string | null;
  /** The recipient's page. Null until a video exists. */
  readonly recipient_url: string | null;
  /** The recorder. Null unless the intro can be recorded. */
  readonly record_url: string | null;
  readonly cancelled_by: { readonly kind: 'key' | 'member'; readonly id: string; readonly name: string | null } | null;
  readonly recording: ConsoleRecording | null;
  /** Null before a video exists, and once it may no longer be watched. */
  readonly media: {
    readonly video_url: string;
    readonly poster_url: string;
    readonly captions_url: string | null;
    readonly page_url: string;
  } | null;
  readonly timeline: readonly TimelineStep[];
  /** The members that the timeline names by id. */
  readonly people: readonly NamedMember[];
  readonly messages: readonly ConsoleMessage[];
  readonly actions: {
    readonly cancel: ConsoleActionState;
    /** For the team, and for the member who should record it. */
    readonly reassign: ConsoleActionState;
    /** Only for the member who should record it. */
    readonly decline: ConsoleActionState;
    readonly remind: ConsoleActionState;
    readonly send_again: ConsoleActionState;
    readonly correct_phone: ConsoleActionState;
    readonly mark_sent: ConsoleActionState;
    readonly retry_recording: ConsoleActionState;
    /** Owners only. */
    readonly take_down: ConsoleActionState;
  };
  /** Visible to owners and managers only. */
  readonly team: {
    readonly webhooks: readonly ConsoleWebhook[];
    /** The API's object. */
    readonly raw: Intro;
    /** The request that created the intro. Null when it is no longer stored. */
    readonly request: ConsoleIntroRequest | null;
  } | null;
}

/** A message that the user asked to send, and when it is due. */
export interface ConsoleScheduledMessage {
  readonly message_id: string;
  /** The earliest time to send it. A past time means now. */
  readonly due_at: string;
  readonly held_for: 'quiet_hours' | 'recent_text' | 'opt_out_question' | null;
}

export interface ConsoleEventRow {
  readonly id: string;
  readonly status: EventStatus;
  readonly touchpoint: { readonly slug: string; readonly name: string };
  readonly member: NamedMember;
  readonly recipient: Recipient;
  readonly reference_id: string | null;
  readonly intro_id: string | null;
  readonly error: { readonly code: EventFailureCode; readonly message: string } | null;
  readonly created_at: string;
  readonly settled_at: string | null;
}

export interface ConsoleEvent extends ConsoleEventRow {
  /** `blocked_by`: why a failed event would fail again if it were retried now. */
  readonly retry: { readonly possible: boolean; readonly blocked_by: EventFailureCode | null };
  /** The body of the request. */
  readonly request: unknown;
  /** The API's object. */
  readonly raw: TouchpointEvent;
  readonly webhooks: readonly ConsoleWebhook[];
}

const anyOf = (values: readonly string[]) =>
  Type.String({
    pattern: `^(?:${values.join('|')})(?:,(?:${values.join('|')}))*$`,
    'x-problem': `must be one or more of ${values.join(', ')}, separated by commas`,
  });

/** Dates in the organization's time zone, both inclusive. */
export const Day = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  'x-problem': 'must be a date, such as 2026-03-12',
});

const filters = {
  member: Type.Optional(AnyId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')),
  touchpoint: Type.Optional(
    Type.String({
      pattern: '^(?:[a-z0-9_]{1,64}|-)$',
      'x-problem': 'must be the slug of a touchpoint, or - for intros without one',
    }),
  ),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  q: Type.Optional(
    ExternalText(
      'A name, the beginning or the end of a phone number, a reference id, or an intro or event id.',
      'Dana',
    ),
  ),
  after: Type.Optional(AnyId('`next` of the previous page.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw')),
};

const IntrosQuery = ClosedObject({
  status: Type.Optional(anyOf(INTRO_STATUSES)),
  delivery: Type.Optional(anyOf(DELIVERY_STATUSES)),
  /** `any`: all of them. */
  problem: Type.Optional(anyOf(['any', ...INTRO_PROBLEMS])),
  /** Watched to the end. */
  watched: Type.Optional(Type.String({ pattern: '^yes$', 'x-problem': 'must be yes' })),
  sort: Type.Optional(oneOf(INTRO_SORTS, 'The order of the list.')),
  ...filters,
  after: Type.Optional(
    Type.String({ maxLength: 80, description: '`next` of the previous page, whose form depends on the order.' }),
  ),
});
const EventsQuery = ClosedObject({ status: Type.Optional(anyOf(STORED_EVENT_STATUSES)), ...filters });

const MessagesQuery = ClosedObject({
  status: Type.Optional(anyOf(['scheduled', 'sending', 'accepted', 'delivered', 'undelivered', 'failed', 'dropped'])),
  audience: Type.Optional(anyOf(['member', 'recipient'])),
  after: filters.after,
});

export const INTROS_OPERATIONS = define({
  searchIntros: {
    route: 'GET /intros',
    role: 'member',
    query: IntrosQuery,
    success: response<ConsolePage<ConsoleIntroRow>>(),
  },
  countIntros: {
    route: 'GET /intro-counts',
    role: 'member',
    query: ClosedObject({ member: Type.Optional(AnyId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')) }),
    success: response<ConsoleIntroCounts>(),
  },
  readIntro: { route: 'GET /intros/{id}', role: 'member', success: response<ConsoleIntro>() },
  /** The team gives any intro to another member; members hand over their own. */
  reassignIntro: {
    route: 'POST /intros/{id}/reassign',
    role: 'member',
    body: json(HandOverBody.properties),
    success: response<{ reassigned: true }>(),
  },
  declineIntro: {
    route: 'POST /intros/{id}/decline',
    role: 'member',
    body: json(DeclineBody.properties),
    success: response<{ declined: true }>(),
  },
  /** The active members whom a member can hand an intro over to. */
  listColleagues: {
    route: 'GET /colleagues',
    role: 'member',
    success: response<{ colleagues: readonly Colleague[] }>(),
  },
  remindMember: { route: 'POST /intros/{id}/remind', role: 'manager', success: response<ConsoleScheduledMessage>() },
  sendAgain: { route: 'POST /intros/{id}/send-again', role: 'manager', success: response<ConsoleScheduledMessage>() },
  /** Marks the replies of the recipient as done. */
  settleReply: { route: 'POST /intros/{id}/settle-reply', role: 'member', success: response<{ settled: true }>() },
  searchEvents: {
    route: 'GET /events',
    role: 'manager',
    query: EventsQuery,
    success: response<ConsolePage<ConsoleEventRow>>(),
  },
  readEvent: { route: 'GET /events/{id}', role: 'manager', success: response<ConsoleEvent>() },
  searchMessages: {
    route: 'GET /messages',
    role: 'manager',
    query: MessagesQuery,
    success: response<ConsolePage<ConsoleOutboxMessage>>(),
  },
});
