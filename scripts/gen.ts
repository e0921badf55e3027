import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ERROR_GUIDE, RETENTION_POLICIES } from '@foreword/contract';
import pg from 'pg';
import { startEmbeddedPostgres } from '../packages/server/src/db/embedded-postgres/index.ts';
import { migrate } from '../packages/server/src/db/migrate.ts';
import { TABLES } from '../packages/server/src/db/tables.ts';
import { CARRIER_CODES } from '../packages/server/src/delivery/carriers/codes.ts';
import { holidaysOf, STATE_LAWS } from '../packages/server/src/delivery/queue/hours.ts';
import type { Hours } from '../packages/server/src/platform/instants.ts';
import { version } from '../packages/server/src/platform/process.ts';
import { completeLock, LOCK_FILES } from './lock-file.ts';
import { MissingPurpose, writeMap } from './map.ts';
import { writeDashboard, writeRules } from './observability.ts';
import { buildOpenApi } from './openapi/document.ts';
import { writeRows } from './rows.ts';
import { dumpSchema } from './schema.ts';
import { writePhonePlans } from './sdk/phone-plans.ts';
import { type Document, writeSdkOperations, writeSdkTypes } from './sdk/types.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The address of `npm start` without any configuration. */
const SERVER_URL = 'http://127.0.0.1:3000';

interface FromDatabase {
  schema: string;
  rows: string;
}

