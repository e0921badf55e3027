import type { DeclineReason, IntroReplyType, IntroStatus, Language, Responsibility } from '@foreword/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Owned } from './team.ts';

type Json = ColumnType<unknown, string, string>;

export interface IdempotencyKeyTable {
  organization_id: string;
  environment: 'test';
  key_hash: Buffer;
  fingerprint: Buffer;
  object_id: string | null;
  /** Null for events, whose response is rebuilt, and once it was removed. */
  response: string | null;
  created_at: Generated<Date>;
}

export interface TouchpointEventTable extends Owned {
  status: 'accepted' | 'processed' | 'failed';
  touchpoint_id: string;
  /** At the time of the match. */
  touchpoint_name: string;
  member_id: string;
  request: Json;
  created_at: Date;
  settled_at: Date | null;
  intro_id: string | null;
  error_code: string | null;
  error_message: string | null;
  /** The erasure of the recipient. */
  erasure_id: string | null;
}

/** An event that is not processed yet. The database adds it when the event is inserted. */
export interface WaitingEventTable {
  organization_id: string;
  environment: 'test';
  event_id: string;
}

export type { IntroStatus };

export interface IntroTable extends Owned {
  status: IntroStatus;
  version: Generated<number>;
  event_id: string | null;
  touchpoint_slug: string | null;
  /** At creation. */
  touchpoint_version: number | null;
  member_id: string;
  recipient_first_name: string;
  recipient_last_name: string | null;
  recipient_phone: string;
  recipient_language: Language;
  reference: Json;
  reference_id: string | null;
  context: Json;
  script: string | null;
  script_language: Language;
  instructed: boolean;
  responsibility: Responsibility;
  metadata: Json;
  created_at: Date;
  expires_at: Date | null;
  recorded_at: Date | null;
  sent_at: Date | null;
  opened_at: Date | null;
  watched_at: Date | null;
  cancelled_at: Date | null;
  recording_id: string | null;
  watched_percent: Generated<number>;
  delivery_error_code: string | null;
  delivery_error_message: string | null;
  member_opened_at: Date | null;
  cancelled_by: string | null;
  watched_times: ColumnType<unknown, string | undefined, string>;
  link_generation: Generated<number>;
  taken_down_at: Date | null;
  /** A member or an API key; null for the operator. */
  taken_down_by: string | null;
  /** When its member's withdrawal of consent closed it, or took its page down. */
  likeness_withdrawn_at: Date | null;
  /** The link generation whose member declined. */
  declined_generation: number | null;
  /** The erasure of the recipient. */
  erasure_id: string | null;
  erased_at: Date | null;
  /** The link domain of the recipient's link, decided when the video is ready; null for PUBLIC_URL. */
  link_host: string | null;
}

export interface IntroReassignmentRow {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  generation: number;
  from_member_id: string;
  to_member_id: string;
  /** Who decided it: a member, or an integration with a key. */
  by_member_id: string | null;
  by_key_id: string | null;
  opened_at: Date | null;
  created_at: Date;
  /** The member handed it over with a text. */
  by_text: boolean;
}

export interface IntroDeclineRow {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  generation: number;
  member_id: string;
  reason: DeclineReason;
  message: string | null;
  created_at: Date;
  /** The member replied to a text. */
  by_text: boolean;
}

export interface IntroReplyRow {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  /** The first reply of an intro has the number 1. */
  number: number;
  type: IntroReplyType;
  label: string;
  message: string | null;
  created_at: Date;
  /** The recipient replied to the text. Otherwise, on the page. */
  by_text: boolean;
}

/** The member's answers to the recipient's replies. */
export interface IntroAnswerRow {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  /** The first answer of an intro has the number 1. */
  number: number;
  member_id: string;
  /** Null: erased. */
  message: string | null;
  created_at: Date;
}

export type RecordingStatus = 'uploading' | 'uploaded' | 'processing' | 'ready' | 'refused' | 'discarded';

export interface RecordingTable extends Owned {
  intro_id: string;
  /** Who is in it. */
  member_id: string;
  status: RecordingStatus;
  media_type: string;
  upload_length: number | null;
  upload_offset: Generated<number>;
  parts: Generated<string[]>;
  progress: Generated<number>;
  attempts: Generated<number>;
  refusal_code: string | null;
  refusal_message: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  bytes: number | null;
  has_audio: boolean | null;
  has_captions: Generated<boolean>;
  has_preview: Generated<boolean>;
  simulated: Generated<boolean>;
  created_at: Date;
  touched_at: Date;
  received_at: Date | null;
  ready_at: Date | null;
  original_deleted_at: Date | null;
  files_check_at: Date | null;
  deleted_at: Date | null;
  failures: Generated<number>;
  worker_deaths: Generated<number>;
  cpu_ms: Generated<number>;
  heavy: boolean | null;
  retry_at: Date | null;
  trim_start_ms: number | null;
  trim_end_ms: number | null;
}

export interface EncodingClaimTable {
  organization_id: string;
  environment: 'test';
  claimed_at: Date;
}

/** `short`: another link to the page, for the organization's own domain. */
export type LinkKind = 'record' | 'page' | 'short';

export interface LinkTable {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  kind: LinkKind;
  hash: Buffer;
}

/** A member's link that was replaced when the intro was reassigned. */
export interface ReplacedLinkTable {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  generation: number;
  hash: Buffer;
}
