import type pg from 'pg';

type Client = Pick<pg.Pool, 'query'>;

export const isReachable = async (client: Client): Promise<boolean> => (await client.query('select 1')).rowCount === 1;

/** The version of PostgreSQL: as a number such as 180001, and as text. */
export async function readServerVersion(client: Client): Promise<{ number: number; name: string }> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  return rows[0] ?? { number: 0, name: 'unknown' };
}

/** Connections of this and other processes to the server, except the one that asks. */
export async function countOtherConnections(client: Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return rows[0]?.others ?? 0;
}
