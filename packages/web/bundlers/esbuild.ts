import path from 'node:path';
import { type BuiltEntry, conditionsOf, DEFINE, describeEntry, type Entry, ROOT, TARGETS } from './entry.ts';

/** The part of esbuild that we use. Declared here, because type checks must also pass where only Vite is installed. */
interface Esbuild {
  build(options: Record<string, unknown>): Promise<{ metafile: { outputs: Record<string, Output> } }>;
  stop(): Promise<void>;
}

interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { path: string; kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
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
    conditions: conditionsOf(entry),
    target: TARGETS,
    entryNames: '[name]-[hash]',
    chunkNames: `${name}-[name]-[hash]`,
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    logLevel: 'warning',
  });
  const files = Object.entries(metafile.outputs).map(([file, { entryPoint, imports, inputs }]) => ({
    name: path.basename(file),
    // Each dynamically imported page is an entry point for esbuild, too.
    isEntry: entryPoint === main && file.endsWith('.js'),
    page: entryPoint ?? null,
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((found) => path.basename(found.path)),
    sources: Object.keys(inputs).map((input) => path.basename(input)),
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
