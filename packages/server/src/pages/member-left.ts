import { type Html, html } from '../platform/html.ts';
import { formatPhone } from './format.ts';
import { ICONS } from './icons.ts';
import { assemble } from './render.ts';
import { brandStyle, CARD_STYLE } from './style.ts';
import { TEXTS } from './texts.ts';
import type { Document, PageView } from './view.ts';

const pathOf = ({ url }: PageView): string => new URL(url).pathname;

/** No preview picture, because it would show the member who left. */
function renderHead(view: PageView): Html {
  const { name } = view.organization;
  return html`<meta name="description" content="${TEXTS.leftDescription(name)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${TEXTS.leftDescription(name)}">
<meta property="og:url" content="${view.url}">
<link rel="icon" type="image/svg+xml" href="${pathOf(view)}/icon.svg">`;
}

function renderBrand(view: PageView): Html {
  const { logo, name } = view.organization;
  if (logo === null) return html`<bdi>${name}</bdi>`;
  return html`<img src="${pathOf(view)}/logo.png" alt="${name}" width="180" height="40">`;
}

function renderCall({ organization }: PageView): Html | null {
  const { officePhone } = organization;
  if (officePhone === null) return null;
  return html`<a class="button full" href="tel:${officePhone}">${ICONS.phone}${TEXTS.callOffice}</a>
<p class="number"><a href="tel:${officePhone}">${formatPhone(officePhone)}</a></p>`;
}

const renderOptOut = (view: PageView): Html =>
  html`<footer><form method="post" action="${pathOf(view)}/opt-out"><button type="submit">${TEXTS.optOut(view.organization.name)}</button></form></footer>`;

/** Replaces the page of a member who left, and says how to reach the organization. */
export function renderMemberLeft(view: PageView, { preview }: { readonly preview: boolean }): Document {
  const { organization, member } = view;
  const title = TEXTS.leftTitle(organization.name);
  const text =
    organization.officePhone === null
      ? TEXTS.leftWithout(member.firstName, organization.name)
      : TEXTS.left(member.firstName, organization.name);
  return assemble({
    title: `${title} · ${organization.name}`,
    head: renderHead(view),
    body: html`<body>
<div class="page">
<header class="brand">${renderBrand(view)}</header>
<main>
<h1 dir="auto">${title}</h1>
<p dir="auto">${text}</p>
${renderCall(view)}
</main>
${preview ? null : renderOptOut(view)}
</div>
</body>`,
    styles: [CARD_STYLE, brandStyle(organization.accent)],
    script: null,
    policy: ["img-src 'self'", `frame-ancestors ${preview ? "'self'" : "'none'"}`],
  });
}
