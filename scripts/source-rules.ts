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

/** The module that owns a table. No other module writes to it. */
const OWNERS: Record<string, string> = {
  organizations: 'organizations',
  members: 'members',
  touchpoints: 'touchpoints',
  touchpoint_changes: 'touchpoints',
  api_keys: 'access',
  rate_buckets: 'access',
  idempotency_keys: 'idempotency',
  touchpoint_events: 'events',
  intros: 'intros',
  intro_reassignments: 'intros',
  intro_declines: 'intros',
  intro_replies: 'intros',
  intro_answers: 'intros',
  recordings: 'recordings',
  encoding_turns: 'recordings',
  likeness_consents: 'likeness',
  likeness_removals: 'likeness',
  link_domains: 'link-domains',
  links: 'links',
  replaced_links: 'links',
  messages: 'delivery',
  owner_letters: 'delivery',
  weekly_summaries: 'delivery',
  delivery_settings: 'delivery',
  texted_numbers: 'delivery',
  flagged_numbers: 'delivery',
  carrier_holds: 'delivery',
  carrier_notices: 'delivery',
  received_texts: 'delivery',
  text_counts: 'delivery',
  listed_intros: 'delivery',
  consents: 'delivery',
  erased_opt_outs: 'delivery',
  recipient_erasures: 'erasure',
  opt_outs: 'delivery',
  webhook_endpoints: 'webhooks',
  webhook_messages: 'webhooks',
  webhook_deliveries: 'webhooks',
  webhook_attempts: 'webhooks',
  request_log: 'console',
  request_log_gaps: 'console',
  signin_links: 'console',
  console_sessions: 'console',
  passkeys: 'console',
  test_clocks: 'test-clock',
  traces: 'traces',
  audit_entries: 'audit',
  retention_settings: 'retention',
  server_key: 'platform',
  previous_server_keys: 'platform',
};

/** Exceptions: writes that are part of another module's atomic statement. */
const SHARED_WRITES: Record<string, readonly string[]> = {
  'packages/server/src/events/store/acceptance.ts': ['idempotency_keys'],
  'packages/server/src/intros/store/creation.ts': ['idempotency_keys', 'messages'],
  // One table lists what each retention rule removes.
  'packages/server/src/retention/store/parts.ts': [
    'flagged_numbers',
    'idempotency_keys',
    'intro_answers',
    'intro_declines',
    'intro_reassignments',
    'intro_replies',
    'intros',
    'listed_intros',
    'messages',
    'owner_letters',
    'recordings',
    'request_log',
    'request_log_gaps',
    'texted_numbers',
    'touchpoint_events',
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_messages',
    'weekly_summaries',
  ],
};

/** Erasing a person concerns every table: its inventory lists them, and a test compares the list with the schema. */
const WRITES_EVERY_TABLE = 'packages/server/src/erasure/store/';

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
  if (!file.startsWith(SERVER) || file.startsWith(WRITES_EVERY_TABLE)) return [];
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
