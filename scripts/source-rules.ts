import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Rules about the source code that no linter has. Each finding names a file, a line and what to do.

const ROOT = path.join(import.meta.dirname, '..');
const SERVER = 'packages/server/src/';

interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The tables of each module. No other module writes to them. */
const TABLES: Readonly<Record<string, string>> = {
  organizations: 'organizations',
  members: 'members',
  touchpoints: 'touchpoints touchpoint_changes',
  access: 'api_keys rate_buckets',
  idempotency: 'idempotency_keys',
  events: 'touchpoint_events waiting_events',
  intros: 'intros intro_reassignments intro_declines intro_replies intro_answers',
  recordings: 'recordings encoding_claims',
  likeness: 'likeness_consents likeness_removals',
  'link-domains': 'link_domains',
  links: 'links replaced_links',
  delivery: `message_queue messages owner_emails weekly_summaries delivery_settings texted_numbers flagged_numbers
    carrier_holds carrier_notices received_texts text_counts listed_intros consents erased_opt_outs
    opt_outs`,
  erasure: 'recipient_erasures',
  webhooks: 'webhook_endpoints webhook_messages webhook_deliveries webhook_attempts',
  console: 'request_log request_log_gaps signin_links console_sessions passkeys',
  'test-clock': 'test_clocks',
  traces: 'traces',
  audit: 'audit_entries',
  retention: 'retention_settings',
  platform: 'server_key previous_server_keys',
};

const OWNERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(TABLES).flatMap(([module, tables]) => tables.split(/\s+/).map((table) => [table, module])),
);

/** Exceptions: writes that are part of another module's atomic statement. */
const SHARED_WRITES: Record<string, readonly string[]> = {
  'packages/server/src/events/store/acceptance.ts': ['idempotency_keys'],
  'packages/server/src/intros/store/creation.ts': ['idempotency_keys', 'message_queue', 'touchpoint_events'],
};

/** Erasing a person and removing old data concern every table: their lists say what, and tests compare them with the schema. */
const WRITES_EVERY_TABLE = /^packages\/server\/src\/(erasure\/store\/|retention\/store\/parts\.ts$)/;

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** The source with comments replaced by spaces, so that line numbers stay the same. */
export const withoutComments = (text: string): string =>
  text.replaceAll(
    /`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (found) => (found.startsWith('//') || found.startsWith('/*') ? blank(found) : found),
  );

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const isStore = (file: string): boolean => /\/store(\.ts$|\/)/.test(file);

const SQL_MARKS: readonly RegExp[] = [
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/g,
  /import \{[^}]*\bsql\b[^}]*\} from 'kysely'/g,
  /\.query\(/g,
  /\b(?:select|insert into|update|delete from)\s[\s\S]{0,400}?\b(?:from|values|set|where)\s+[a-z_($]/g,
];

/** SQL belongs in stores. Platform may contain statements that do not name our tables. */
export function findSqlOutsideStores({ path: file, text }: SourceFile): string[] {
  if (!file.startsWith(SERVER) || file.startsWith(`${SERVER}platform/`) || file === `${SERVER}tenancy.ts`) return [];
  if (isStore(file)) return [];
  const code = withoutComments(text);
  const strings = [...code.matchAll(/`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'/g)];
  const findings: string[] = [];
  for (const [at, mark] of SQL_MARKS.entries()) {
    // The last pattern is SQL text, so it only counts inside a string.
    const places =
      at < SQL_MARKS.length - 1
        ? [...code.matchAll(mark)].map(({ index }) => index)
        : strings.filter(([found]) => found.search(mark) >= 0).map(({ index }) => index);
    for (const index of places)
      findings.push(`${file}:${lineOf(code, index)}: SQL outside a store; move it to store.ts or store/`);
  }
  return [...new Set(findings)];
}

/** Only the owner of a table writes to it. */
export function findForeignWrites({ path: file, text }: SourceFile): string[] {
  if (!file.startsWith(SERVER) || WRITES_EVERY_TABLE.test(file)) return [];
  const owner = file.slice(SERVER.length).split('/')[0] ?? '';
  const code = withoutComments(text);
  const writes =
    /\b(?:insert into|delete from|update(?=\s+[a-z_]+(?:\s+(?:as\s+)?[a-z]+)?\s+set\b))\s+([a-z_]+)|\.(?:insertInto|updateTable|deleteFrom)\('([a-z_]+)/g;
  return [...code.matchAll(writes)].flatMap(({ 1: plain, 2: built, index }) => {
    const table = plain ?? built ?? '';
    const expected = OWNERS[table];
    if (expected === undefined || expected === owner || SHARED_WRITES[file]?.includes(table) === true) return [];
    return [`${file}:${lineOf(code, index)}: writes ${table}, which belongs to ${expected}/`];
  });
}

/** Without an owner, any module could write to the table. `migrations` is written before any module runs. */
export const findTablesWithoutOwner = (schema: string): string[] =>
  [...schema.matchAll(/^create (?:unlogged )?table (?:public\.)?([a-z_]+)/gim)].flatMap(({ 1: table = '' }) =>
    table === 'migrations' || OWNERS[table] !== undefined
      ? []
      : [`scripts/source-rules.ts: the table ${table} has no owner; add the module that writes it`],
  );

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sources = fs
    .globSync(`${SERVER}**/*.ts`, { cwd: ROOT })
    .map((file) => ({ path: file.replaceAll(path.sep, '/'), text: fs.readFileSync(path.join(ROOT, file), 'utf8') }));
  const findings = [
    ...sources.flatMap((file) => [...findSqlOutsideStores(file), ...findForeignWrites(file)]),
    ...findTablesWithoutOwner(fs.readFileSync(path.join(ROOT, 'packages/server/schema.sql'), 'utf8')),
  ];
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  if (findings.length > 0) process.exitCode = 1;
}
