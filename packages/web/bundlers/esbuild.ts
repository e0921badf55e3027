import path from 'node:path';
import { type BuiltEntry, CONDITIONS, DEFINE, describeEntry, type Entry, ROOT, TARGETS } from './entry.ts';

/** The part of esbuild that we use. Declared here, because type checks must also pass where only Vite is installed. */
interface Esbuild {
  build(options: Record<string, unknown>): Promise<{ metafile: { outputs: Record<string, Output> } }>;
  stop(): Promise<void>;
}

interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { path: string; kind: string }[];
}

const PACKAGE: string = 'esbuild-wasm';

async function bundle(esbuild: Esbuild, entry: Entry, folder: string): Promise<BuiltEntry> {
  const { name, jsx, main, split } = entry;
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { [name]: main },
    outdir: folder,
    bundle: true,
    format: 'esm',
    splitting: split,
    minify: true,
    metafile: true,
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: jsx,
    define: DEFINE,
    conditions: CONDITIONS,
    target: TARGETS,
    entryNames: '[name]-[hash]',
    chunkNames: `${name}-[name]-[hash]`,
    logLevel: 'warning',
  });
  const files = Object.entries(metafile.outputs).map(([file, { entryPoint, imports }]) => ({
    name: path.basename(file),
    // Each dynamically imported page is an entry point for esbuild, too.
    isEntry: entryPoint === main && file.endsWith('.js'),
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((found) => path.basename(found.path)),
  }));
  return describeEntry(entry, files);
}

/**
 * For a clone without Vite (`npm ci --omit=dev` or `--omit=optional`). esbuild as WebAssembly needs no native program. The files
 * are as small as Vite's, but it takes several times as long and does not preload what a page of the console imports.
 */
export async function bundleWithEsbuild(entries: Entry[], folder: string): Promise<Record<string, BuiltEntry>> {
  const esbuild = (await import(PACKAGE)) as Esbuild;
  process.stderr.write('Building the web app without Vite. This takes about ten seconds, once.\n');
  const built: Record<string, BuiltEntry> = {};
  for (const entry of entries) built[entry.name] = await bundle(esbuild, entry, folder);
  // Ends the process that compiles.
  await esbuild.stop();
  return built;
}
