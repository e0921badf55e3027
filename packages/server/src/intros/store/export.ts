import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { CSV_COLUMNS, type IntroFields } from '../fields.ts';
import { selectIntros } from './select.ts';

/** Read one page at a time, so that a slow download does not hold a connection. */
const PAGE_SIZE = 1_000;

const NAMES = CSV_COLUMNS.map(([, name]) => name);

/** Pages of intros from one id (included) to another (excluded), oldest first. */
export async function* readExportPages(
  db: Db,
  tenant: Tenant,
  ids: { readonly from: string; readonly until: string },
): AsyncGenerator<readonly IntroFields[]> {
  const owned = forTenant(db, tenant).owns();
  let last = '';
  for (;;) {
    const page = sql`select * from intros
      where ${owned} and id >= ${ids.from} and id < ${ids.until} and id > ${last} order by id limit ${sql.lit(PAGE_SIZE)}`;
    const { rows } = await selectIntros(NAMES, page, sql`i.id`).execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1)?.id ?? ids.until;
  }
}
