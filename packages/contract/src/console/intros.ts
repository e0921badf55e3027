import { Type } from 'typebox';
import { AnyId, ExternalText } from '../fields.ts';
import {
  EVENT_STATUSES,
  INTRO_STATUSES,
  type IntroStatus,
  type EventStatus as PlainEventStatus,
  type Responsibility,
} from '../plain/index.ts';
import type { Intro, TouchpointEvent } from '../resources.ts';
import type { TimelineStep } from '../timeline.ts';
import { define, response } from './operation.ts';

type EventStatus = Exclude<PlainEventStatus, 'duplicate'>;

const closed = { additionalProperties: false } as const;

const anyOf = (values: readonly string[]) =>
  Type.String({
    pattern: `^(?:${values.join('|')})(?:,(?:${values.join('|')}))*$`,
    'x-problem': `must be one or more of ${values.join(', ')}, with commas between`,
  });

const Day = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  'x-problem': 'must be a day, such as 2026-03-12',
});

const filters = {
  member: Type.Optional(AnyId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')),
  touchpoint: Type.Optional(
    Type.String({
      pattern: '^(?:[a-z0-9_]{1,64}|-)$',
      'x-problem': 'must be the slug of a touchpoint, or - for intros without one',
    }),
  ),
  /** In the organization's zone, both included. */
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  q: Type.Optional(
    ExternalText('A name, the beginning of a number, a reference id, or the id of one of them.', 'Dana'),
  ),
  /** The `next` of the page before. */
  after: Type.Optional(AnyId('Where the page before ended.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw')),
};

const IntrosQuery = Type.Object({ status: Type.Optional(anyOf(INTRO_STATUSES)), ...filters }, closed);
const EventsQuery = Type.Object(
  { status: Type.Optional(anyOf(EVENT_STATUSES.filter((status) => status !== 'duplicate'))), ...filters },
  closed,
);

interface Named {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
}

interface Recipient {
  readonly first_name: string;
  readonly last_name: string | null;
  readonly phone: string;
}

export interface ConsoleIntroRow {
  readonly id: string;
  readonly status: IntroStatus;
  /** Null: started without one. */
  readonly touchpoint: { readonly slug: string; readonly name: string } | null;
  readonly member: Named;
  readonly recipient: Recipient;
  readonly reference_id: string | null;
  readonly responsibility: Responsibility;
  readonly delivery_error: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly recorded_at: string | null;
  readonly sent_at: string | null;
  readonly opened_at: string | null;
  readonly watched_percent: number;
  readonly cancelled_at: string | null;
}

export interface ConsolePage<Row> {
  readonly rows: readonly Row[];
  /** For the next page; null at the end. A page may be short and yet have a next one: it looked through as much as it may. */
  readonly next: string | null;
}

export interface ConsoleIntroCounts {
  /** Up to `COUNT_LIMIT` + 1, which stands for more. */
  readonly intros: Readonly<Record<IntroStatus, number>>;
  readonly events: { readonly accepted: number; readonly failed: number } | null;
}

/** What was said to a person, or waits to be. */
export interface ConsoleMessage {
  readonly id: string;
  readonly intro_id: string;
  readonly audience: 'member' | 'recipient';
  readonly purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver';
  readonly channel: 'text' | 'email' | null;
  readonly status: 'scheduled' | 'sending' | 'accepted' | 'delivered' | 'undelivered' | 'failed' | 'dropped';
  readonly due_at: string;
  readonly held_for: 'quiet_hours' | 'recent_text' | 'recording' | null;
  readonly address: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly segments: number | null;
  /** `log`: it was only written down, nobody got it. */
  readonly carrier: string | null;
  readonly error: { readonly code: string | null; readonly message: string | null } | null;
  readonly created_at: string;
  readonly accepted_at: string | null;
  readonly settled_at: string | null;
}

export interface ConsoleOutboxMessage extends ConsoleMessage {
  /** Whom it is for, by name. */
  readonly to: { readonly first_name: string; readonly last_name: string | null };
}

export interface ConsoleWebhook {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  /** As it is signed and sent. */
  readonly payload: unknown;
  readonly deliveries: readonly {
    readonly endpoint_id: string;
    /** Null when the endpoint was deleted since. */
    readonly url: string | null;
    readonly status: 'pending' | 'delivered' | 'failed';
    readonly next_attempt_at: string | null;
    /** The newest first. */
    readonly attempts: readonly {
      readonly id: string;
      readonly succeeded: boolean;
      readonly status: number | null;
      readonly error: string | null;
      readonly duration_ms: number;
      readonly created_at: string;
    }[];
  }[];
}

export interface ConsoleRecording {
  readonly id: string;
  readonly status: 'uploading' | 'uploaded' | 'processing' | 'ready' | 'refused';
  readonly progress: number;
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly duration_ms: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number | null;
  readonly created_at: string;
  readonly received_at: string | null;
}

/** Whether it can be done now; if not, why not, in words. */
export interface ConsoleActionState {
  readonly possible: boolean;
  readonly reason: string | null;
}

export interface ConsoleIntroRequest {
  readonly event_id: string | null;
  readonly request_id: string | null;
  readonly method: string;
  readonly path: string;
  readonly at: string;
  /** As it was sent, or as much of it as is kept. */
  readonly body: unknown;
}

export interface ConsoleIntro extends ConsoleIntroRow {
  readonly version: number;
  readonly title: string | null;
  readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
  readonly trade: string | null;
  readonly lane: string | null;
  readonly script: string | null;
  readonly reference: {
    readonly source: string | null;
    readonly type: string | null;
    readonly id: string | null;
  } | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly event_id: string | null;
  readonly recipient_opted_out: boolean;
  /** The recipient's page; null until there is a video. */
  readonly recipient_url: string | null;
  /** Where the member records; null unless it is to be recorded. */
  readonly record_url: string | null;
  readonly cancelled_by: { readonly kind: 'key' | 'member'; readonly id: string; readonly name: string | null } | null;
  readonly recording: ConsoleRecording | null;
  /** Null while there is nothing to watch, and when nobody may any more. */
  readonly media: {
    readonly video_url: string;
    readonly poster_url: string;
    readonly captions_url: string | null;
    readonly page_url: string;
  } | null;
  readonly timeline: readonly TimelineStep[];
  readonly reassignments: readonly {
    readonly from: Named;
    readonly to: Named;
    readonly by: Named;
    readonly at: string;
  }[];
  readonly messages: readonly ConsoleMessage[];
  readonly actions: {
    readonly cancel: ConsoleActionState;
    readonly reassign: ConsoleActionState;
    readonly remind: ConsoleActionState;
    readonly send_again: ConsoleActionState;
    readonly mark_sent: ConsoleActionState;
  };
  /** What only the team sees; null for members. */
  readonly team: {
    readonly webhooks: readonly ConsoleWebhook[];
    /** Exactly as the API gives it. */
    readonly raw: Intro;
    /** What made it; null when that is not kept any more. */
    readonly request: ConsoleIntroRequest | null;
  } | null;
}

/** What goes out because somebody asked for it, and when. */
export interface ConsoleScheduledMessage {
  readonly message_id: string;
  /** Not before this; that is at once when it lies in the past. */
  readonly due_at: string;
  readonly held_for: 'quiet_hours' | 'recent_text' | null;
}

export interface ConsoleEventRow {
  readonly id: string;
  readonly status: EventStatus;
  readonly touchpoint: { readonly slug: string; readonly name: string };
  readonly member: Named;
  readonly recipient: Recipient;
  readonly reference_id: string | null;
  readonly intro_id: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
  readonly settled_at: string | null;
}

export interface ConsoleEvent extends ConsoleEventRow {
  /** The body as it was sent. */
  readonly request: unknown;
  /** Exactly as the API gives it. */
  readonly raw: TouchpointEvent;
  readonly webhooks: readonly ConsoleWebhook[];
}

export const INTROS_OPERATIONS = define({
  'GET /intros': { role: 'member', query: IntrosQuery, response: response<ConsolePage<ConsoleIntroRow>>() },
  'GET /intro-counts': {
    role: 'member',
    query: Type.Object({ member: Type.Optional(AnyId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')) }, closed),
    response: response<ConsoleIntroCounts>(),
  },
  'GET /intros/:id': { role: 'member', response: response<ConsoleIntro>() },
  'POST /intros/:id/cancel': { role: 'member', response: response<{ cancelled: true }>() },
  'POST /intros/:id/reassign': {
    role: 'manager',
    body: Type.Object({ member: AnyId('Who is to record.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw') }, closed),
    response: response<{ reassigned: true }>(),
  },
  'POST /intros/:id/remind': { role: 'manager', response: response<ConsoleScheduledMessage>() },
  'POST /intros/:id/send-again': { role: 'manager', response: response<ConsoleScheduledMessage>() },
  'POST /intros/:id/mark-sent': { role: 'member', response: response<{ sent: true }>() },
  'GET /events': { role: 'manager', query: EventsQuery, response: response<ConsolePage<ConsoleEventRow>>() },
  'GET /events/:id': { role: 'manager', response: response<ConsoleEvent>() },
  'POST /events/:id/retry': { role: 'manager', response: response<{ retried: true }>() },
  'GET /messages': {
    role: 'manager',
    query: Type.Object(
      {
        status: Type.Optional(
          anyOf(['scheduled', 'sending', 'accepted', 'delivered', 'undelivered', 'failed', 'dropped']),
        ),
        audience: Type.Optional(anyOf(['member', 'recipient'])),
        after: filters.after,
      },
      closed,
    ),
    response: response<ConsolePage<ConsoleOutboxMessage>>(),
  },
});
