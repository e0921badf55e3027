import fs from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { assemble } from '../../pages/index.ts';
import { html } from '../../platform/html.ts';
import { DOCS_STYLE } from './errors.ts';

const DOCS = path.join(import.meta.dirname, '../../../../../docs');
const SECTIONS = [
  { label: 'Guides', folder: 'guides' },
  { label: 'Concepts', folder: 'concepts' },
  { label: 'CRM recipes', folder: 'recipes' },
  { label: 'Self-hosting', folder: 'self-hosting' },
];
const FIRST = 'quickstart.md';
/** Few installations need these; other pages link to them. */
const UNLISTED = ['cells.md', 'cluster.md'];

const listFiles = (folder: string): string[] =>
  fs
    .readdirSync(path.join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .sort((a, b) => Number(b === FIRST) - Number(a === FIRST) || (a < b ? -1 : 1));

const titleOf = (folder: string, name: string): string =>
  fs
    .readFileSync(path.join(DOCS, folder, name), 'utf8')
    .split('\n', 1)[0]
    ?.replace(/^# /, '') ?? name;

const renderIndex = () =>
  assemble({
    title: 'Foreword documentation',
    head: html`<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`,
    body: html`<body>
<main>
<h1>Foreword documentation</h1>
<nav aria-label="Reference"><ul><li><a href="docs/reference">API reference</a></li><li><a href="docs/errors">Errors</a></li></ul></nav>
${SECTIONS.map(
  ({ label, folder }) => html`<h2>${label}</h2>
<ul>${listFiles(folder)
    .filter((name) => !UNLISTED.includes(name))
    .map((name) => html`<li><a href="docs/${folder}/${name}">${titleOf(folder, name)}</a></li>`)}</ul>`,
)}
<p>These pages are Markdown. <code>npm run docs</code> builds them into a site with a search.</p>
</main>
</body>`,
    styles: [DOCS_STYLE],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'none'"],
  });

/**
 * `/docs` of a clone whose docs site is not built, because that needs packages of its own: a list of the guides, each as
 * Markdown. False where the guides do not exist.
 */
export function registerDocsFiles(app: FastifyInstance): boolean {
  if (!fs.existsSync(path.join(DOCS, 'guides'))) return false;
  const config = { operation: 'docs' };
  app.get('/docs/', { config }, async (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs', { config }, async (_request, reply) => {
    // Written for each request: the files of a clone change.
    const { html: page, policy } = renderIndex();
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
  });
  for (const { folder } of SECTIONS)
    for (const name of listFiles(folder))
      app.get(`/docs/${folder}/${name}`, { config }, async (_request, reply) =>
        reply
          .type('text/plain; charset=utf-8')
          .header('cache-control', 'no-cache')
          .send(await fs.promises.readFile(path.join(DOCS, folder, name))),
      );
  return true;
}
