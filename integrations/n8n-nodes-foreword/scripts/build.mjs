// Compiles the nodes to dist/ and copies their icons and codex files, as `n8n-node build` does.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

fs.rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [TSC, '-p', ROOT], { stdio: 'inherit' });
for (const folder of ['icons', 'nodes']) {
  for (const file of fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(svg|json)$/.test(file)) continue;
    const target = path.join(ROOT, 'dist', folder, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(path.join(ROOT, folder, file), target);
  }
}
