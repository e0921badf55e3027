import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A data folder for one test file's own embedded database. */
export function makeDataDir(): { dataDir: string; remove(): void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-cli-'));
  return {
    dataDir: path.join(folder, 'data'),
    remove: () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
