import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const FOLDER = import.meta.dirname;
const MODULES = path.join(FOLDER, 'node_modules');
/** npm writes it at the end of an installation. */
const INSTALLED = path.join(MODULES, '.package-lock.json');
/** A copy of the lock file that `node_modules` was installed from. */
const STAMP = path.join(MODULES, '.installed-from.json');
export const DIST = path.join(FOLDER, 'dist');

function run(command: string, args: string[], environment: NodeJS.ProcessEnv = {}): void {
  // Vite and Vitest set these for the programs they start, and Astro would use them in place of its configuration.
  const { BASE_URL: _base, MODE: _mode, DEV: _dev, PROD: _prod, SSR: _ssr, ...inherited } = process.env;
  const { status, error } = spawnSync(command, args, {
    cwd: FOLDER,
    // Astro reports usage unless told otherwise. In another mode, such as that of tests, the search does not work.
    env: { ...inherited, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', ...environment },
    // stdout belongs to the caller: `npm run build:packages` prints paths there.
    stdio: ['ignore', 2, 2],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed in docs/site`);
}

/** Installs the packages of this folder unless those of the current lock file are installed. */
function install(): void {
  const lock = fs.readFileSync(path.join(FOLDER, 'package-lock.json'));
  if (fs.existsSync(INSTALLED) && fs.existsSync(STAMP) && fs.readFileSync(STAMP).equals(lock)) return;
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  fs.writeFileSync(STAMP, lock);
}

/** Builds the docs site, and returns its folder. `isPagesOnly`: without the files that pages only mention, as in an image. */
export function buildDocs(isPagesOnly = false): string {
  install();
  fs.rmSync(DIST, { recursive: true, force: true });
  run(
    process.execPath,
    [path.join(MODULES, 'astro/bin/astro.mjs'), 'build'],
    isPagesOnly ? { DOCS_PAGES_ONLY: '1' } : {},
  );
  return DIST;
}

if (import.meta.main) {
  const folder = buildDocs(process.argv.includes('--pages-only'));
  process.stdout.write(`${path.relative(process.cwd(), folder)}\n`);
}
