import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './pages.ts';

const OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
  // The SDK is TypeScript source here.
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

/** Compiles files strictly; returns what the compiler found. */
export async function findTypeErrors(folder: string, files: readonly string[]): Promise<string> {
  const project = path.join(folder, 'tsconfig.json');
  fs.writeFileSync(project, JSON.stringify({ compilerOptions: OPTIONS, files }));
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(compiler, ['-p', project]).catch((error) => error as { stdout: string });
  return stdout;
}
