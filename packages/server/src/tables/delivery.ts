import type { ConsentSource } from '@foreword/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Owned } from './team.ts';

export interface DeliverySettingsTable {
  organization_id: string;
  environment: 'test';
  texts_from: Generated<number>;
  texts_until: Generated<number>;
  twilio_account: Buffer | null;
  updated_at: Date;
  countries: string[] | null;
  texts_test_recordings: Generated<boolean>;
  daily_texts: number | null;
  daily_texts_per_member: number | null;
  daily_texts_per_recipient: number | null;
  texts_paused_at: Date | null;
  texts_paused_for: 'burst' | 'failures' | null;
  texts_resumed_at: Date | null;
  /** Members answer replies through the service, and their messages hide the recipient's number. */
  forwards_replies: Generated<boolean>;
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

type HeldFor =
  | 'quiet_hours'
  | 'recent_text'
  | 'recording'
  | 'daily_limit'
  | 'texts_paused'
  | 'carrier_account'
  | 'opt_out_question';

interface MessageColumns extends Owned {
  intro_id: string;
  audience: 'member' | 'recipient';
  purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver' | 'reply' | 'answer';
  channel: Channel | null;
  round: Generated<number>;
  due_at: Date;
  held_for: HeldFor | null;
  held_until: Date | null;
  attempts: Generated<number>;
  resends: Generated<number>;
  address: string | null;
  subject: string | null;
  /** The text with marks in place of link tokens. */
  body: string | null;
  segments: number | null;
  carrier: string | null;
  by_own_account: Generated<boolean>;
  /** The account that sent the text, or that holds it. */
  account: string | null;
  error_message: string | null;
  created_at: Date;
}

/** Columns that matter only until the outcome of a message is known. */
interface SendingColumns {
  in_doubt: Generated<boolean>;
  /** Attempts that certainly sent nothing. */
  unsent_attempts: Generated<number>;
  /** The next attempt is for the second carrier. */
  uses_fallback: Generated<boolean>;
  held_attempts: Generated<number>;
  /** The step that follows. */
  next_purpose: 'remind' | 'remind_last' | null;
  next_at: Date | null;
}

/** A message that has to be sent next. */
export interface MessageQueueTable extends MessageColumns, SendingColumns {
  /** Null: the channel is chosen when the message is sent. */
  planned_channel: Channel | null;
  claimed_at: Date | null;
}

interface OutcomeColumns {
  carrier_id: string | null;
  error_code: string | null;
  accepted_at: Date | null;
  settled_at: Date | null;
}

/** A message whose outcome is known. */
export interface MessageTable extends MessageColumns, OutcomeColumns {
  status: Exclude<MessageStatus, 'scheduled' | 'sending'>;
}

/** The view of both. */
export interface AllMessagesView extends MessageColumns, SendingColumns, OutcomeColumns {
  status: MessageStatus;
}

/** Has no organization: a text to a shared number may concern several or none. */
export interface ReceivedTextTable {
  carrier: string;
  id: string;
  received_at: Date;
}

/** The numbered list of intros that a member got last. */
export interface ListedIntroRow {
  organization_id: string;
  environment: 'test';
  member_id: string;
  number: number;
  intro_id: string;
  listed_at: Date;
}

export interface CarrierHoldTable {
  account: string;
  fault: string;
  message: string;
  is_reported: boolean;
  started_at: Date;
  probes: Generated<number>;
  next_probe_at: Date;
  probe_organization_id: string | null;
  probe_message_id: string | null;
}

export interface CarrierNoticeTable {
  organization_id: string;
  environment: 'test';
  fault: string;
  account: string;
  message: string;
  started_at: Date;
  last_at: Date;
  notified_at: Date;
  ended_at: Date | null;
}

type OwnerEmailPurpose =
  | 'webhook_disabled'
  | 'key_expires'
  | 'texts_paused'
  | 'daily_limit'
  | 'weekly_summary'
  | 'intro_declined'
  | 'carrier_fault';

export interface OwnerEmailTable extends Owned {
  purpose: OwnerEmailPurpose;
  address: string;
  subject: string;
  body: string;
  status: 'scheduled' | 'accepted' | 'failed';
  attempts: Generated<number>;
  carrier: string | null;
  error_message: string | null;
  created_at: Date;
  settled_at: Date | null;
  /** The owner and the week of a summary. */
  member_id: string | null;
  week: string | null;
  /** When the mail server asked for the content of a summary. */
  handed_over_at: Date | null;
}

export interface WeeklySummaryTable {
  organization_id: string;
  environment: 'test';
  /** The Monday on which it is sent, such as `2026-03-09`. */
  week: string;
  /** Null: nothing was sent. */
  figures: ColumnType<unknown, string | null, string | null>;
  created_at: Date;
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

/** A carrier reports that the number cannot receive texts. */
export interface FlaggedNumberTable {
  organization_id: string;
  environment: 'test';
  phone: string;
  failure: 'invalid_number' | 'unreachable_number';
  flagged_at: Date;
}

export type { ConsentSource } from '@foreword/contract';

export interface ConsentTable extends Owned {
  phone: string;
  /** `asked`: the person was asked whether to stop texts. `answered`: with words that do not ask for it. */
  kind: 'opt_out' | 'opt_in' | 'asked' | 'answered';
  source: ConsentSource;
  said: string | null;
  created_at: Date;
  /** The member who changed it for the recipient. */
  by_member: string | null;
}

export interface OptOutTable {
  id: Generated<string>;
  organization_id: string;
  environment: 'test';
  phone: string;
  source: ConsentSource;
  opted_out_at: Date;
}
