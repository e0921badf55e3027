import { eventually } from '../acceptance/support/actions.ts';
import type { TestDatabase } from '../harness/index.ts';

type Query = TestDatabase['query'];

/** Every row of every table as text. */
async function dumpDatabase(query: Query): Promise<{ readonly table: string; readonly row: string }[]> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const rows: { table: string; row: string }[] = [];
  for (const { name: table } of tables) {
    for (const { row } of await query<{ row: string }>(`select t::text as row from ${table} t`))
      rows.push({ table, row });
  }
  return rows;
}

/** A number as people and programs write it. */
export function notationsOf(phone: string): string[] {
  const [, area, office, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return [
    phone,
    phone.slice(1),
    `${area}${office}${line}`,
    `(${area}) ${office}-${line}`,
    `${area}-${office}-${line}`,
    `${area}.${office}.${line}`,
    `${area} ${office} ${line}`,
    encodeURIComponent(phone),
  ];
}

/** Where the dump contains one of these texts, whatever their case. */
export async function findTraces(query: Query, texts: readonly string[]) {
  const wanted = texts.map((text) => text.toLowerCase());
  return (await dumpDatabase(query)).flatMap(({ table, row }) => {
    const text = row.toLowerCase();
    return wanted.filter((one) => text.includes(one)).map((trace) => ({ table, trace, row }));
  });
}

/** Waits for the first pass, and makes the second one due: without a service under load, nothing is in flight. */
export const completeErasure = (query: Query, id: string) =>
  eventually(
    async () => {
      const makeDue = 'update recipient_erasures set due_at = clock_timestamp() where id = $1 and pass = 2';
      await query(`${makeDue} and due_at is not null`, [id]);
      return query<{ status: string }>('select status from recipient_erasures where id = $1', [id]);
    },
    ([row]) => row?.status === 'completed',
    60_000,
  );
