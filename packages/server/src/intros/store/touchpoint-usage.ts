import { sql } from 'kysely';
import { hiddenLimit } from '../../db/scan.ts';
import { acrossTenants, type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { MOVES } from '../rules.ts';

/** Scans only this many of the newest intros per status, so that the cost does not grow with the organization. */
const MAX_ROWS = 5_000;

export interface OpenByTouchpoint {
  readonly counts: ReadonlyMap<string, number>;
  /** True if not every intro was scanned, so that the counts are lower bounds. */
  readonly more: boolean;
}

/** Counts open intros by the slug of their touchpoint. */
export async function countOpenByTouchpoint(db: Db, tenant: Tenant): Promise<OpenByTouchpoint> {
  const scans = MOVES.expire.from.map(
    (status) => sql`
      (select touchpoint_slug, status from intros
      where ${forTenant(db, tenant).owns()} and status = ${status}
      order by id desc ${hiddenLimit(MAX_ROWS)})`,
  );
  const { rows } = await sql<{ slug: string | null; status: string; count: number }>`
    select touchpoint_slug as slug, status, count(*)::int as count from (${sql.join(scans, sql` union all `)}) open
    group by touchpoint_slug, status`.execute(db);
  const counts = new Map<string, number>();
  const scanned = new Map<string, number>();
  for (const { slug, status, count } of rows) {
    scanned.set(status, (scanned.get(status) ?? 0) + count);
    if (slug !== null) counts.set(slug, (counts.get(slug) ?? 0) + count);
  }
  return { counts, more: [...scanned.values()].some((count) => count >= MAX_ROWS) };
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

/** The people and context of the newest intros, for previewing a draft with realistic values. */
export function listNewestPeople(db: Db, tenant: Tenant, limit: number): Promise<IntroPeople[]> {
  const newest = forTenant(db, tenant).selectFrom('intros').selectAll().orderBy('id', 'desc').limit(sql.lit(limit));
  return acrossTenants(db)
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

/** The recipient name that takes longest to say, among the newest intros; null if there are none. */
export async function findLongestRecipient(db: Db, tenant: Tenant, maxRows: number): Promise<RecipientName | null> {
  const newest = forTenant(db, tenant)
    .selectFrom('intros')
    .select(['recipient_first_name', 'recipient_last_name'])
    .orderBy('id', 'desc')
    // A parameter, like `hiddenLimit`.
    .limit(maxRows);
  // Reading time is estimated from the number of words; characters only break ties.
  const words = sql`array_length(regexp_split_to_array(btrim(concat_ws(' ', recipient_first_name, recipient_last_name)), '\\s+'), 1)`;
  const row = await acrossTenants(db)
    .selectFrom(newest.as('i'))
    .selectAll()
    .orderBy(words, 'desc')
    .orderBy(sql`length(concat_ws(' ', recipient_first_name, recipient_last_name))`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
