import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { MOVES } from './rules.ts';

/** Of each status so many of the newest are looked at: a touchpoint's own are told from these, however many there are. */
const LOOKED_AT = 5_000;

export interface OpenByTouchpoint {
  readonly counts: ReadonlyMap<string, number>;
  /** There are more than were looked at, so that each count is a least one. */
  readonly more: boolean;
}

/** Open intros by the slug of their touchpoint. */
export async function countOpenByTouchpoint(db: Queryable<Tables>, tenant: Tenant): Promise<OpenByTouchpoint> {
  const looks = MOVES.expire.from.map(
    (status) => sql`
      (select touchpoint_slug, status from intros
      where organization_id = ${tenant.organizationId} and environment = ${tenant.environment} and status = ${status}
      order by id desc limit ${sql.lit(LOOKED_AT)})`,
  );
  const { rows } = await sql<{ slug: string | null; status: string; count: number }>`
    select touchpoint_slug as slug, status, count(*)::int as count from (${sql.join(looks, sql` union all `)}) open
    group by touchpoint_slug, status`.execute(db);
  const counts = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const { slug, status, count } of rows) {
    seen.set(status, (seen.get(status) ?? 0) + count);
    if (slug !== null) counts.set(slug, (counts.get(slug) ?? 0) + count);
  }
  return { counts, more: [...seen.values()].some((count) => count >= LOOKED_AT) };
}

export interface IntroPeople {
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly context: {
    readonly appointment?: { readonly starts_at: string; readonly timezone: string } | null;
    readonly trade?: string | null;
    readonly lane?: string | null;
  } | null;
}

/** Whom the newest intros are for and who records them, for seeing a draft with real people. */
export function listNewestPeople(db: Queryable<Tables>, tenant: Tenant, limit: number): Promise<IntroPeople[]> {
  const newest = db
    .selectFrom('intros')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc')
    .limit(sql.lit(limit));
  return db
    .selectFrom(newest.as('i'))
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .select(['i.recipient_first_name', 'i.recipient_last_name', 'i.context'])
    .select(['m.first_name as member_first_name', 'm.last_name as member_last_name'])
    .orderBy('i.id', 'desc')
    .$narrowType<{ context: IntroPeople['context'] }>()
    .execute();
}

export type RecipientName = Pick<IntroPeople, 'recipient_first_name' | 'recipient_last_name'>;

/** The one of the newest intros whose name takes longest to say; null while there is none. */
export async function findLongestRecipient(
  db: Queryable<Tables>,
  tenant: Tenant,
  lookedAt: number,
): Promise<RecipientName | null> {
  const newest = db
    .selectFrom('intros')
    .select(['recipient_first_name', 'recipient_last_name'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc')
    .limit(sql.lit(lookedAt));
  // The length in words is what the reckoning goes by; letters decide between names of as many words.
  const words = sql`array_length(regexp_split_to_array(btrim(concat_ws(' ', recipient_first_name, recipient_last_name)), '\\s+'), 1)`;
  const row = await db
    .selectFrom(newest.as('i'))
    .selectAll()
    .orderBy(words, 'desc')
    .orderBy(sql`length(concat_ws(' ', recipient_first_name, recipient_last_name))`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
