/** The SQL of intros. */

import { sql } from 'kysely';
import type pg from 'pg';
import {
  acrossTenants,
  type Database,
  type Db,
  forTenant,
  type ObjectOfTenant,
  queryForTenant,
  type Row,
  selectKeys,
  type Tenant,
} from '../db/tenancy.ts';
import { namedQuery } from '../platform/named-statement.ts';
import type { Condition } from '../platform/scan.ts';

export type IntroRow = Row<'intros'>;

export interface MemberNames {
  readonly member_external_id: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
}

/** The text that the service has yet to send for a recorded intro; null when there is none. */
export interface PendingText {
  readonly text_due_at: Date | null;
  readonly text_held_for: Row<'messages'>['held_for'];
  readonly text_held_until: Date | null;
  readonly text_attempts: number | null;
  readonly text_in_doubt: boolean | null;
}

/** About the video, if there is one. */
export interface IntroVideo {
  readonly organization_name: string | null;
  readonly video_duration_ms: number | null;
  /** When the pages of the member stopped showing videos. */
  readonly pages_replaced_at: Date | null;
  readonly member_withdrawn_at: Date | null;
}

/** The last reply of the recipient; null when there is none. */
export interface LastReply {
  readonly reply_type: Row<'intro_replies'>['type'] | null;
  readonly reply_label: string | null;
  readonly reply_message: string | null;
  readonly reply_by_text: boolean | null;
  readonly replied_at: Date | null;
}

/** How its member declined it; null unless it waits for someone else. */
export interface LastDecline {
  readonly decline_reason: Row<'intro_declines'>['reason'] | null;
  readonly decline_message: string | null;
  readonly declined_at: Date | null;
}

/** The outcome of the messages that ask its member to record. */
export interface MemberNotification {
  readonly member_notified_at: Date | null;
  /** Null also while another message is pending. */
  readonly notification_error_code: string | null;
  readonly notification_error_message: string | null;
}

/** An intro with the columns of other tables that the response includes. */
export type IntroWithMember = IntroRow &
  MemberNames &
  PendingText &
  LastReply &
  LastDecline &
  IntroVideo &
  MemberNotification & { readonly recipient_opted_out: boolean };

/** The columns that an insert provides, with their types. The others have defaults. */
export const NEW_INTRO_COLUMNS = {
  organization_id: 'text',
  environment: 'text',
  id: 'text',
  status: 'text',
  event_id: 'text',
  touchpoint_slug: 'text',
  touchpoint_version: 'integer',
  member_id: 'text',
  recipient_first_name: 'text',
  recipient_last_name: 'text',
  recipient_phone: 'text',
  recipient_language: 'text',
  reference: 'json',
  reference_id: 'text',
  context: 'json',
  script: 'text',
  script_language: 'text',
  instructed: 'boolean',
  responsibility: 'text',
  metadata: 'json',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} as const satisfies Partial<Record<keyof IntroRow, string>>;

/** All of them: the compiler reports one that is missing. */
const INTRO_COLUMNS = Object.keys({
  ...NEW_INTRO_COLUMNS,
  version: true,
  recorded_at: true,
  sent_at: true,
  opened_at: true,
  watched_at: true,
  cancelled_at: true,
  recording_id: true,
  watched_percent: true,
  delivery_error_code: true,
  delivery_error_message: true,
  member_opened_at: true,
  cancelled_by: true,
  watched_times: true,
  link_generation: true,
  taken_down_at: true,
  taken_down_by: true,
  likeness_withdrawn_at: true,
  declined_generation: true,
  erasure_id: true,
  erased_at: true,
  link_host: true,
} satisfies Record<keyof IntroRow, unknown>) as (keyof IntroRow)[];

