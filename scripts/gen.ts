import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildOpenApi, ERRORS } from '@foreword/contract';
import pg from 'pg';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { migrate } from '../packages/server/src/platform/migrate.ts';
import { version } from '../packages/server/src/version.ts';
import { dumpSchema } from './schema.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The address of `npm start` without any configuration. */
const SERVER_URL = 'http://127.0.0.1:3000';

async function readSchema(): Promise<string> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-gen-'));
  try {
    // Deleted right after, so nothing has to reach the disk.
    const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
    try {
      await migrate(postgres.connection);
      const client = new pg.Client(postgres.connection);
      await client.connect();
      try {
        return await dumpSchema(client);
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

const ERRORS_GUIDE = 'docs/guides/errors-and-retries.md';
const TABLE_START = '<!-- Generated from the contract by `npm run gen`. -->\n';
const TABLE_END = '<!-- End of the generated part. -->\n';

/** The guide with its table of error codes replaced. */
function writeErrorTable(guide: string): string {
  const [before, rest] = guide.split(TABLE_START);
  const after = rest?.split(TABLE_END)[1];
  if (before === undefined || after === undefined) throw new Error(`${ERRORS_GUIDE} has no place for the error table`);
  const rows = Object.entries(ERRORS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, description, action }]) => `| ${status} | \`${code}\` | ${description} | ${action} |\n`);
  const table = `| Status | Code | Meaning | What to do |\n|---|---|---|---|\n${rows.join('')}`;
  return `${before}${TABLE_START}\n${table}\n${TABLE_END}${after}`;
}

const GENERATED: Record<string, () => Promise<string>> = {
  'openapi.json': async () => `${JSON.stringify(buildOpenApi(SERVER_URL, version()), null, 2)}\n`,
  'packages/server/schema.sql': readSchema,
  [ERRORS_GUIDE]: async () => writeErrorTable(readCommitted(ERRORS_GUIDE) ?? ''),
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
  await writeGenerated(process.argv.includes('--check'));
}
