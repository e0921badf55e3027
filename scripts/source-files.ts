import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const SKIPPED = new Set(['node_modules', '.git', 'data', 'dist', '.astro', 'build', 'pictures', 'coverage']);
const READ = /\.(ts|tsx|mjs|js|css|md|sh|yaml|lua)$|^\.ci\/run$|^Dockerfile$/;

/** Every file of the repository, as paths. */
export function listFiles(folder = ''): string[] {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listFiles(file);
    return [file];
  });
}

/** The handwritten text files among them. */
export const readSources = (files: readonly string[]): SourceFile[] =>
  files
    .filter((file) => READ.test(file))
    .map((file) => ({ path: file, text: fs.readFileSync(path.join(ROOT, file), 'utf8') }));