/** The columns of the joined tables. */
const JOINED = [
  'o.name as organization_name',
  'r.duration_ms as video_duration_ms',
  'm.pages_replaced_at',
  'm.likeness_withdrawn_at as member_withdrawn_at',
  'm.external_id as member_external_id',
  'm.first_name as member_first_name',
  'm.last_name as member_last_name',
  'text.due_at as text_due_at',
  'text.held_for as text_held_for',
  'text.held_until as text_held_until',
  'text.attempts as text_attempts',
  'text.in_doubt as text_in_doubt',
  'reply.type as reply_type',
  'reply.label as reply_label',
  'reply.message as reply_message',
  'reply.by_text as reply_by_text',
  'reply.created_at as replied_at',
  'd.reason as decline_reason',
  'd.message as decline_message',
  'd.created_at as declined_at',
  'notice.notified_at as member_notified_at',
  'notice.error_code as notification_error_code',
  'notice.error_message as notification_error_message',
] as const;

/** An intro right after the insert, which provides the other columns. */
export const NEW_INTRO = {
  ...Object.fromEntries([...INTRO_COLUMNS, ...JOINED].map((name) => [name.split(/ as |\./).at(-1), null])),
  version: 1,
} as unknown as IntroWithMember;

/**
 * One lookup by key. The messages to an earlier member do not count: reminders by hand have rounds of their own, so they count from
 * the first message to the current member on. A missing provider is not an error of the member.
 */
export const NOTICE = sql<{ notified_at: Date | null; error_code: string | null; error_message: string | null }>`(
  select notified_at, case when is_failed then error_code end as error_code, case when is_failed then error_message end as error_message
  from (select *, is_unsent and error_code not in ('no_text_provider', 'no_email_provider') as is_failed from (
    select min(accepted_at) filter (where status in ('accepted', 'delivered')) as notified_at,
      not bool_or(status in ('accepted', 'delivered') or (status in ('scheduled', 'sending') and purpose = 'ask')) as is_unsent,
      (array_agg(error_code order by settled_at desc, id desc) filter (where status in ('failed', 'undelivered')))[1] as error_code,
      (array_agg(error_message order by settled_at desc, id desc) filter (where status in ('failed', 'undelivered')))[1] as error_message
    from all_messages
    where organization_id = i.organization_id and intro_id = i.id and audience = 'member' and (
      (purpose in ('ask', 'remind', 'remind_last') and round = i.link_generation)
      or (purpose = 'remind_by_hand' and created_at >= (
        select min(asked.created_at) from all_messages asked
        where asked.organization_id = i.organization_id and asked.intro_id = i.id and asked.purpose = 'ask'
          and asked.round = i.link_generation))
    )
  ) messages) messages
)`;

/**
 * The intros with the keys that `keys` selects and `owned` accepts, newest first. Selects them first and joins after: joining first
 * would read and sort every intro.
 */
