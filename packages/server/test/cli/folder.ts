import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** For an embedded database of a test file's own. */
export function makeDataDir(): { dataDir: string; remove(): void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-cli-'));
  return {
    dataDir: path.join(folder, 'data'),
    remove: () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
