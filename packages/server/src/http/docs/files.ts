import fs from 'node:fs';
import path from 'node:path';
import { ERROR_GUIDE, type ErrorGuideEntry } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { assemble, inline } from '../../pages/index.ts';
import { createCachedDocument } from '../../platform/encoding.ts';
import { type Html, html } from '../../platform/html.ts';

const BROTLI_QUALITY = 11;

/** The pages that exist without the docs site. */
const DOCS_STYLE = inline(
  `
:root{color-scheme:light dark;--paper:#faf8f4;--surface:#fff;--ink:#1d1b18;--soft:#625d55;--line:#e5e0d6;--link:#8a3b12}
@media(prefers-color-scheme:dark){:root{--paper:#151412;--surface:#1f1d1a;--ink:#f4f1ea;--soft:#aea89d;--line:#37332d;--link:#f0a878}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;background:var(--paper);color:var(--ink);font:400 1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{width:min(100%,52rem);margin:auto;padding:32px 20px 64px}
h1{font:500 clamp(1.6rem,6vw,2.2rem)/1.2 ui-serif,"New York",Georgia,"Times New Roman",serif;margin:8px 0 12px}
h2{font-size:1.25rem;margin:48px 0 4px}
h3{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;font-size:1rem;margin:0}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h3 span{color:var(--soft);font-weight:400}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:2px}
code,pre{font:.925em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
article{margin:16px 0;padding:16px 18px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
article:target{border-color:var(--link);box-shadow:inset 4px 0 var(--link)}
article p{margin:8px 0 0}
pre{margin:12px 0 0;padding:10px 12px;border-radius:8px;background:var(--paper);color:var(--soft);white-space:pre-wrap}
nav ul{display:flex;flex-wrap:wrap;gap:4px 14px;margin:16px 0 0;padding:0;list-style:none}
nav li a{display:inline-block;padding:3px 0}
`.replaceAll('\n', ''),
);

/** Text whose parts between backticks are code. */
const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

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
  return assemble({
    title: 'Errors · Foreword API',
    // A relative link also works behind a proxy that adds a prefix.
    head: html`<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`,
    body: html`<body>
<main>
<a href="../docs">API reference</a>
<h1>Errors</h1>
<nav aria-label="Error codes"><ul>${index.map(({ anchor, code }) => html`<li><a href="#${anchor}"><code>${code}</code></a></li>`)}</ul></nav>
${ERROR_GUIDE.map(
  ({ title, text, entries }) => html`<h2>${title}</h2>
<p>${prose(text)}</p>
${entries.map(renderEntry)}`,
)}
</main>
</body>`,
    styles: [DOCS_STYLE],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'none'"],
  });
}

/** `/docs/errors`, which the header `Link` of each error points to, where the docs site is not built. */
export function registerErrorsPage(app: FastifyInstance): void {
  const { html: page, policy } = renderPage();
  const send = createCachedDocument({
    type: 'text/html; charset=utf-8',
    quality: BROTLI_QUALITY,
    read: () => Buffer.from(page),
  });
  app.get('/docs/errors', { config: { operation: 'docs' } }, (request, reply) => {
    reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    return send(request, reply);
  });
}

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
