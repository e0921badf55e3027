import {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_DELAYS,
  DELIVERY_FAILURE_ACTIONS,
  DELIVERY_FAILURES,
  ERRORS,
  EVENT_FAILURE_ACTIONS,
  EVENT_FAILURES,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { assemble, inline } from './pages/index.ts';
import { createCachedDocument } from './platform/cached-document.ts';
import { type Html, html } from './platform/html.ts';

const BROTLI_QUALITY = 11;

const STYLE = inline(
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

interface Entry {
  readonly anchor: string;
  readonly code: string;
  /** Next to the code, such as the status. */
  readonly note: string;
  readonly meaning: string;
  readonly action: string;
  readonly example: string | null;
}

const renderEntry = ({ anchor, code, note, meaning, action, example }: Entry): Html => html`<article id="${anchor}">
<h3><a href="#${anchor}"><code>${code}</code></a>${note !== '' && html`<span>${note}</span>`}</h3>
<p>${prose(meaning)}</p>
<p><strong>What to do:</strong> ${prose(action)}</p>
${example !== null && html`<pre>${example}</pre>`}
</article>
`;

function apiErrors(): Entry[] {
  const entries = Object.entries(ERRORS).sort(([, a], [, b]) => a.status - b.status);
  return entries.map(([code, { status, description, action, example }]) => {
    const field = code === 'validation_failed' ? { field: example.split(' ')[0] } : {};
    const body = JSON.stringify({ error: { code, message: example, ...field } });
    return { anchor: code, code, note: `HTTP ${status}`, meaning: description, action, example: body };
  });
}

const failures = <Code extends string>(
  prefix: string,
  messages: Record<Code, string>,
  actions: Record<Code, string>,
): Entry[] =>
  (Object.keys(messages) as Code[]).map((code) => ({
    anchor: `${prefix}.${code}`,
    code,
    note: '',
    meaning: messages[code],
    action: actions[code],
    example: null,
  }));

const SECTIONS: readonly { readonly title: string; readonly text: string; entries(): Entry[] }[] = [
  {
    title: 'Responses',
    text: 'Every error response has this body: `{"error": {"code": …, "message": …}}`. Use `code` in your program and show `message` to people. With `validation_failed`, `field` names the first invalid field.',
    entries: apiErrors,
  },
  {
    title: 'Events that failed',
    text: 'In `error.code` of a touchpoint event whose `status` is `failed`.',
    entries: () => failures('event', EVENT_FAILURES, EVENT_FAILURE_ACTIONS),
  },
  {
    title: 'Intros that were not delivered',
    text: 'In `delivery.error.code` of an intro, or in its `delivery.reason`.',
    entries: () => failures('delivery', DELIVERY_FAILURES, DELIVERY_FAILURE_ACTIONS),
  },
  {
    title: 'Texts that wait',
    text: 'In `delivery.reason` of an intro whose text is scheduled.',
    entries: () => failures('delay', DELIVERY_DELAYS, DELIVERY_DELAY_ACTIONS),
  },
];

function renderPage() {
  const sections = SECTIONS.map(({ title, text, entries }) => ({ title, text, entries: entries() }));
  const index = sections[0]?.entries ?? [];
  return assemble({
    title: 'Errors · Foreword API',
    // A relative link also works behind a proxy that adds a prefix.
    head: html`<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`,
    body: html`<body>
<main>
<a href="../docs">API reference</a>
<h1>Errors</h1>
<nav aria-label="Error codes"><ul>${index.map(({ anchor, code }) => html`<li><a href="#${anchor}"><code>${code}</code></a></li>`)}</ul></nav>
${sections.map(
  ({ title, text, entries }) => html`<h2>${title}</h2>
<p>${prose(text)}</p>
${entries.map(renderEntry)}`,
)}
</main>
</body>`,
    styles: [STYLE],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'none'"],
  });
}

/** `/docs/errors`, which the header `Link` of each error points to. */
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
