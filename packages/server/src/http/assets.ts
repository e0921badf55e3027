import fs from 'node:fs';
import path from 'node:path';
import { LANGUAGES, type Language } from '@foreword/contract';
import type { WebBuild } from '@foreword/web/build';
import type { FastifyInstance } from 'fastify';
import { type CachedDocument, createCachedDocument, FOREVER } from '../platform/encoding.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Compressed already. */
const FONT = 'font/woff2';
/** The build contains the files compressed with brotli. Other encodings are made at the first request. */
const BROTLI = '.br';
const BROTLI_QUALITY = 9;

/** Serves the built web files from memory. Their names contain a hash of the content, so browsers may cache them forever. */
export function registerWeb(app: FastifyInstance, build: WebBuild): void {
  const assets = new Map<string, CachedDocument>();
  const names = new Set(fs.readdirSync(build.folder));
  const read = (name: string) => fs.readFileSync(path.join(build.folder, name));
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const bytes = read(name);
    const brotli = names.has(name + BROTLI) ? read(name + BROTLI) : undefined;
    const options = { type, quality: BROTLI_QUALITY, cacheControl: FOREVER, compresses: type !== FONT, brotli };
    assets.set(name, createCachedDocument({ ...options, read: () => bytes }));
  }
  // Pages that the service renders itself do not know the hash of the typeface.
  const typeface = assets.get(build.entries.console?.font ?? '');
  if (typeface !== undefined) assets.set('figtree.woff2', typeface);
  app.get<{ Params: { name: string } }>('/assets/:name', { config: { operation: 'asset' } }, async (request, reply) => {
    const send = assets.get(request.params.name);
    return send === undefined ? reply.callNotFound() : send(request, reply);
  });
}

/** The npm package and images contain the built web files here. A clone does not. */
const PREBUILT = path.join(import.meta.dirname, '../../web');

function readPrebuilt(): WebBuild | null {
  try {
    const manifest = fs.readFileSync(path.join(PREBUILT, 'manifest.json'), 'utf8');
    return { folder: PREBUILT, entries: (JSON.parse(manifest) as Pick<WebBuild, 'entries'>).entries };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The built web files. Only a clone builds them, and only when an input has changed. */
export async function openWebBuild(): Promise<WebBuild> {
  const prebuilt = readPrebuilt();
  if (prebuilt !== null) return prebuilt;
  const { buildWebApart } = await import('@foreword/web/build').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`the built web files are missing: ${PREBUILT} does not exist. Install Foreword again`);
  });
  return buildWebApart();
}

type RecorderAssets = Readonly<Record<Language, WebBuild['entries'][string]>>;

/** The built recorder in each language. */
export function recordersOf({ entries }: WebBuild): RecorderAssets {
  const found = LANGUAGES.map((language) => {
    const entry = entries[`recorder-${language}`];
    if (entry === undefined) throw new Error(`the web build has no recorder in the language ${language}`);
    return [language, entry] as const;
  });
  return Object.fromEntries(found) as RecorderAssets;
}