function selectIntros(db: Db, keys: Condition, owned: Condition) {
  const page = sql<IntroRow>`(
    select x.* from (${keys}) p cross join lateral (
      select * from intros where ${owned} and id = p.id offset 0
    ) x
  )`;
  return (
    acrossTenants(db)
      .selectFrom(page.as('i'))
      .innerJoin('members as m', (on) =>
        on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
      )
      // One lookup by key for each intro that has a text to send, and none for the others.
      .leftJoinLateral(
        (of) =>
          of
            .selectFrom('message_queue')
            .select(['due_at', 'held_for', 'held_until', 'attempts', 'in_doubt'])
            .whereRef('organization_id', '=', 'i.organization_id')
            .whereRef('intro_id', '=', 'i.id')
            .where('purpose', '=', 'deliver')
            .where('i.status', '=', 'ready')
            .where('i.responsibility', '=', 'service')
            .orderBy('round', 'desc')
            .limit(1)
            .as('text'),
        (on) => on.onTrue(),
      )
      // One lookup by key for each intro that is opened or sent: a reply on the page opens it, and a text needs one to reply to.
      .leftJoinLateral(
        (of) =>
          of
            .selectFrom('intro_replies')
            .select(['type', 'label', 'message', 'by_text', 'created_at'])
            .whereRef('organization_id', '=', 'i.organization_id')
            .whereRef('intro_id', '=', 'i.id')
            .where(({ or, eb }) => or([eb('i.opened_at', 'is not', null), eb('i.sent_at', 'is not', null)]))
            .orderBy('number', 'desc')
            .limit(1)
            .as('reply'),
        (on) => on.onTrue(),
      )
      // One lookup by key for each declined intro, and none for the others.
      .leftJoin('intro_declines as d', (on) =>
        on
          .onRef('d.organization_id', '=', 'i.organization_id')
          .onRef('d.intro_id', '=', 'i.id')
          .onRef('d.generation', '=', 'i.declined_generation')
          .onRef('d.generation', '=', 'i.link_generation')
          .on('i.status', '=', 'requested'),
      )
      .leftJoinLateral(NOTICE.as('notice'), (on) => on.onTrue())
      // Two lookups by key for each recorded intro, and none for the others.
      .leftJoin('recordings as r', (on) =>
        on
          .onRef('r.organization_id', '=', 'i.organization_id')
          .onRef('r.environment', '=', 'i.environment')
          .onRef('r.id', '=', 'i.recording_id'),
      )
      .leftJoin('organizations as o', 'o.id', 'r.organization_id')
      .select(INTRO_COLUMNS.map((name) => `i.${name}` as const))
      .select(JOINED)
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('opt_outs as x')
            .select('x.phone')
            .whereRef('x.organization_id', '=', 'i.organization_id')
            .whereRef('x.environment', '=', 'i.environment')
            .whereRef('x.phone', '=', 'i.recipient_phone'),
        )
          .$castTo<boolean>()
          .as('recipient_opted_out'),
      )
      .orderBy('i.id', 'desc')
  );
}

/** The intros of a batch that exist, with one statement. */
export async function readIntros(db: Db, intros: readonly ObjectOfTenant[]): Promise<IntroWithMember[]> {
  const owned = sql`organization_id = p.organization_id and environment = p.environment`;
  const { sql: text, parameters } = selectIntros(db, selectKeys(intros), owned).compile();
  return (await db.executeQuery<IntroWithMember>(namedQuery({ name: 'read intros', text }, parameters))).rows;
}

export async function findIntro(db: Db, tenant: Tenant, id: string): Promise<IntroWithMember | null> {
  return (await readIntros(db, [{ tenant, id }]))[0] ?? null;
}

const FIND_NEWER = {
  name: 'find newer intros',
  text: `
select i.n::int - 1 as position
from unnest($1::text[], $2::text[], $3::text[], $4::int[])
  with ordinality as i(organization_id, environment, id, version, n)
cross join lateral (
  select from intros
  where organization_id = i.organization_id and environment = i.environment and id = i.id and version > i.version offset 0
) newer`,
};

export interface IntroVersion {
  readonly tenant: Tenant;
  readonly id: string;
  readonly version: number;
}

/** The positions of the intros that have a higher version. */
export async function findNewer(pool: pg.Pool, known: readonly IntroVersion[]): Promise<number[]> {
  const values = [
    known.map(({ tenant }) => tenant.organizationId),
    known.map(({ tenant }) => tenant.environment),
    known.map(({ id }) => id),
    known.map(({ version }) => version),
  ];
  return (await pool.query<{ position: number }>({ ...FIND_NEWER, values })).rows.map(({ position }) => position);
}

export async function hasIntros({ pool }: Database, tenant: Tenant): Promise<boolean> {
  const any = 'select 1 from intros where organization_id = $1 and environment = $2 limit 1';
  return (await queryForTenant(pool, tenant, any)).rows.length > 0;
}

/** The intros with the ids that `ids` selects, newest first. */
export const findIntros = (db: Db, tenant: Tenant, ids: Condition): Promise<IntroWithMember[]> =>
  selectIntros(db, ids, forTenant(db, tenant).owns()).execute();
