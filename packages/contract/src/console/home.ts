import { Type } from 'typebox';
import { AnyId, Name, Phone, Slug, Timestamp } from '../fields.ts';
import { type Lane, type NotifyBy, PACE, type Responsibility, type TouchpointContext } from '../plain/index.ts';
import { define, RetryKey, response } from './operation.ts';

const closed = { additionalProperties: false } as const;

/** Of a picture, in bytes before base64. The page sends a much smaller one; this is for browsers that cannot make it smaller. */
const PHOTO_MAX_BYTES = 6_000_000;
const PHOTO_MAX_LENGTH = Math.ceil(PHOTO_MAX_BYTES / 3) * 4;
/** Quotes, the field's name, braces. */
const AROUND_PHOTO_BYTES = 100;

/** How far the member is with it. `refused`: what they recorded could not be used, and `reason` says why. */
export type HomeTaskState = 'to_record' | 'processing' | 'refused';

export interface HomeAppointment {
  readonly starts_at: string;
  readonly timezone: string;
}

/** Something to record. */
export interface HomeTask {
  readonly id: string;
  /** Name of the touchpoint; null when there is none, or none any more. */
  readonly touchpoint: string | null;
  readonly recipient: { readonly first_name: string; readonly last_name: string | null };
  readonly appointment: HomeAppointment | null;
  /** Until when it can be recorded. */
  readonly deadline: string | null;
  readonly state: HomeTaskState;
  /** Percent, while it is processed. */
  readonly progress: number;
  readonly reason: string | null;
  /** The member's own link to the recorder. */
  readonly record_url: string;
}

/** Something that was recorded. */
export interface HomeIntro {
  readonly id: string;
  readonly touchpoint: string | null;
  readonly recipient: { readonly first_name: string; readonly last_name: string | null };
  readonly status: 'ready' | 'sent';
  /** Who brings it to the recipient. */
  readonly responsibility: Responsibility;
  readonly recorded_at: string | null;
  readonly sent_at: string | null;
  readonly opened_at: string | null;
  readonly watched_percent: number;
  /** Why it did not reach the recipient. */
  readonly delivery_problem: string | null;
  readonly record_url: string;
}

export interface Home {
  /** The next to be done first. */
  readonly to_record: readonly HomeTask[];
  /** There are more than are shown. */
  readonly has_more_to_record: boolean;
}

/** A moment that the member can begin by hand. */
export interface HomeTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly context: TouchpointContext;
  readonly lane: Lane | null;
  /** `service`: it goes to the recipient by itself once it is recorded. */
  readonly delivery: Responsibility;
}

/** What became of a moment that the member began. */
export interface HomeEvent {
  readonly id: string;
  readonly status: 'accepted' | 'processed' | 'failed';
  readonly intro_id: string | null;
  readonly record_url: string | null;
  readonly problem: string | null;
}

/** What members may see and change of themselves. */
export interface HomeSettings {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly title: string | null;
  readonly phone: string | null;
  readonly photo_url: string | null;
  readonly notify_by: NotifyBy;
  /** Null: never chosen, so the usual one. */
  readonly words_per_minute: number | null;
}

const StartIntro = Type.Object(
  {
    key: RetryKey,
    /** From the page as well, so that both tries of one intro are word for word the same. */
    occurred_at: Timestamp('When the member began it.'),
    touchpoint: Slug,
    recipient: Type.Object(
      {
        first_name: Name('First name.', 'Dana'),
        last_name: Type.Optional(Name('Last name.', 'Reyes')),
        phone: Phone,
      },
      closed,
    ),
    appointment: Type.Optional(
      Type.String({
        pattern: '^[^Zz+]*T[^Zz+-]*$',
        format: 'appointment-time',
        'x-problem': 'must be a day and a time, such as 2026-03-12T14:30:00',
        description: "Day and time of the appointment, in the organization's own zone.",
      }),
    ),
  },
  closed,
);

const ChangeSettings = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        pattern: '^(?:\\+[1-9][0-9]{7,14})?$',
        'x-problem': 'must be a mobile number in E.164 form: a plus sign and 8 to 15 digits, such as +14155550123',
        description: 'Empty: none.',
      }),
    ),
    notify_by: Type.Optional(
      Type.Enum<['text', 'email', 'both']>(['text', 'email', 'both'], {
        type: 'string',
        'x-problem': 'must be text, email or both',
      }),
    ),
    words_per_minute: Type.Optional(
      Type.Integer({
        minimum: PACE.slowest,
        maximum: PACE.fastest,
        'x-problem': `must be a whole number from ${PACE.slowest} to ${PACE.fastest}`,
      }),
    ),
  },
  closed,
);

const Photo = Type.Object(
  {
    photo: Type.String({
      minLength: 4,
      maxLength: PHOTO_MAX_LENGTH,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      'x-problem': 'must be a picture in base64',
    }),
  },
  closed,
);

const After = Type.Object(
  { starting_after: Type.Optional(AnyId('Id of the last one of the page before.', '')) },
  closed,
);

export const HOME_OPERATIONS = define({
  'GET /home': { role: 'member', response: response<Home>() },
  'GET /home/recorded': {
    role: 'member',
    query: After,
    response: response<{ recorded: HomeIntro[]; has_more: boolean }>(),
  },
  'GET /home/touchpoints': {
    role: 'member',
    response: response<{ touchpoints: HomeTouchpoint[]; timezone: string }>(),
  },
  'POST /home/intros': { role: 'member', body: StartIntro, response: response<HomeEvent>() },
  'GET /home/events/:id': { role: 'member', response: response<HomeEvent>() },
  'GET /home/settings': { role: 'member', response: response<HomeSettings>() },
  'POST /home/settings': { role: 'member', body: ChangeSettings, response: response<HomeSettings>() },
  'POST /home/photo': {
    role: 'member',
    body: Photo,
    maxBytes: PHOTO_MAX_LENGTH + AROUND_PHOTO_BYTES,
    response: response<HomeSettings>(),
  },
  'DELETE /home/photo': { role: 'member', response: response<HomeSettings>() },
});
