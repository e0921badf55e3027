/** Folder: serves the docs site, the API reference and the page of each error. */

import fs from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createCachedDocument } from '../../platform/encoding.ts';

/** The npm package and images contain the built site in the first folder; a clone builds it in the second (`npm run docs`). */
const FOLDERS = [
  path.join(import.meta.dirname, '../../../docs-site'),
  path.join(import.meta.dirname, '../../../../../docs/site/dist'),
];
const POLICY = 'policy.json';
const NOT_FOUND = '404.html';
/** Compressed at the first request; the highest quality would take ten times as long. */
const BROTLI_QUALITY = 9;
const YEAR_S = 31_536_000;
const FOREVER = `public, max-age=${YEAR_S}, immutable`;
/** The host in the addresses of the built site's Markdown (docs/site/content/links.ts). */
const PLACEHOLDER = 'https://foreword.invalid';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
/** Files of the search index, which are compressed already. */
const INDEX_TYPE = 'application/octet-stream';
const TEXTS = new Set(['.html', '.css', '.js', '.json', '.md', '.txt', '.svg']);
/** Their names contain a hash of the content. */
const IS_HASHED = /^(_astro\/|pagefind\/(fragment|index)\/|pagefind\/pagefind\.[^/]*\.pf_meta$)/;

export interface DocsSite {
  readonly folder: string;
  /** Hashes of the scripts inside the pages, as the security policy lists them. */
  readonly scripts: readonly string[];
}

/** The built docs site, or null. Its policy is the last file of a build. */
export function findDocsSite(folders: readonly string[] = FOLDERS): DocsSite | null {
  const folder = folders.find((one) => fs.existsSync(path.join(one, POLICY)));
  if (folder === undefined) return null;
  const policy = JSON.parse(fs.readFileSync(path.join(folder, POLICY), 'utf8')) as Pick<DocsSite, 'scripts'>;
  return { folder, scripts: policy.scripts };
}

/** No other hosts, and no scripts but those of the build. The search compiles WebAssembly; code samples have style attributes. */
const writePolicy = (scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${scripts.join(' ')}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A page has the address of its folder: `guides/quickstart/index.html` is `/docs/guides/quickstart`. */
const addressOf = (file: string): string =>
  `/docs/${file}`.replace(/\/index\.html$/, '').replace(/^\/docs\/(llms(-full)?\.txt)$/, '/$1');

const listFiles = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));

/** Puts the service's own address into links. A proxy may add a path before `/docs`. */
function addAddress(text: string, extension: string, publicUrl: string): string {
  if (extension === '.md' || extension === '.txt') return text.replaceAll(PLACEHOLDER, publicUrl);
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
  if (prefix === '') return text;
  if (extension === '.html') return text.replaceAll(/(\s(?:href|src)=")(\/(?!\/))/g, `$1${prefix}$2`);
  if (extension === '.css') return text.replaceAll(/(url\(["']?)(\/docs\/)/g, `$1${prefix}$2`);
  return extension === '.js' ? text.replaceAll(/(["'`])\/docs(?=[/"'`])/g, `$1${prefix}/docs`) : text;
}

type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function createSender({ folder, scripts }: DocsSite, file: string, publicUrl: string): Send {
  const extension = path.extname(file);
  const isText = TEXTS.has(extension);
  const policy = writePolicy(scripts);
  const send = createCachedDocument({
    type: TYPES[extension] ?? INDEX_TYPE,
    quality: BROTLI_QUALITY,
    compresses: isText,
    ...(IS_HASHED.test(file) && { cacheControl: FOREVER }),
    read: async () => {
      const bytes = await fs.promises.readFile(path.join(folder, file));
      return isText ? Buffer.from(addAddress(bytes.toString(), extension, publicUrl)) : bytes;
    },
  });
  return (request, reply) => {
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return send(request, reply);
  };
}

const readPath = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';

/** Relative, so that it also works behind a proxy that adds a path. */
const withoutSlash = (pathname: string): string => `../${pathname.replace(/\/+$/, '').split('/').at(-1)}`;

function registerSite(app: FastifyInstance, site: DocsSite, publicUrl: string): void {
  const files = listFiles(site.folder).filter((file) => file !== POLICY);
  const senders = new Map<string, Send>();
  for (const file of files) senders.set(addressOf(file), createSender(site, file, publicUrl));
  const index = senders.get('/docs/index.md');
  if (index !== undefined) senders.set('/docs.md', index);
  const notFound = senders.get(`/docs/${NOT_FOUND}`);
  senders.delete(`/docs/${NOT_FOUND}`);

  const find = async (request: FastifyRequest, reply: FastifyReply) => {
    const pathname = readPath(request);
    const send = senders.get(pathname);
    if (send !== undefined) return send(request, reply);
    if (pathname.endsWith('/') && senders.has(pathname.replace(/\/+$/, '')))
      return reply.redirect(withoutSlash(pathname), 308);
    // Programs get the error body of the API.
    const isBrowser = request.headers.accept?.includes('text/html') ?? false;
    if (notFound === undefined || !isBrowser) return reply.callNotFound();
    return notFound(request, reply.code(404));
  };
  const config = { operation: 'docs' };
  for (const url of ['/docs', '/docs/', '/docs/*', '/docs.md', '/llms.txt', '/llms-full.txt'])
    app.get(url, { config }, find);
}

/** `/docs`: the built site, or a redirect to the API reference where it is not built. */
export function registerDocsSite(app: FastifyInstance, site: DocsSite | null, publicUrl: string): void {
  if (site !== null) {
    registerSite(app, site, publicUrl);
    return;
  }
  const config = { operation: 'docs' };
  app.get('/docs', { config }, async (_request, reply) => reply.redirect('docs/reference', 302));
  app.get('/docs/', { config }, async (_request, reply) => reply.redirect('reference', 302));
}
