/** The SQL of intros. */

import { sql } from 'kysely';
import type pg from 'pg';
import { namedQuery } from '../db/named-statement.ts';
import type { Condition } from '../db/scan.ts';
import {
  type Database,
  type Db,
  forTenant,
  type ObjectOfTenant,
  queryForTenant,
  selectKeys,
  type Tenant,
} from '../db/tenancy.ts';
import { API_FIELDS, type IntroWithMember } from './fields.ts';
import { NEWEST_FIRST, rowsOf, selectIntros } from './store/select.ts';

/** The intros of a batch that exist, with one statement. */
export async function readIntros(db: Db, intros: readonly ObjectOfTenant[]): Promise<IntroWithMember[]> {
  const owned = sql`organization_id = p.organization_id and environment = p.environment`;
  const { sql: text, parameters } = selectIntros(API_FIELDS, rowsOf(selectKeys(intros), owned), NEWEST_FIRST).compile(
    db,
  );
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
export async function findIntros(db: Db, tenant: Tenant, ids: Condition): Promise<IntroWithMember[]> {
  const rows = rowsOf(ids, forTenant(db, tenant).owns());
  return (await selectIntros(API_FIELDS, rows, NEWEST_FIRST).execute(db)).rows;
}
