import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildOpenApi } from '@foreword/contract';
import pg from 'pg';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { migrate } from '../packages/server/src/platform/migrate.ts';
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

const GENERATED: Record<string, () => Promise<string>> = {
  'openapi.json': async () => `${JSON.stringify(buildOpenApi(SERVER_URL), null, 2)}\n`,
  'packages/server/schema.sql': readSchema,
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
