import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWorkFolders } from '../../src/platform/work-folders.ts';

// Works in a folder until a test kills it.
const [, , dataDir = ''] = process.argv;
await openWorkFolders({ dataDir }).use('take', async (folder) => {
  writeFileSync(path.join(folder, 'original'), Buffer.alloc(1_000));
  process.stdout.write('working\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
