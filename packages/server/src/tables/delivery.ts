import type { Generated } from 'kysely';
import type { Owned } from './team.ts';

export interface DeliverySettingsTable {
  organization_id: string;
  environment: 'test';
  texts_from: Generated<number>;
  texts_until: Generated<number>;
  twilio_account: Buffer | null;
  updated_at: Date;
  countries: string[] | null;
  earlier_countries: string[] | null;
  texts_test_recordings: Generated<boolean>;
  daily_texts: number | null;
  daily_texts_per_member: number | null;
  daily_texts_per_recipient: number | null;
  texts_paused_at: Date | null;
  texts_paused_for: 'burst' | 'failures' | null;
  texts_resumed_at: Date | null;
}

export interface TextCountTable {
  organization_id: string;
  environment: 'test';
  /** '' for the whole organization, a member's id, or a recipient's number. */
  subject: string;
  /** `2026-03-12`, in the organization's time zone. */
  day: string;
  sent: Generated<number>;
  failed: Generated<number>;
  notified: Generated<boolean>;
}

export type MessageStatus = 'scheduled' | 'sending' | 'accepted' | 'delivered' | 'undelivered' | 'failed' | 'dropped';

export type Channel = 'text' | 'email';

export interface MessageTable extends Owned {
  intro_id: string;
  audience: 'member' | 'recipient';
  purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver';
  channel: Channel | null;
  round: Generated<number>;
  status: MessageStatus;
  due_at: Date;
  held_for: 'quiet_hours' | 'recent_text' | 'recording' | 'daily_limit' | 'texts_paused' | null;
  held_until: Date | null;
  attempts: Generated<number>;
  in_doubt: Generated<boolean>;
  claimed_at: Date | null;
  address: string | null;
  subject: string | null;
  /** With its link, as the version before `wording` stored it. */
  body: string | null;
  /** The text with marks in place of link tokens. */
  wording: string | null;
  segments: number | null;
  carrier: string | null;
  by_own_account: Generated<boolean>;
  carrier_id: string | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  accepted_at: Date | null;
  settled_at: Date | null;
}

export interface OwnerEmailTable extends Owned {
  purpose: Generated<'webhook_disabled' | 'key_expires' | 'texts_paused' | 'daily_limit'>;
  address: string;
  subject: string;
  body: string;
  status: 'scheduled' | 'sending' | 'accepted' | 'failed';
  due_at: Date;
  attempts: Generated<number>;
  claimed_at: Date | null;
  carrier: string | null;
  error_message: string | null;
  created_at: Date;
  settled_at: Date | null;
}

export interface TestClockTable {
  organization_id: string;
  environment: 'test';
  offset_seconds: number;
  started_at: Date;
  advanced_at: Date;
}

export interface TextedNumberTable {
  organization_id: string;
  environment: 'test';
  phone: string;
  touchpoint: string;
  message_id: string;
  texted_at: Date;
}

export type ConsentSource = 'text' | 'page' | 'carrier' | 'operator';

export interface ConsentTable extends Owned {
  phone: string;
  kind: 'opt_out' | 'opt_in';
  source: ConsentSource;
  said: string | null;
  created_at: Date;
}

export interface OptOutTable {
  organization_id: string;
  environment: 'test';
  phone: string;
  source: ConsentSource;
  opted_out_at: Date;
}
