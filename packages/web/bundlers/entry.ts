/** Folder: the bundlers: Vite, or esbuild where Vite is not installed. */

import path from 'node:path';

export interface Entry {
  name: string;
  /** The package that provides the JSX runtime. */
  jsx: string;
  main: string;
  /** The recorder is one file. The console loads each page when it is opened. */
  split: boolean;
  /** Chooses the texts, through `imports` in package.json. Undefined: the entry is the same in every language. */
  language?: string;
  /** The module of each page whose files load together with the script, by the page's path. */
  pages: Readonly<Record<string, string>>;
}

/** The built files of one entry, as names within the folder. */
export interface BuiltEntry {
  script: string;
  style: string;
  /** All static imports of the script, so that the page can load them in parallel. */
  preload: string[];
  /** The files of the pages that load together with the script, by the page's path. */
  pages: Record<string, string[]>;
  /** The typeface of all texts in English, so that the page can load it before the style sheet asks for it. */
  font: string;
}

/** A file of a build, as both bundlers describe it. */
interface BuiltFile {
  name: string;
  isEntry: boolean;
  /** The module that a dynamic import loads, relative to `ROOT`. */
  page: string | null;
  /** Names of the statically imported files. */
  imports: string[];
  /** Names of the files that it was made from. */
  sources: string[];
}

export const ROOT = path.join(import.meta.dirname, '..');
export const TARGETS = ['es2022', 'safari15.4', 'chrome100', 'firefox100'];
const CONDITIONS = ['module', 'browser', 'production'];
/** Set explicitly, because a bundler would use NODE_ENV, which tests and developers may set differently. */
export const DEFINE = { 'process.env.NODE_ENV': '"production"' };

const FONT = 'figtree.woff2';

/** All static imports of a file, direct and indirect, without dynamic imports. */
function listImports(files: BuiltFile[], from: BuiltFile): string[] {
  const found = new Set<string>();
  const visit = ({ imports }: BuiltFile): void => {
    for (const name of imports) {
      const file = files.find((other) => other.name === name);
      if (file === undefined || found.has(name)) continue;
      found.add(name);
      visit(file);
    }
  };
  visit(from);
  return [...found].sort();
}

export const conditionsOf = ({ language }: Entry): string[] =>
  language === undefined ? CONDITIONS : [...CONDITIONS, language];

/** A page's script and its imports, without the files that every page has. */
function listPageFiles(files: BuiltFile[], module: string, always: readonly string[]): string[] {
  const page = files.find((file) => file.page === module);
  if (page === undefined) throw new Error(`${module} has no file of its own.`);
  return [page.name, ...listImports(files, page)].filter((name) => !always.includes(name));
}

export function describeEntry({ name, pages }: Entry, files: BuiltFile[]): BuiltEntry {
  const script = files.find(({ isEntry }) => isEntry);
  const style = files.find((file) => file.name.endsWith('.css'));
  const font = files.find(({ sources }) => sources.includes(FONT));
  if (script === undefined || style === undefined || font === undefined)
    throw new Error(`The build of ${name} has no script, no style sheet or no typeface.`);
  const preload = listImports(files, script);
  return {
    script: script.name,
    style: style.name,
    preload,
    pages: Object.fromEntries(
      Object.entries(pages).map(([path, module]) => [path, listPageFiles(files, module, [script.name, ...preload])]),
    ),
    font: font.name,
  };
}
