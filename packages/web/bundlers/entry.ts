import path from 'node:path';

export interface Entry {
  name: string;
  /** The package that provides the JSX runtime. */
  jsx: string;
  main: string;
  /** The recorder is one file. The console loads each page when it is opened. */
  split: boolean;
}

/** The built files of one entry, as names within the folder. */
export interface BuiltEntry {
  script: string;
  style: string;
  /** All static imports of the script, so that the page can load them in parallel. */
  preload: string[];
}

/** A file of a build, as both bundlers describe it. */
export interface BuiltFile {
  name: string;
  isEntry: boolean;
  /** Names of the statically imported files. */
  imports: string[];
}

export const ROOT = path.join(import.meta.dirname, '..');
export const TARGETS = ['es2022', 'safari15.4', 'chrome100', 'firefox100'];
export const CONDITIONS = ['module', 'browser', 'production'];
/** Set explicitly, because a bundler would use NODE_ENV, which tests and developers may set differently. */
export const DEFINE = { 'process.env.NODE_ENV': '"production"' };

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

export function describeEntry({ name }: Entry, files: BuiltFile[]): BuiltEntry {
  const script = files.find(({ isEntry }) => isEntry);
  const style = files.find((file) => file.name.endsWith('.css'));
  if (script === undefined || style === undefined)
    throw new Error(`The build of ${name} has no script or no style sheet.`);
  return { script: script.name, style: style.name, preload: listImports(files, script) };
}
