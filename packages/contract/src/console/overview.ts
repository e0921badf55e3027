import type { EventFailureCode } from '../errors.ts';
import type { NamedMember } from '../members.ts';
import { type IntroProblem, OVERVIEW_DAYS } from '../plain/index.ts';
import { ClosedObject, Type } from '../schema.ts';
import { define, response } from './operation.ts';

export type OverviewDays = (typeof OVERVIEW_DAYS)[number];

const Days = Type.Enum<[...typeof OVERVIEW_DAYS]>([...OVERVIEW_DAYS], {
  type: 'integer',
  'x-problem': 'must be one of 7, 30, 90',
  description: 'Number of days, including today.',
});

/** Results of the intros that were requested in a period. */
export interface IntroStatistics {
  readonly requested: number;
  readonly recorded: number;
  /** Sent or delivered, neither simulated nor undelivered; so are those that were opened and watched. */
  readonly sent: number;
  readonly opened: number;
  readonly watched: number;
}

/** Time from request to recording. Null when no intro was recorded. */
export interface RecordingTimes {
  readonly median_ms: number | null;
  /** 90% were recorded within this time. */
  readonly p90_ms: number | null;
}

export interface DayStatistics extends IntroStatistics {
  /** `2026-03-12`, in the organization's time zone. */
  readonly date: string;
}

export interface TouchpointStatistics extends IntroStatistics, RecordingTimes {
  /** Null: requested without a touchpoint. */
  readonly slug: string | null;
  readonly name: string | null;
}

export interface MemberStatistics extends IntroStatistics, RecordingTimes, NamedMember {
  readonly active: boolean;
}

export interface Overview {
  readonly days: OverviewDays;
  /** Statistics are cached for a minute. */
  readonly counted_at: string;
  readonly total: IntroStatistics & RecordingTimes & { readonly cancelled: number; readonly expired: number };
  /** Every day of the period, oldest first. */
  readonly by_day: readonly DayStatistics[];
  /** The most requested first. */
  readonly by_touchpoint: readonly TouchpointStatistics[];
  readonly by_member: readonly MemberStatistics[];
  /** Number of members beyond the end of the list. */
  readonly more_members: number;
}

/** An intro that someone has to do something about. */
export interface AttentionIntro {
  readonly kind: 'intro';
  readonly id: string;
  readonly problem: IntroProblem;
  readonly recipient: { readonly first_name: string; readonly last_name: string | null; readonly phone: string };
  readonly member: NamedMember;
  /** Why it was declined, not sent or not delivered, why the member was not reached, or the label of the reply. */
  readonly reason: string | null;
  /** The code of a delivery error. */
  readonly code: string | null;
  /** In the words of the recipient, or of the member who declined. */
  readonly message: string | null;
  /** When it was declined, or the recipient replied; otherwise when the intro was requested. */
  readonly at: string;
  readonly expires_at: string | null;
  /** To send by hand. Null before a video exists. */
  readonly recipient_url: string | null;
  /** Intros of the same member, who was not reached. */
  readonly amount: number;
}

/** Everything that needs attention, the most urgent first. Members get only their own intros. */
export interface Attention {
  readonly items: readonly (AttentionIntro | OverviewIssue)[];
  /** There are more intros, in the list of problems. */
  readonly has_more: boolean;
}

/** A problem that the team should look at. */
export type OverviewIssue =
  | {
      readonly kind: 'carrier';
      readonly channel: 'text' | 'email';
      readonly status: 'unset' | 'refused' | 'unreachable';
    }
  | {
      readonly kind: 'webhook';
      readonly id: string;
      readonly host: string;
      /** Why it was turned off. Null: it is on, but failing. */
      readonly disabled: 'gone' | 'failing' | null;
      readonly failing_since: string | null;
    }
  | {
      readonly kind: 'never_recorded';
      /** 21 means more than 20. */
      readonly amount: number;
      readonly members: readonly NamedMember[];
    }
  | { readonly kind: 'shared_email'; readonly email: string; readonly amount: number }
  /** Emails to this active member bounce. */
  | ({ readonly kind: 'email_bounces' } & NamedMember)
  | {
      readonly kind: 'failed_events';
      readonly slug: string;
      readonly name: string;
      readonly amount: number;
      readonly last_event_id: string;
      readonly last_code: EventFailureCode;
    };

/** Setup progress of an organization. The overview shows it until a text has arrived or someone dismisses it. */
export interface SetupChecklist {
  /** A logo or an accent color. */
  readonly has_brand: boolean;
  readonly has_members: boolean;
  /** The carrier of texts accepts the credentials. */
  readonly has_carrier: boolean;
  readonly has_event: boolean;
  /** A carrier has delivered a text. */
  readonly has_text: boolean;
  readonly has_intro: boolean;
  readonly dismissed: boolean;
}

export const OVERVIEW_OPERATIONS = define({
  readOverview: {
    route: 'GET /overview',
    role: 'manager',
    query: ClosedObject({ days: Days }),
    success: response<Overview>(),
  },
  readAttention: { route: 'GET /overview/attention', role: 'member', success: response<Attention>() },
  readSetup: { route: 'GET /overview/setup', role: 'manager', success: response<SetupChecklist>() },
  dismissSetup: { route: 'POST /overview/setup/dismiss', role: 'manager', success: response<{ dismissed: true }>() },
});
