import { DAY_MS, HOUR_MS, type Language } from '@foreword/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { acrossTenants, columnsOf, type Db, forTenant, type Tenant, type Tx } from '../../db/tenancy.ts';
import type { ReceivedText } from '../carriers/carrier.ts';

/** A text message sent to one of our numbers. */
export interface Reply extends ReceivedText {
  /** Null: it was sent to the number that organizations share. */
  readonly organizationId: string | null;
  readonly requestId?: string;
}

type Incoming = Pick<Reply, 'from' | 'organizationId'>;

/** Texts, as `t`, to the sender from the number that received the text. */
const textsTo = ({ from, organizationId }: Incoming): RawBuilder<SqlBool> => sql`
  t.address = ${from} and t.channel = 'text' and t.accepted_at is not null and ${
    organizationId === null ? sql`not t.by_own_account` : sql`t.organization_id = ${organizationId}`
  }`;

/** Texts of one number are applied one after the other, on every node. */
export async function lockSender(tx: Tx, phone: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`texts from ${phone}`}, 0))`.execute(tx);
}

/** An active member whose number was texted. */
export interface TextedMember extends Tenant {
  readonly memberId: string;
  readonly organization: string;
  readonly language: Language;
  readonly timezone: string;
  readonly forwardsReplies: boolean;
  readonly textedAt: Date;
}

/** The member texted last comes first. Several organizations may have the same person as a member. */
export async function findTextedMembers(tx: Tx, incoming: Incoming): Promise<readonly TextedMember[]> {
  const { rows } = await sql<TextedMember>`
    select m.organization_id as "organizationId", m.environment, m.id as "memberId", o.name as organization, coalesce(m.language, o.language) as language, o.timezone,
      coalesce(s.forwards_replies, false) as "forwardsReplies", max(t.accepted_at) as "textedAt"
    from messages t
    join members m on m.organization_id = t.organization_id and m.environment = t.environment and m.phone = t.address and m.active
    join organizations o on o.id = m.organization_id
    left join delivery_settings s on s.organization_id = m.organization_id and s.environment = m.environment
    where ${textsTo(incoming)} and t.audience = 'member'
    group by m.organization_id, m.environment, m.id, o.id, s.forwards_replies
    order by "textedAt" desc, m.id`.execute(acrossTenants(tx));
  return rows;
}

/** An intro that a member was texted about. */
export interface NamedIntro {
  readonly introId: string;
  readonly recipient: string;
  /** When the reply was forwarded, or the request sent. */
  readonly textedAt: Date;
}

const RECIPIENT = sql`concat_ws(' ', i.recipient_first_name, i.recipient_last_name)`;

/** More than fit into a text, so that the text says that there are more. */
const MAX_READ = 50;

/** Intros that the member was texted about, and should record, oldest first. */
export async function listVideosToRecord(
  tx: Tx,
  incoming: Incoming,
  member: TextedMember,
  now: Date,
): Promise<readonly NamedIntro[]> {
  const { rows } = await sql<NamedIntro>`
    select i.id as "introId", ${RECIPIENT} as recipient, text.at as "textedAt"
    from intros i
    cross join lateral (
      select max(t.accepted_at) as at from messages t
      where t.organization_id = i.organization_id and t.intro_id = i.id and t.audience = 'member' and ${textsTo(incoming)}
    ) text
    where ${forTenant(tx, member).owns('i')} and i.member_id = ${member.memberId} and i.status = 'requested'
      and i.declined_generation is distinct from i.link_generation and (i.expires_at is null or i.expires_at > ${now})
      and text.at is not null
    order by i.id limit ${MAX_READ}`.execute(tx);
  return rows;
}

/** Intros of which a reply was forwarded to the member since then, the last one first. */
export async function listForwardedReplies(
  tx: Tx,
  incoming: Incoming,
  member: TextedMember,
  since: Date,
): Promise<readonly NamedIntro[]> {
  const { rows } = await sql<NamedIntro>`
    select i.id as "introId", ${RECIPIENT} as recipient, max(t.accepted_at) as "textedAt"
    from messages t join intros i on i.organization_id = t.organization_id and i.id = t.intro_id
    where ${forTenant(tx, member).owns('t')} and ${textsTo(incoming)} and t.accepted_at > ${since}
      and t.audience = 'member' and t.purpose = 'reply'
      and i.member_id = ${member.memberId} and i.responsibility = 'service' and i.erased_at is null
    group by i.organization_id, i.id
    order by "textedAt" desc, i.id limit ${MAX_READ}`.execute(tx);
  return rows;
}

/** The intro whose link an organization texted to a recipient last. */
export interface TextedIntro extends Tenant {
  readonly introId: string;
  readonly textedAt: Date;
  /** The recipient's. */
  readonly language: Language;
  /** The organization's. */
  readonly teamLanguage: Language;
}

/** One intro for each organization. Pages that show no video are left out. */
export async function findTextedIntros(tx: Tx, incoming: Incoming): Promise<readonly TextedIntro[]> {
  const { rows } = await sql<TextedIntro>`
    select distinct on (i.organization_id) i.organization_id as "organizationId", i.environment, i.id as "introId",
      t.accepted_at as "textedAt", i.recipient_language as language, o.language as "teamLanguage"
    from messages t
    join intros i on i.organization_id = t.organization_id and i.environment = t.environment and i.id = t.intro_id
    join organizations o on o.id = i.organization_id
    where ${textsTo(incoming)} and t.audience = 'recipient' and i.recipient_phone = ${incoming.from}
      and i.status = 'sent' and i.taken_down_at is null and i.erased_at is null
    order by i.organization_id, t.accepted_at desc, t.id desc`.execute(acrossTenants(tx));
  return rows;
}

/** Replaces the list of these members. The first intro has the number 1. */
export async function replaceList(
  tx: Tx,
  members: readonly TextedMember[],
  listed: readonly { readonly member: TextedMember; readonly introId: string }[],
  now: Date,
): Promise<void> {
  for (const member of members) {
    await forTenant(tx, member).deleteFrom('listed_intros').where('member_id', '=', member.memberId).execute();
  }
  const rows = listed.map(({ member, introId }, index) => ({
    ...columnsOf(member),
    ...{ member_id: member.memberId, number: index + 1, intro_id: introId, listed_at: now },
  }));
  if (rows.length > 0) await acrossTenants(tx).insertInto('listed_intros').values(rows).execute();
}

/** The ids of the intros that have this number in a list that one of these members got since then. */
export async function findListed(
  tx: Tx,
  members: readonly TextedMember[],
  number: number,
  since: Date,
): Promise<readonly string[]> {
  const found = await Promise.all(
    members.map((member) =>
      forTenant(tx, member)
        .selectFrom('listed_intros')
        .select('intro_id')
        .where('member_id', '=', member.memberId)
        .where('number', '=', number)
        .where('listed_at', '>', since)
        .execute(),
    ),
  );
  return found.flat().map(({ intro_id }) => intro_id);
}

/** Much longer than a carrier keeps repeating a report. */
const REMEMBERED_MS = 7 * DAY_MS;

/** False if the text was received before. Waits for a transaction that is receiving it. */
export async function insertReceivedText(
  tx: Tx,
  text: NonNullable<ReceivedText['reported']>,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('received_texts')
    .values({ ...text, received_at: now })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export const RECEIVED_TEXTS_INTERVAL_MS = HOUR_MS;

export async function deleteOldReceivedTexts(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('received_texts')
    .where('received_at', '<', new Date(now.getTime() - REMEMBERED_MS))
    .execute();
}
