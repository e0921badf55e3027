import type { Language } from '@foreword/contract';
import { summaryTextsIn } from '../../delivery/index.ts';
import { assemble, brandStyle, CLOSED_STYLE, type Document, inline } from '../../pages/index.ts';
import { type Html, html } from '../../platform/html.ts';

const STYLE = inline(
  'form{margin-top:8px}button.button{font:inherit;font-weight:600;cursor:pointer}.name{font-weight:600;letter-spacing:.01em}',
);

const textsIn = (language: Language) => summaryTextsIn(language).page;

const render = (language: Language, title: string, inside: Html): Document =>
  assemble({
    language,
    title: `${title} · Foreword`,
    head: html`<link rel="icon" href="data:,">`,
    body: html`<body><div class="page"><header class="brand"><span class="name">Foreword</span></header>
<main><h1>${title}</h1>
${inside}
</main></div></body>`,
    styles: [CLOSED_STYLE, STYLE, brandStyle(null)],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'none'"],
  });

/** Mail scanners follow links, but submit no forms. */
export function renderConfirmOff(organization: { name: string; language: Language }, path: string): Document {
  const { confirmTitle, confirm, button } = textsIn(organization.language);
  return render(
    organization.language,
    confirmTitle,
    html`<p>${confirm(organization.name)}</p>
<form method="post" action="${path}"><button class="button full">${button}</button></form>`,
  );
}

const settingsLink = (text: string) => html`<a class="button full" href="/console/settings">${text}</a>`;

export function renderOff(language: Language): Document {
  const { offTitle, off, settings } = textsIn(language);
  return render(language, offTitle, html`<p role="status">${off}</p>${settingsLink(settings)}`);
}

export function renderUnknownLink(language: Language): Document {
  const { unknownTitle, unknown, settings } = textsIn(language);
  return render(language, unknownTitle, html`<p>${unknown}</p>${settingsLink(settings)}`);
}
