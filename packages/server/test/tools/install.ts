import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { PROGRAMS } from './workspace.ts';

/** Installs the programs of programs/package.json when they changed: 376 MB that only these tests need. */
export default function installPrograms(): void {
  const lock = fs.readFileSync(`${PROGRAMS}/package-lock.json`, 'utf8');
  const installed = `${PROGRAMS}/node_modules/.foreword-lock.json`;
  if (fs.existsSync(installed) && fs.readFileSync(installed, 'utf8') === lock) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: PROGRAMS, stdio: ['ignore', 'ignore', 'inherit'] });
  fs.writeFileSync(installed, lock);
}
