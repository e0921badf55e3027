/** Folder: serves the docs site, the API reference and the page of each error. */

import fs from 'node:fs';
import path from 'node:path';
import { ERROR_GUIDE, type ErrorGuideEntry } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assemble, brandStyle, inline, TEAM_STYLE } from '../../pages/index.ts';
import { type CachedDocument, createCachedDocument, FOREVER } from '../../platform/encoding.ts';
import { type Html, html } from '../../platform/html.ts';
import { prose } from './reference-page.ts';

/** The npm package and images contain the built site in the first folder; a clone builds it in the second (`npm run docs`). */
const FOLDERS = [
  path.join(import.meta.dirname, '../../../docs-site'),
  path.join(import.meta.dirname, '../../../../../docs/site/dist'),
];
const POLICY = 'policy.json';
const NOT_FOUND = '404.html';
/** Compressed at the first request; the highest quality would take ten times as long. */
const BROTLI_QUALITY = 9;
/** The host in the addresses of the built site's Markdown (docs/site/content/links.ts). */
export const PLACEHOLDER = 'https://foreword.invalid';

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

interface DocsSite {
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

export const listFiles = (folder: string): string[] =>
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

function createSender({ folder, scripts }: DocsSite, file: string, publicUrl: string): CachedDocument {
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
  const senders = new Map<string, CachedDocument>();
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

const ERRORS_QUALITY = 11;

/** The pages that exist without the docs site. */
const DOCS_STYLE = inline(
  `
html{scroll-padding-top:16px}
body{font-size:1rem;line-height:1.55}
main{width:min(100%,52rem);margin:auto;padding:32px 20px 64px}
h1{margin:8px 0 12px}
h2{font-size:1.25rem;margin:48px 0 4px}
h3{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;font-size:1rem;margin:0}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h3 span{color:var(--soft);font-weight:400}
code,pre{font:.925em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
article{margin:16px 0;padding:16px 18px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
article:target{border-color:var(--accent-text);box-shadow:inset 4px 0 var(--accent-text)}
article p{margin:8px 0 0}
pre{margin:12px 0 0;padding:10px 12px;border-radius:8px;background:var(--paper);color:var(--soft);white-space:pre-wrap}
nav ul{display:flex;flex-wrap:wrap;gap:4px 14px;margin:16px 0 0;padding:0;list-style:none}
nav li a{display:inline-block;padding:3px 0}
`.replaceAll('\n', ''),
);

/** A page of the docs that exists without the site. A relative link also works behind a proxy that adds a prefix. */
const renderDocs = (title: string, content: Html) =>
  assemble({
    title,
    head: html`<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`,
    body: html`<body>
<main>
${content}
</main>
</body>`,
    styles: [TEAM_STYLE, brandStyle(null), DOCS_STYLE],
    script: null,
    policy: ["font-src 'self'", 'img-src data:', "frame-ancestors 'none'"],
  });

const renderEntry = ({
  anchor,
  code,
  status,
  description,
  action,
  example,
}: ErrorGuideEntry): Html => html`<article id="${anchor}">
<h3><a href="#${anchor}"><code>${code}</code></a>${status !== null && html`<span>HTTP ${status}</span>`}</h3>
<p>${prose(description)}</p>
<p><strong>What to do:</strong> ${prose(action)}</p>
${example !== null && html`<pre>${example}</pre>`}
</article>
`;

function renderPage() {
  const index = ERROR_GUIDE[0]?.entries ?? [];
  return renderDocs(
    'Errors · Foreword API',
    html`<a href="../docs">API reference</a>
<h1>Errors</h1>
<nav aria-label="Error codes"><ul>${index.map(({ anchor, code }) => html`<li><a href="#${anchor}"><code>${code}</code></a></li>`)}</ul></nav>
${ERROR_GUIDE.map(
  ({ title, text, entries }) => html`<h2>${title}</h2>
<p>${prose(text)}</p>
${entries.map(renderEntry)}`,
)}`,
  );
}

/** `/docs/errors`, which the header `Link` of each error points to, where the docs site is not built. */
export function registerErrorsPage(app: FastifyInstance): void {
  const { html: page, policy } = renderPage();
  const send = createCachedDocument({
    type: 'text/html; charset=utf-8',
    quality: ERRORS_QUALITY,
    read: () => Buffer.from(page),
  });
  app.get('/docs/errors', { config: { operation: 'docs' } }, (request, reply) => {
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return send(request, reply);
  });
}

/** A page of the documentation as Markdown. */
export interface Page {
  /** `guides/quickstart`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export const toPage = (name: string, text: string): Page => ({
  name,
  title: /^# (.+)$/m.exec(text)?.[1] ?? name,
  text,
});

/** The folder of a clone. In a package, which has only the built site, this path belongs to someone else. */
const CLONE = path.join(import.meta.dirname, '../../../../..');
const IS_CLONE = path.relative(CLONE, import.meta.dirname) === path.join('packages', 'server', 'src', 'http', 'docs');
const SECTIONS = [
  { label: 'Guides', folder: 'guides' },
  { label: 'Concepts', folder: 'concepts' },
  { label: 'CRM recipes', folder: 'recipes' },
  { label: 'Self-hosting', folder: 'self-hosting' },
];
/** Pages for agents besides those of the sections. */
const FILES: Readonly<Record<string, string>> = {
  upgrading: 'docs/upgrading.md',
  sdk: 'packages/sdk/README.md',
  security: 'SECURITY.md',
  changelog: 'CHANGELOG.md',
};
const FIRST = 'guides/quickstart';
/** Few installations need these; other pages link to them. */
const UNLISTED = ['self-hosting/cells', 'self-hosting/cluster'];

/** Empty where this is not a clone, or one without the documentation. */
export function readClone(): Page[] {
  if (!IS_CLONE) return [];
  const exists = (file: string): boolean => fs.existsSync(path.join(CLONE, file));
  const pages = SECTIONS.filter(({ folder }) => exists(`docs/${folder}`)).flatMap(({ folder }) =>
    fs
      .readdirSync(path.join(CLONE, 'docs', folder))
      .filter((file) => file.endsWith('.md'))
      .map((file): [string, string] => [`${folder}/${file.replace(/\.md$/, '')}`, `docs/${folder}/${file}`]),
  );
  return [...pages, ...Object.entries(FILES)]
    .filter(([, file]) => exists(file))
    .map(([name, file]) => toPage(name, fs.readFileSync(path.join(CLONE, file), 'utf8')))
    .sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST) || (a.name < b.name ? -1 : 1));
}

const renderIndex = (pages: readonly Page[]) =>
  renderDocs(
    'Foreword documentation',
    html`<h1>Foreword documentation</h1>
<nav aria-label="Reference"><ul><li><a href="docs/reference">API reference</a></li><li><a href="docs/errors">Errors</a></li></ul></nav>
${SECTIONS.map(
  ({ label, folder }) => html`<h2>${label}</h2>
<ul>${pages
    .filter(({ name }) => name.startsWith(`${folder}/`) && !UNLISTED.includes(name))
    .map(({ name, title }) => html`<li><a href="docs/${name}.md">${title}</a></li>`)}</ul>`,
)}
<p>These pages are Markdown. <code>npm run docs</code> builds them into a site with a search.</p>`,
  );

/**
 * `/docs` of a clone whose docs site is not built, because that needs packages of its own: a list of the guides, each as
 * Markdown. False where the guides do not exist.
 */
export function registerDocsFiles(app: FastifyInstance): boolean {
  if (readClone().length === 0) return false;
  const config = { operation: 'docs' };
  app.get('/docs/', { config }, async (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs', { config }, async (_request, reply) => {
    // Written for each request: the files of a clone change.
    const { html: page, policy } = renderIndex(readClone());
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
  });
  for (const { folder } of SECTIONS)
    app.get<{ Params: { name: string } }>(`/docs/${folder}/:name`, { config }, async ({ params: { name } }, reply) => {
      const page = readClone().find((one) => `${one.name}.md` === `${folder}/${name}`);
      if (page === undefined) return reply.callNotFound();
      return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(page.text);
    });
  return true;
}
