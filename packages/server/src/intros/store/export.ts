import type { IntroStatus, Responsibility } from '@foreword/contract';
import { type Database, queryForTenant, type Tenant } from '../../db/tenancy.ts';

/** Read one page at a time, so that a slow download does not hold a connection. */
const PAGE_SIZE = 1_000;

export interface ExportRow {
  readonly id: string;
  readonly status: IntroStatus;
  readonly touchpoint_slug: string | null;
  readonly member_external_id: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly member_email: string;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_phone: string;
  readonly reference_id: string | null;
  readonly responsibility: Responsibility;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly recorded_at: Date | null;
  readonly sent_at: Date | null;
  readonly opened_at: Date | null;
  readonly watched_at: Date | null;
  readonly watched_percent: number;
  readonly cancelled_at: Date | null;
}

const EXPORT = {
  name: 'export intros',
  text: `
select i.id, i.status, i.touchpoint_slug, m.external_id as member_external_id, m.first_name as member_first_name,
  m.last_name as member_last_name, m.email as member_email, i.recipient_first_name, i.recipient_last_name,
  i.recipient_phone, i.reference_id, i.responsibility, i.created_at, i.expires_at, i.recorded_at, i.sent_at,
  i.opened_at, i.watched_at, i.watched_percent, i.cancelled_at
from (
  select * from intros
  where organization_id = $1 and environment = $2 and id >= $3 and id < $4 and id > $5 order by id limit $6
) i
join members m on m.organization_id = i.organization_id and m.id = i.member_id
order by i.id`,
};

/** Pages of intros from one id (included) to another (excluded), oldest first. */
export async function* readExportPages(
  { pool }: Database,
  tenant: Tenant,
  ids: { readonly from: string; readonly until: string },
): AsyncGenerator<readonly ExportRow[]> {
  let last = '';
  for (;;) {
    const { rows } = await queryForTenant<ExportRow>(pool, tenant, EXPORT, [ids.from, ids.until, last, PAGE_SIZE]);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1)?.id ?? ids.until;
  }
}
