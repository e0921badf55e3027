import { Type } from 'typebox';
import type { Responsibility, TouchpointContext } from '../../plain/index.ts';
import { define, response } from '../operation.ts';

/** Why it would come to nothing: at once, as the API answers, or later, as the event then says. */
export interface DryRunProblem {
  readonly at: 'body' | 'touchpoint' | 'appointment' | 'member' | 'opt_out' | 'script';
  /** Of the answer; null when the event is accepted first and fails when it is processed. */
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  /** What lies behind it, for the person who is to mend it. */
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
  /** Slugs that look like the one that was sent. */
  readonly suggestions: readonly string[];
}

export interface DryRunTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly context: TouchpointContext;
  readonly delivery: Responsibility;
  readonly days_to_record: number;
}

export interface DryRunMember {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly found_by: 'id' | 'external_id' | 'email';
}

/** A moment, and where: in the zone that decides it. */
export interface ZonedMoment {
  readonly at: string;
  readonly timezone: string;
}

export interface DryRunIntro {
  readonly title: string;
  readonly script: { readonly text: string; readonly words: number; readonly seconds: number };
  /** How the member is asked, at once. */
  readonly notification: { readonly by: readonly ('text' | 'email')[]; readonly opted_out: boolean };
  readonly deadline: ZonedMoment & { readonly rule: 'appointment' | 'days' | 'days_after_late_report' };
  readonly reminders: {
    readonly rule: 'planned' | 'turned_off' | 'no_time';
    readonly at: readonly (ZonedMoment & { readonly purpose: 'halfway' | 'last' })[];
  };
}

/** What the service would do if the video were there now. */
export type DryRunDelivery =
  | { readonly by: 'integration'; readonly recipient_opted_out: boolean }
  | {
      readonly by: 'service';
      readonly outcome:
        | { readonly kind: 'now' }
        | ({ readonly kind: 'later'; readonly held_for: 'quiet_hours' | 'recent_text' } & ZonedMoment)
        | { readonly kind: 'never'; readonly code: string; readonly message: string };
      readonly text: { readonly body: string; readonly segments: number; readonly problem: string | null };
      /** Minutes of the recipient's day between which they are texted. */
      readonly hours: { readonly from: number; readonly until: number; readonly timezone: string };
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
  'POST /dry-run': {
    role: 'manager',
    // Whatever it is: what of it does not fit is what the answer tells.
    body: Type.Object({ event: Type.Unknown() }, { additionalProperties: false }),
    response: response<DryRun>(),
  },
});
