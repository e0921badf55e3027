import { type DeliveryStatus, deliveryStatusOf } from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';

export type IntroRow = Row<'intros'>;

interface Field {
  /** Its type in SQL, if an insert provides it. Other columns have defaults. */
  readonly insert?: 'text' | 'integer' | 'boolean' | 'json' | 'timestamptz';
  /** The console's list shows it under its own name. */
  readonly list?: true;
  /** Its heading in the CSV. */
  readonly csv?: string;
}

/**
 * Every column of an intro, in the order of the CSV. The API shows those that its schema has under the same name (`present.ts`), an
 * archive contains all of them, and `db/tables.ts` lists those that an erasure empties.
 */
export const INTRO_FIELDS = {
  organization_id: { insert: 'text' },
  environment: { insert: 'text' },
  id: { insert: 'text', list: true, csv: 'id' },
  status: { insert: 'text', list: true, csv: 'status' },
  version: {},
  event_id: { insert: 'text' },
  touchpoint_slug: { insert: 'text', csv: 'touchpoint' },
  touchpoint_version: { insert: 'integer' },
  member_id: { insert: 'text' },
  recipient_first_name: { insert: 'text', csv: 'recipient_first_name' },
  recipient_last_name: { insert: 'text', csv: 'recipient_last_name' },
  recipient_phone: { insert: 'text', csv: 'recipient_phone' },
  recipient_language: { insert: 'text' },
  reference: { insert: 'json' },
  reference_id: { insert: 'text', list: true, csv: 'reference_id' },
  context: { insert: 'json' },
  script: { insert: 'text' },
  script_language: { insert: 'text' },
  instructed: { insert: 'boolean' },
  responsibility: { insert: 'text', list: true, csv: 'sent_by' },
  metadata: { insert: 'json' },
  created_at: { insert: 'timestamptz', list: true, csv: 'requested_at' },
  expires_at: { insert: 'timestamptz', list: true, csv: 'expires_at' },
  recorded_at: { list: true, csv: 'recorded_at' },
  sent_at: { list: true, csv: 'sent_at' },
  opened_at: { list: true, csv: 'opened_at' },
  watched_at: { csv: 'watched_at' },
  watched_percent: { list: true, csv: 'watched_percent' },
  cancelled_at: { csv: 'cancelled_at' },
  recording_id: {},
  delivery_error_code: {},
  delivery_error_message: {},
  member_opened_at: {},
  cancelled_by: {},
  watched_times: {},
  clicked_times: {},
  link_generation: {},
  taken_down_at: {},
  taken_down_by: {},
  likeness_withdrawn_at: {},
  declined_generation: {},
  erasure_id: {},
  erased_at: {},
  link_host: {},
  phone_corrected_at: {},
  phone_corrected_by: {},
} as const satisfies Record<keyof IntroRow, Field>;

type Fields = typeof INTRO_FIELDS;
type NameWith<Property extends keyof Field> = {
  [Name in keyof Fields]: Property extends keyof Fields[Name] ? Name : never;
}[keyof Fields];

const namesWith = <Property extends keyof Field>(property: Property): NameWith<Property>[] =>
  (Object.keys(INTRO_FIELDS) as NameWith<Property>[]).filter((name) => property in INTRO_FIELDS[name]);

export const INSERTED_FIELDS = namesWith('insert');
export const LISTED_FIELDS = namesWith('list');

/** The rows that `store.ts` joins to an intro. Only members and opt-outs always exist. */
interface JoinedRows {
  readonly member: Row<'members'>;
  readonly opted: { readonly out: boolean };
  readonly touchpoint: Row<'touchpoints'> | null;
  /** Its video, and the organization of the video. */
  readonly video: Row<'recordings'> | null;
  readonly organization: Row<'organizations'> | null;
  /** The text that the service has yet to send for a recorded intro. */
  readonly text: Row<'message_queue'> | null;
  /** The last text to the recipient of a sent intro that a carrier accepted. */
  readonly sent_text: Pick<Row<'messages'>, 'status' | 'carrier'> | null;
  /** The last reply of the recipient. */
  readonly reply: Row<'intro_replies'> | null;
  /** How its member declined it; null unless it waits for someone else. */
  readonly decline: Row<'intro_declines'> | null;
  /** The outcome of the messages that ask its member to record. No error while another message is pending. */
  readonly notice: { notified_at: Date | null; error_code: string | null; error_message: string | null };
  /** The newest take of its member that was not discarded. */
  readonly take: Row<'recordings'> | null;
}
export type JoinedRow = keyof JoinedRows;

