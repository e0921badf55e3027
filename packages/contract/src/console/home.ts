import { AnyId, Language, Name, Nullable, Slug, Timestamp } from '../fields.ts';
import type { Intro } from '../intros.ts';
import { NOTIFY_BY, PACE } from '../plain/index.ts';
import { ClosedObject, Type } from '../schema.ts';
import type { ConsoleIntroRow } from './intros.ts';
import type { TeamMemberDetail } from './members.ts';
import { define, json, response } from './operation.ts';
import type { TouchpointSummary } from './touchpoints.ts';

export type HomeAppointment = NonNullable<NonNullable<Intro['context']>['appointment']>;

/** An intro to record. */
export interface HomeTask {
  readonly id: string;
  /** Name of the touchpoint. Null without one, or when it no longer exists. */
  readonly touchpoint: string | null;
  readonly recipient: { readonly first_name: string; readonly last_name: string | null };
  readonly appointment: HomeAppointment | null;
  readonly deadline: string | null;
  /** `refused`: the recording cannot be used; `reason` says why. */
  readonly state: 'to_record' | 'processing' | 'refused';
  /** Percent, while the video is processed. */
  readonly progress: number;
  readonly reason: string | null;
  /** The member's own link to the recorder. */
  readonly record_url: string;
}

export interface Home {
  /** The most urgent first. */
  readonly to_record: readonly HomeTask[];
  readonly has_more_to_record: boolean;
}

/** A touchpoint for which an intro of the member can be started. */
export type HomeTouchpoint = Pick<TouchpointSummary, 'slug' | 'name' | 'context' | 'lane' | 'delivery'>;

export interface NewIntroForm {
  readonly touchpoints: HomeTouchpoint[];
  readonly timezone: string;
  /** The signed-in member's own, for a test. */
  readonly own_phone: string | null;
}

/** The status of an event that the member started. */
export interface HomeEvent {
  readonly id: string;
  readonly status: 'accepted' | 'processed' | 'failed';
  readonly intro_id: string | null;
  /** Null if someone else is to record it. */
  readonly record_url: string | null;
  readonly problem: string | null;
}

/** A member's own settings. Some fields are read-only. */
export interface HomeSettings
  extends Pick<
    TeamMemberDetail,
    | 'first_name'
    | 'last_name'
    | 'email'
    | 'title'
    | 'phone'
    | 'photo_url'
    | 'notify_by'
    | 'words_per_minute'
    | 'language'
  > {
  /** Whether the weekly summary is on. Null for members who are not owners. */
  readonly weekly_summary: boolean | null;
}

const PhoneAsTyped = Type.String({
  minLength: 1,
  maxLength: 40,
  'x-problem': 'must be a mobile number',
  description: "In the format of the organization's country, or with a country code.",
});

/** Only owners and managers start intros of others. Left out: their own. */
const Recorder = Type.Optional(AnyId('The member who records it.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'));

const StartIntro = {
  member: Recorder,
  /** Sent by the page, so that a retry has the same body. */
  occurred_at: Timestamp('When the member started the intro.'),
  touchpoint: Slug,
  recipient: ClosedObject({
    first_name: Name('First name.', 'Dana'),
    last_name: Type.Optional(Name('Last name.', 'Reyes')),
    phone: PhoneAsTyped,
    /** Not sent: the organization's. */
    language: Type.Optional(Language),
  }),
  appointment: Type.Optional(
    Type.String({
      pattern: '^[^Zz+]*T[^Zz+-]*$',
      format: 'appointment-time',
      'x-problem': 'must be a date and time, such as 2026-03-12T14:30:00',
      description: "Date and time of the appointment, in the organization's time zone.",
    }),
  ),
};

const ChangeSettings = {
  phone: Type.Optional(
    Type.String({
      pattern: '^(?:\\+[1-9][0-9]{7,14})?$',
      'x-problem': 'must be a mobile number in E.164 form: a plus sign and 8 to 15 digits, such as +14155550123',
      description: 'An empty text removes the number.',
    }),
  ),
  notify_by: Type.Optional(
    Type.Enum<[...typeof NOTIFY_BY]>([...NOTIFY_BY], {
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
  /** Null: the organization's. */
  language: Type.Optional(Nullable(Language)),
  weekly_summary: Type.Optional(Type.Boolean()),
};

const After = ClosedObject({ starting_after: Type.Optional(AnyId('Id of the last intro on the previous page.', '')) });

export const HOME_OPERATIONS = define({
  readHome: { route: 'GET /home', role: 'member', success: response<Home>() },
  listOwnRecorded: {
    route: 'GET /home/recorded',
    role: 'member',
    query: After,
    success: response<{ recorded: ConsoleIntroRow[]; has_more: boolean }>(),
  },
  readNewIntroForm: {
    route: 'GET /home/touchpoints',
    role: 'member',
    query: ClosedObject({ member: Recorder }),
    success: response<NewIntroForm>(),
  },
  startIntro: {
    route: 'POST /home/intros',
    role: 'member',
    isKeyed: true,
    body: json(StartIntro),
    success: response<HomeEvent>(),
  },
  followStartedIntro: { route: 'GET /home/events/{id}', role: 'member', success: response<HomeEvent>() },
  readOwnSettings: { route: 'GET /home/settings', role: 'member', success: response<HomeSettings>() },
  changeOwnSettings: {
    route: 'POST /home/settings',
    role: 'member',
    body: json(ChangeSettings),
    success: response<HomeSettings>(),
  },
});
