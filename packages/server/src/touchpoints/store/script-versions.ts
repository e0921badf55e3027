import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';

/** A change of a touchpoint's script, with its author. The names are null for a change made with an operator command. */
export interface ScriptChangeRow {
  /** Counts the versions of the script; the first change leads to version 2. */
  readonly number: number;
  /** The version of the touchpoint from which on intros have this script. */
  readonly version: number;
  readonly before: string;
  readonly after: string;
  readonly created_at: Date;
  readonly member_id: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** Newest first. */
export async function listScriptChanges(
  db: Db,
  tenant: Tenant,
  touchpointId: string,
  limit: number,
): Promise<ScriptChangeRow[]> {
  const { rows } = await sql<ScriptChangeRow>`
    select c.number, c.version, c.script ->> 'before' as before, c.script ->> 'after' as after, c.created_at, c.member_id,
      m.first_name, m.last_name
    from (
      select c.*, script, (row_number() over (order by id))::int + 1 as number
      from touchpoint_changes c
      cross join lateral jsonb_path_query_first(c.fields, '$[*] ? (@.field == "script")') as script
      where ${forTenant(db, tenant).owns('c')} and c.touchpoint_id = ${touchpointId} and script is not null
    ) c
    left join members m on m.organization_id = c.organization_id and m.id = c.member_id
    order by c.number desc limit ${limit}`.execute(db);
  return rows;
}
