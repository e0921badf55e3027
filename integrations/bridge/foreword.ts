import type { CreateTouchpointEvent, Foreword, Intro } from '@foreword/sdk';

// The parts of the SDK that the bridge uses, under names that recipes use as well.

export type ForewordClient = Foreword;
export type ForewordHelpers = Pick<typeof Foreword, 'idempotencyKey' | 'toE164'>;
export type ForewordIntro = Intro;
export type EventBody = CreateTouchpointEvent;

export type MemberSelector = { readonly external_id: string } | { readonly email: string };

/** As a CRM has it: the bridge leaves out trades and lanes that Foreword does not know. */
export interface EventContext {
  /** `starts_at` is an instant: it has an offset or ends with Z. */
  readonly appointment?: { readonly starts_at: string; readonly timezone: string };
  readonly trade?: string;
  readonly lane?: string;
}
