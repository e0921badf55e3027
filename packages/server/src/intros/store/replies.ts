import { type ClickType, DEFAULT_REPLY_LABELS, type IntroStatus, TEXT_REPLY_LABELS } from '@foreword/contract';
import { sql } from 'kysely';
import { columnsOf, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { MOVES } from '../rules.ts';
import { changesRow } from '../store.ts';

/** The last replies to an intro, newest first. */
export const readLastReplies = (
  db: Db,
  tenant: Tenant,
  introId: string,
  limit: number,
): Promise<Row<'intro_replies'>[]> =>
  forTenant(db, tenant)
    .selectFrom('intro_replies')
    .selectAll()
    .where('intro_id', '=', introId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();

/** By language and type. */
const DEFAULT_LABELS = JSON.stringify({
  en: { ...DEFAULT_REPLY_LABELS.en, message: TEXT_REPLY_LABELS.en },
  es: { ...DEFAULT_REPLY_LABELS.es, message: TEXT_REPLY_LABELS.es },
});

/**
 * With the label of the page at this moment, as a new version of the intro: the organization's own if it has the recipient's
 * language. The caller has locked the intro.
 */
export async function insertReply(
  tx: Tx,
  tenant: Tenant,
  reply: Pick<Row<'intro_replies'>, 'intro_id' | 'number' | 'type' | 'message' | 'by_text' | 'created_at'>,
): Promise<void> {
  const { intro_id, number, type, message, by_text, created_at } = reply;
  const ownLabel = type === 'message' ? sql`null` : sql.ref(`o.reply_${type}`);
  await sql`
    insert into intro_replies (organization_id, environment, intro_id, number, type, label, message, by_text, created_at)
    select o.id, i.environment, i.id, ${number}::smallint, ${type},
      coalesce(
        case when o.language = i.recipient_language then ${ownLabel} end,
        ${DEFAULT_LABELS}::json #>> array[i.recipient_language, ${type}::text]
      ), ${message}, ${by_text}::boolean, ${created_at}::timestamptz
    from intros i join organizations o on o.id = i.organization_id
    where ${forTenant(tx, tenant).owns('i')} and i.id = ${intro_id}`.execute(tx);
  await forTenant(tx, tenant)
    .updateTable('intros')
    .set({ version: sql`version + 1` })
    .where('id', '=', intro_id)
    .execute();
}

/** The last answer of the member to the replies of an intro. */
export const findLastAnswer = (tx: Tx, tenant: Tenant, introId: string): Promise<Row<'intro_answers'> | undefined> =>
  forTenant(tx, tenant)
    .selectFrom('intro_answers')
    .selectAll()
    .where('intro_id', '=', introId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

export async function insertAnswer(
  tx: Tx,
  tenant: Tenant,
  answer: Omit<Row<'intro_answers'>, 'organization_id' | 'environment'>,
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('intro_answers')
    .values({ ...columnsOf(tenant), ...answer })
    .execute();
}

/** Marks the replies to an intro as done, as a new version of it. Returns false if they were already. */
export async function settleReplies(
  tx: Tx,
  tenant: Tenant,
  { introId, by }: { readonly introId: string; readonly by: string },
  now: Date,
): Promise<boolean> {
  const own = forTenant(tx, tenant);
  const { numUpdatedRows } = await own
    .updateTable('intro_replies')
    .set({ settled_at: now, settled_by: by })
    .where('intro_id', '=', introId)
    .where('settled_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await own.updateTable('intros').set({ version: sql`version + 1` }).where('id', '=', introId).execute();
  return true;
}

/** The statuses with a page to watch. A recipient may have the link before the intro is marked as sent. */
const WATCHABLE: readonly IntroStatus[] = [...MOVES.send.from, MOVES.send.to];

/**
 * The first person to open the page proves that the link arrived, if the integration delivers or the service's text failed.
 * While the service has yet to send its text, it may be a member who looks at the page, and the text is still sent.
 */
function byOpening(now: Date) {
  const moves = sql<boolean>`status in (${sql.join(MOVES.send.from)})
    and (responsibility = 'integration' or delivery_error_code is not null)`;
  return {
    status: sql<IntroStatus>`case when ${moves} then ${MOVES.send.to} else status end`,
    sent_at: sql<Date | null>`case when ${moves} then ${now} else sent_at end`,
    expires_at: sql<Date | null>`case when ${moves} then null else expires_at end`,
    delivery_error_code: sql<string | null>`case when ${moves} then null else delivery_error_code end`,
    delivery_error_message: sql<string | null>`case when ${moves} then null else delivery_error_message end`,
    opened_at: sql<Date>`coalesce(opened_at, ${now})`,
    version: sql<number>`version + 1`,
  };
}

const updateWatchable = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant)
    .updateTable('intros')
    .where('id', '=', id)
    .where('status', 'in', WATCHABLE)
    .where('taken_down_at', 'is', null);

/** Locks the row until the transaction ends, so that the caller can publish exactly what a view changes. */
export const lockForViewing = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant)
    .selectFrom('intros')
    .select(['status', 'sent_at', 'opened_at', 'watched_at', 'taken_down_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** Returns false if the recipient has opened the intro before or can no longer open it. */
export const markOpened = (db: Db, tenant: Tenant, id: string, now: Date) =>
  changesRow(updateWatchable(db, tenant, id).set(byOpening(now)).where('opened_at', 'is', null));

/** Returns false if the recipient had already watched this far. Also marks the intro as opened: that request may be lost. */
export const markWatched = (db: Db, tenant: Tenant, id: string, percent: number, now: Date) =>
  changesRow(
    updateWatchable(db, tenant, id)
      .set({
        ...byOpening(now),
        watched_percent: percent,
        watched_times: sql<string>`watched_times || jsonb_build_object(${String(percent)}::text, ${now.toISOString()}::text)`,
        ...(percent === 100 && { watched_at: sql<Date>`coalesce(watched_at, ${now})` }),
      })
      .where('watched_percent', '<', percent),
  );

/** Returns false if the recipient had already tapped this. Also marks the intro as opened. */
export const markClicked = (db: Db, tenant: Tenant, id: string, type: ClickType, now: Date) =>
  changesRow(
    updateWatchable(db, tenant, id)
      .set({
        ...byOpening(now),
        clicked_times: sql`coalesce(clicked_times, '{}') || jsonb_build_object(${type}::text, ${now.toISOString()}::text)`,
      })
      .where(sql<boolean>`not coalesce(clicked_times ? ${type}, false)`),
  );

/** The member opened the recorder. Only the timeline shows this, so it is not a new version of the intro. */
export async function markOpenedByMember(db: Db, tenant: Tenant, id: string, now: Date): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('intros')
    .set({ member_opened_at: now })
    .where('id', '=', id)
    .where('member_opened_at', 'is', null)
    .execute();
}
