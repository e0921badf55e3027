import type { NamedMember } from '../../members.ts';
import type { Language } from '../../plain/index.ts';
import { Type } from '../../schema.ts';
import { define, json, response } from '../operation.ts';
import type { TouchpointContent } from '../touchpoints.ts';

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

export const DRY_RUN_OPERATIONS = define({
  explainEvent: {
    route: 'POST /dry-run',
    role: 'manager',
    // Accepts anything; the response lists what is invalid.
    body: json({ event: Type.Unknown() }),
    success: response<DryRun>(),
  },
});
