import type { NamedMember } from '../members.ts';
import { Type } from '../schema.ts';
import { define, json, response } from './operation.ts';

/** A fault of the account that sends the texts. */
export interface ConsoleAccountFault {
  readonly fault:
    | 'credentials'
    | 'suspended'
    | 'sender'
    | 'toll_free_unverified'
    | 'unregistered'
    | 'registration_pending'
    | 'campaign_suspended'
    | 'daily_cap'
    | 'filtered'
    | 'country_off';
  readonly since: string;
  /** The carrier's own words. */
  readonly message: string;
  /** All texts wait until the account works. Otherwise, texts failed in the last day. */
  readonly is_held: boolean;
}

/** Where and how much the organization texts. */
export interface ConsoleTextLimits {
  /** ISO 3166 codes of the countries whose numbers are texted. */
  readonly countries: readonly string[];
  readonly default_countries: readonly string[];
  /** Whether the countries were chosen. Otherwise they are the default. */
  readonly has_own_countries: boolean;
  readonly known_countries: readonly string[];
  /** Whether members answer replies through the service, without seeing the number. */
  readonly forwards_replies: boolean;
  /** Texts per day. */
  readonly limits: { readonly organization: number; readonly member: number; readonly recipient: number };
  readonly texts_today: number;
  /** The members with the most texts today. */
  readonly busiest_members: readonly (NamedMember & { readonly texts: number })[];
  readonly day_ends_at: string;
  readonly paused: { readonly at: string; readonly reason: 'burst' | 'failures' } | null;
  readonly account: {
    readonly faults: readonly ConsoleAccountFault[];
    /** Texts that wait for the account. */
    readonly held_texts: number;
    /** Whether it is the organization's own account, which its owners can fix. */
    readonly is_own: boolean;
  };
}

/** Whether mobile networks know the number that sends the texts. */
export interface ConsoleTextRegistration {
  /** Null: the sender needs none, or its carrier does not report it. */
  readonly registration: {
    readonly status: 'registered' | 'pending' | 'missing' | 'rejected' | 'unknown';
    readonly message: string;
    /** The next step for the account owner; null if none is needed. */
    readonly next: string | null;
  } | null;
  /** Whether it is the organization's own account, which its owners can fix. */
  readonly is_own: boolean;
}

const MAX_COUNTRIES = 300;

export const TEXT_LIMITS_OPERATIONS = define({
  readTextLimits: { route: 'GET /text-limits', role: 'manager', success: response<ConsoleTextLimits>() },
  changeTextLimits: {
    route: 'POST /text-limits',
    role: 'owner',
    body: json({
      countries: Type.Optional(
        Type.Union(
          [
            Type.Array(Type.String({ pattern: '^[A-Z]{2}$', 'x-problem': 'must be a country code, such as US' }), {
              maxItems: MAX_COUNTRIES,
              uniqueItems: true,
            }),
            Type.Null(),
          ],
          { 'x-problem': 'must be country codes, such as US', description: 'Null: the default.' },
        ),
      ),
      forwards_replies: Type.Optional(Type.Boolean()),
    }),
    success: response<ConsoleTextLimits>(),
  },
  /** Asks the carrier, which may take some seconds. */
  readTextRegistration: {
    route: 'GET /text-limits/registration',
    role: 'manager',
    success: response<ConsoleTextRegistration>(),
  },
  resumeTexts: { route: 'POST /text-limits/resume', role: 'owner', success: response<ConsoleTextLimits>() },
});
