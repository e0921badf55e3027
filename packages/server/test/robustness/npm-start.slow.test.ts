import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');

test('SIGTERM to `npm start` reaches the service, which exits with 0 and leaves nothing running', async () => {
  const dataDir = temporaryFolder();
  // A fixed port outside the range that the system assigns to the harness.
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '28917' };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = new Promise<number | null>((resolve) => npm.once('exit', resolve));
  await new Promise<void>((resolve) => {
    let written = '';
    npm.stdout.on('data', (chunk) => {
      written += chunk;
      if (written.includes('Foreword is running at')) resolve();
    });
  });
  expect((await fetch('http://127.0.0.1:28917/readyz')).status).toBe(200);
  npm.kill('SIGTERM');
  expect(await exited).toBe(0);
  await expect(fetch('http://127.0.0.1:28917/healthz')).rejects.toThrow();
  expect(fs.existsSync(path.join(dataDir, 'pg18/postmaster.pid'))).toBe(false);
});
