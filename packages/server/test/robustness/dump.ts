import type { TestDatabase } from '../harness/index.ts';

const RUN = /(?<![0-9A-Za-z])[0-9A-Za-z]{12,60}(?![0-9A-Za-z])/g;
const BASE64 = /[0-9A-Za-z+/_-]{16,}={0,2}/g;
const HEX = /(?:[0-9A-Fa-f]{2}){12,}/g;
const PERCENT = /%[0-9A-Fa-f]{2}/;
/** Encodings within encodings, such as JSON within base64. */
const MAX_DEPTH = 3;

function decodings(text: string): string[] {
  const percent = PERCENT.test(text)
    ? [text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))]
    : [];
  const base64 = [...text.matchAll(BASE64)].map(([run]) => Buffer.from(run, 'base64').toString('latin1'));
  const hex = [...text.matchAll(HEX)].map(([run]) => Buffer.from(run, 'hex').toString('latin1'));
  return [...percent, ...base64, ...hex];
}

/** Every run of letters and digits that may be a token: in the text, and in what it contains encoded. */
export function tokensIn(text: string, depth = MAX_DEPTH): Set<string> {
  const found = new Set([...text.matchAll(RUN)].map(([run]) => run));
  if (depth === 0) return found;
  for (const decoded of decodings(text)) for (const token of tokensIn(decoded, depth - 1)) found.add(token);
  return found;
}

/** Every row of every table as text, including those of the job queue. */
export async function dumpTables(database: TestDatabase): Promise<Map<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    if (rows.length > 0) dump.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dump;
}
