import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { print } from './figures.ts';

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Resolves a program of bench/package.json. These are 160 MB that only the benchmark needs, so it installs them on first use. */
export function resolveTool(name: 'autocannon' | 'lighthouse'): string {
  if (!existsSync(join(import.meta.dirname, 'node_modules', name))) {
    print('Installing the programs of bench/package.json into bench/node_modules');
    const { status } = spawnSync('npm', INSTALL, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`could not install them: run npm ${INSTALL.join(' ')} in bench/`);
  }
  return createRequire(join(import.meta.dirname, 'package.json')).resolve(name);
}
