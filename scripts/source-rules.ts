import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { TABLES, type Table } from '../packages/server/src/db/tables.ts';

// Rules about the source code that no linter has. Each finding names a file, a line and what to do.

const ROOT = path.join(import.meta.dirname, '..');
const SERVER = 'packages/server/src/';

interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const OWNERS = new Map(Object.entries<Table>(TABLES).map(([table, { owner }]) => [table, owner]));

/** Exceptions: writes that are part of another room's atomic statement. */
const SHARED_WRITES: Record<string, readonly string[]> = {
  'packages/server/src/intros/events/store/acceptance.ts': ['idempotency_keys'],
  'packages/server/src/intros/store/creation.ts': ['idempotency_keys', 'message_queue'],
};

/** Erasing a person and removing old data concern every table. */
const WRITES_EVERY_TABLE = /^packages\/server\/src\/privacy\/(erasure\/store\/|retention\/store\.ts$)/;

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

/** SQL belongs in stores. `db` has the statements that do not name our tables. */
export function findSqlOutsideStores({ path: file, text }: SourceFile): string[] {
  if (!file.startsWith(SERVER) || isStore(file)) return [];
  if (file.startsWith(`${SERVER}db/`)) return [];
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
    const expected = OWNERS.get(table);
    if (expected === undefined || expected === owner || SHARED_WRITES[file]?.includes(table) === true) return [];
    return [`${file}:${lineOf(code, index)}: writes ${table}, which belongs to ${expected}/`];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sources = fs
    .globSync(`${SERVER}**/*.ts`, { cwd: ROOT })
    .map((file) => ({ path: file.replaceAll(path.sep, '/'), text: fs.readFileSync(path.join(ROOT, file), 'utf8') }));
  const findings = sources.flatMap((file) => [...findSqlOutsideStores(file), ...findForeignWrites(file)]);
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  if (findings.length > 0) process.exitCode = 1;
}
