import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const PACKAGE = path.join(import.meta.dirname, '..');
/** The packed package as n8n gets it: unpacked from the tarball, without our sources. */
export const INSTALLED = path.join(PACKAGE, 'node_modules/.foreword/package');

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: PACKAGE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Installs n8n's packages if the lock file changed, then builds, packs and unpacks ours. */
export default function installPackages(): void {
  const lock = fs.readFileSync(path.join(PACKAGE, 'package-lock.json'), 'utf8');
  const marker = path.join(PACKAGE, 'node_modules/.foreword-lock.json');
  if (!fs.existsSync(marker) || fs.readFileSync(marker, 'utf8') !== lock) {
    run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
    fs.writeFileSync(marker, lock);
  }
  run(process.execPath, 'scripts/build.mjs');
  const folder = path.dirname(INSTALLED);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(run('npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder));
  run('tar', '-xzf', path.join(folder, packed.filename), '-C', folder);
}