/** Columns of other tables that belong to an intro. */
const API_JOINED = {
  organization_name: 'organization.name',
  video_duration_ms: 'video.duration_ms',
  video_deleted_at: 'video.deleted_at',
  pages_replaced_at: 'member.pages_replaced_at',
  member_withdrawn_at: 'member.likeness_withdrawn_at',
  member_external_id: 'member.external_id',
  member_first_name: 'member.first_name',
  member_last_name: 'member.last_name',
  text_due_at: 'text.due_at',
  text_held_for: 'text.held_for',
  text_held_until: 'text.held_until',
  text_attempts: 'text.attempts',
  text_in_doubt: 'text.in_doubt',
  sent_text_status: 'sent_text.status',
  sent_text_carrier: 'sent_text.carrier',
  reply_type: 'reply.type',
  reply_label: 'reply.label',
  reply_message: 'reply.message',
  reply_by_text: 'reply.by_text',
  replied_at: 'reply.created_at',
  reply_settled_at: 'reply.settled_at',
  decline_reason: 'decline.reason',
  decline_message: 'decline.message',
  declined_at: 'decline.created_at',
  member_notified_at: 'notice.notified_at',
  notification_error_code: 'notice.error_code',
  notification_error_message: 'notice.error_message',
  recipient_opted_out: 'opted.out',
} as const;

export const JOINED_FIELDS = {
  ...API_JOINED,
  member_email: 'member.email',
  touchpoint_name: 'touchpoint.name',
  take_status: 'take.status',
  take_progress: 'take.progress',
  take_refusal: 'take.refusal_message',
} as const satisfies Record<string, `${JoinedRow}.${string}`>;

type ValueOf<Column> = Column extends `${infer Alias extends JoinedRow}.${infer Name}`
  ? NonNullable<JoinedRows[Alias]>[Name & keyof NonNullable<JoinedRows[Alias]>] | Extract<JoinedRows[Alias], null>
  : never;

type Joined = typeof JOINED_FIELDS;
/** An intro with all columns that can be selected for it. */
export type IntroFields = IntroRow & { readonly [Name in keyof Joined]: ValueOf<Joined[Name]> };
export type IntroField = keyof IntroFields;

/** The columns behind the API's object. */
export const API_FIELDS = Object.keys({ ...INTRO_FIELDS, ...API_JOINED }) as (
  | keyof IntroRow
  | keyof typeof API_JOINED
)[];
export type IntroWithMember = Pick<IntroFields, (typeof API_FIELDS)[number]>;

/** An intro right after the insert, which provides the other columns. */
export const NEW_INTRO = {
  ...Object.fromEntries(API_FIELDS.map((name) => [name, null])),
  version: 1,
  watched_percent: 0,
} as unknown as IntroWithMember;

const OF_DELIVERY = ['delivery_error_code', 'sent_text_status', 'sent_text_carrier'] as const;

export const readDeliveryStatus = (
  row: Pick<IntroFields, 'status' | 'responsibility' | 'recipient_phone' | 'opened_at' | (typeof OF_DELIVERY)[number]>,
): DeliveryStatus | null =>
  deliveryStatusOf(
    row,
    row.sent_text_status === null ? null : { status: row.sent_text_status, carrier: row.sent_text_carrier },
  );

const OF_MEMBER = ['member_external_id', 'member_first_name', 'member_last_name', 'member_email'] as const;

type CsvColumn = readonly [heading: string, read: (row: IntroFields) => unknown];

/** The columns of the CSV: those of the member come after the touchpoint. */
export const CSV_COLUMNS: readonly CsvColumn[] = [
  ...namesWith('csv').flatMap((name): CsvColumn[] => [
    [INTRO_FIELDS[name].csv, (row) => row[name]],
    ...(name === 'touchpoint_slug' ? OF_MEMBER.map((one): CsvColumn => [one, (row) => row[one]]) : []),
  ]),
  ['delivery_status', readDeliveryStatus],
];
/** The fields behind them. */
export const CSV_FIELDS: readonly IntroField[] = [...namesWith('csv'), ...OF_MEMBER, ...OF_DELIVERY];
