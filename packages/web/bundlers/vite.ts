import path from 'node:path';
import type { Rolldown } from 'vite';
import { type BuiltEntry, conditionsOf, DEFINE, describeEntry, type Entry, ROOT, TARGETS } from './entry.ts';

type Vite = typeof import('vite');

async function bundle(vite: Vite, entry: Entry, folder: string): Promise<BuiltEntry> {
  const { name, jsx, main, split } = entry;
  const { output } = (await vite.build({
    configFile: false,
    root: ROOT,
    // The path at which the server serves the built files.
    base: '/assets/',
    logLevel: 'warn',
    publicDir: false,
    define: DEFINE,
    resolve: { conditions: conditionsOf(entry) },
    oxc: { jsx: { runtime: 'automatic', importSource: jsx, development: false } },
    build: {
      outDir: folder,
      assetsDir: '',
      emptyOutDir: false,
      target: TARGETS,
      modulePreload: split && { polyfill: false },
      // One style sheet, so that a page that loads later is never shown without styles.
      cssCodeSplit: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { [name]: path.join(ROOT, main) },
        // "use client" matters only for server rendering.
        onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: `${name}-[name]-[hash].js`,
          // All entries share the typeface.
          assetFileNames: ({ names }) => `${names[0]?.endsWith('.woff2') ? '[name]' : name}-[hash][extname]`,
          codeSplitting: split && { groups: [{ name: 'main', tags: ['$initial'] }] },
        },
      },
    },
  })) as Rolldown.RolldownOutput;
  const files = output.map((file) => ({
    name: file.fileName,
    isEntry: file.type === 'chunk' && file.isEntry,
    page: file.type === 'chunk' && file.facadeModuleId ? path.relative(ROOT, file.facadeModuleId) : null,
    imports: file.type === 'chunk' ? file.imports : [],
    sources: file.type === 'asset' ? file.names : [],
  }));
  return describeEntry(entry, files);
}

/** Null without Vite, which is a development package, or without its bundler, a native program that npm can omit. */
export async function bundleWithVite(entries: Entry[], folder: string): Promise<Record<string, BuiltEntry> | null> {
  const vite = await import('vite').catch(() => null);
  if (vite === null) return null;
  const built: Record<string, BuiltEntry> = {};
  for (const entry of entries) built[entry.name] = await bundle(vite, entry, folder);
  return built;
}
