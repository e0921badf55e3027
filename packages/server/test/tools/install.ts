import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PROGRAMS } from './workspace.ts';

const RUNTIMES = path.join(import.meta.dirname, '../../../sdk/test/runtimes/programs');

/** Installs programs that only these tests need when their lock file changed: 376 MB of tools, and the runtimes of the SDK. */
export default function installPrograms(): void {
  for (const folder of [PROGRAMS, RUNTIMES]) {
    const lock = fs.readFileSync(`${folder}/package-lock.json`, 'utf8');
    const installed = `${folder}/node_modules/.foreword-lock.json`;
    if (fs.existsSync(installed) && fs.readFileSync(installed, 'utf8') === lock) continue;
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    fs.writeFileSync(installed, lock);
  }
}