async function readDatabase(): Promise<FromDatabase> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-gen-'));
  try {
    // Deleted right after, so nothing has to reach the disk.
    const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
    try {
      await migrate(postgres.connection);
      const client = new pg.Client(postgres.connection);
      await client.connect();
      try {
        return { schema: await dumpSchema(client), rows: await writeRows(client) };
      } finally {
        await client.end();
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

let read: Promise<FromDatabase> | undefined;
const fromDatabase = (): Promise<FromDatabase> => {
  read ??= readDatabase();
  return read;
};

const TABLE_END = '<!-- End of the generated part. -->\n';

/** The page with the table after `start` replaced. */
function replaceTable(file: string, start: string, table: string, page = readCommitted(file) ?? ''): string {
  const at = page.indexOf(start);
  const end = page.indexOf(TABLE_END, at);
  if (at === -1 || end === -1) throw new Error(`${file} has no place for its table`);
  return `${page.slice(0, at)}${start}\n${table}\n${page.slice(end)}`;
}

const ERRORS_GUIDE = 'docs/guides/errors-and-retries.md';
const CONTRACT_START = '<!-- Generated from the contract by `npm run gen`. -->\n';

function writeErrorTable(): string {
  const rows = (ERROR_GUIDE[0]?.entries ?? []).map(
    ({ code, status, description, action }) => `| ${status} | \`${code}\` | ${description} | ${action} |\n`,
  );
  const table = `| Status | Code | Meaning | What to do |\n|---|---|---|---|\n${rows.join('')}`;
  return replaceTable(ERRORS_GUIDE, CONTRACT_START, table);
}

const CODES_PAGE = 'docs/self-hosting/carrier-codes.md';

function writeCodeTables(): string {
  const tables = CARRIER_CODES.map(({ carrier, source, codes }) => {
    const rows = [...codes]
      .sort((one, other) => one.code.localeCompare(other.code, 'en', { numeric: true }))
      .map((entry) => {
        const failure = 'failure' in entry ? `\`${entry.failure}\`` : '';
        return `| ${entry.code} | ${entry.meaning} | ${entry.action.replace('_', ' ')} | ${failure} |\n`;
      });
    const head = `## ${carrier}\n\nThe carrier's own list: <${source}>\n\n| Code | Meaning | Action | |\n|---|---|---|---|\n`;
    return `${head}${rows.join('')}`;
  });
  const start = '<!-- Generated from the tables in packages/server/src/delivery/carriers by `npm run gen`. -->\n';
  return replaceTable(CODES_PAGE, start, tables.join('\n'));
}

const HOURS_PAGE = 'docs/self-hosting/registration.md';

function writeHoursTable(): string {
  const time = (minutes: number) => `${minutes / 60}:00`;
  const show = (hours: Hours | null) => (hours === null ? 'no texts' : `${time(hours.from)} to ${time(hours.until)}`);
  const rows = STATE_LAWS.map(
    ({ name, weekdays, saturday, sunday, law, isConservative }) =>
      `| ${name}${isConservative ? ' *' : ''} | ${show(weekdays)} | ${show(saturday)} | ${show(sunday)} | ${holidaysOf(name) ?? ''} | ${law} |\n`,
  );
  const start = '<!-- Generated from packages/server/src/delivery/queue/hours.ts by `npm run gen`. -->\n';
  const head = '| State | Monday to Friday | Saturday | Sunday | No texts on | Law |\n|---|---|---|---|---|---|\n';
  return replaceTable(HOURS_PAGE, start, head + rows.join(''));
}

const RETENTION_PAGE = 'docs/self-hosting/retention.md';
const TABLES_START = '<!-- Generated from the tables by `npm run gen`. -->\n';

function writeRetentionTables(): string {
  const rules = Object.entries(RETENTION_POLICIES).map(
    ([id, policy]) =>
      `| **${policy.name}** (\`${id}\`) | ${policy.default} | ${policy.min} to ${policy.max} | ${policy.since} | ${policy.removes} | ${policy.reason} |\n`,
  );
  const ruleTable = `| Rule | Days | Possible | Since | What it removes | Why this default |\n|---|---|---|---|---|---|\n${rules.join('')}`;
  const kept = Object.entries(TABLES).flatMap(([name, { retention }]) =>
    typeof retention === 'string' ? [] : [{ name: `\`${name}\``, kept: retention.kept }],
  );
  const rows = [...Map.groupBy(kept, (table) => table.kept)].map(
    ([period, tables]) => `| ${tables.map(({ name }) => name).join(', ')} | ${period} |\n`,
  );
  const keptTable = `| Tables | Kept |\n|---|---|\n${rows.join('')}`;
  const withRules = replaceTable(RETENTION_PAGE, CONTRACT_START, ruleTable);
  return replaceTable(RETENTION_PAGE, TABLES_START, keptTable, withRules);
}

// As JSON: without undefined values.
const openApi = (): Document => JSON.parse(JSON.stringify(buildOpenApi(SERVER_URL, version())));

/** Short objects on one line, as Biome formats them: what a reviewer reads, and half the lines. */
const formatJson = (file: string, value: object): string =>
  execFileSync(path.join(ROOT, 'node_modules/.bin/biome'), ['format', `--stdin-file-path=${file}`], {
    cwd: ROOT,
    input: JSON.stringify(value),
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });

const GENERATED: Record<string, () => Promise<string>> = {
  'docs/map.md': async () => writeMap(ROOT),
  'openapi.json': async () => formatJson('openapi.json', openApi()),
  'packages/server/schema.sql': async () => (await fromDatabase()).schema,
  'packages/server/src/db/rows.ts': async () => (await fromDatabase()).rows,
  'packages/sdk/src/generated/types.ts': async () => writeSdkTypes(openApi()),
  'packages/sdk/src/generated/operations.ts': async () => writeSdkOperations(openApi()),
  'packages/sdk/src/generated/phone-plans.ts': async () => writePhonePlans(),
  'deploy/observability/rules.yml': async () => writeRules(),
  'deploy/observability/dashboard.json': async () => writeDashboard(),
  [ERRORS_GUIDE]: async () => writeErrorTable(),
  [CODES_PAGE]: async () => writeCodeTables(),
  [HOURS_PAGE]: async () => writeHoursTable(),
  [RETENTION_PAGE]: async () => writeRetentionTables(),
  ...Object.fromEntries(LOCK_FILES.map((file) => [file, async () => completeLock(readCommitted(file) ?? '')])),
};

function readCommitted(file: string): string | null {
  try {
    return fs.readFileSync(path.join(ROOT, file), 'utf8');
  } catch {
    return null;
  }
}

async function writeGenerated(onlyCheck: boolean): Promise<void> {
  for (const [file, generate] of Object.entries(GENERATED)) {
    const content = await generate();
    if (content === readCommitted(file)) continue;
    if (onlyCheck) {
      process.stderr.write(`${file} is stale. Run: npm run gen\n`);
      process.exitCode = 1;
    } else {
      fs.writeFileSync(path.join(ROOT, file), content);
      process.stdout.write(`wrote ${file}\n`);
    }
  }
}

if (process.argv.includes('pictures')) {
  await import('./pictures.ts');
} else {
  try {
    await writeGenerated(process.argv.includes('--check'));
  } catch (error) {
    if (!(error instanceof MissingPurpose)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
