import { type Html, html } from '../platform/html.ts';
import { formatPhone, openGraphLocale } from './format.ts';
import { ICONS } from './icons.ts';
import { assemble, pathOf, renderBrand } from './render.ts';
import { brandStyle, CARD_STYLE } from './style.ts';
import { textsIn } from './texts/index.ts';
import type { Document, PageView } from './view.ts';

/** No preview picture, because it would show the member. */
function renderHead(view: PageView): Html {
  const { name } = view.organization;
  const texts = textsIn(view.language);
  return html`<meta name="description" content="${texts.cardDescription(name)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${texts.cardDescription(name)}">
<meta property="og:url" content="${view.url}">
<meta property="og:locale" content="${openGraphLocale(view.language)}">
<link rel="icon" type="image/svg+xml" href="${pathOf(view)}/icon.svg">`;
}

function renderCall({ organization, language }: PageView): Html | null {
  const { officePhone } = organization;
  if (officePhone === null) return null;
  return html`<a class="button full" href="tel:${officePhone}">${ICONS.phone}${textsIn(language).callOffice}</a>
<p class="number"><a href="tel:${officePhone}">${formatPhone(officePhone)}</a></p>`;
}

const renderOptOut = (view: PageView): Html =>
  html`<footer><form method="post" action="${pathOf(view)}/opt-out"><button type="submit">${textsIn(view.language).optOut(view.organization.name)}</button></form></footer>`;

type Reason = NonNullable<PageView['replacedFor']>;

function textOf(view: PageView, reason: Reason): string {
  const { name, officePhone } = view.organization;
  const { firstName } = view.member;
  const texts = textsIn(view.language);
  if (reason === 'likeness_withdrawn') return officePhone === null ? texts.withdrawnWithout : texts.withdrawn;
  if (reason === 'taken_down') return officePhone === null ? texts.takenDownWithout(name) : texts.takenDown(name);
  return officePhone === null ? texts.leftWithout(firstName, name) : texts.left(firstName, name);
}

/** Replaces the video, and says how to reach the organization. */
export function renderOrganizationCard(
  view: PageView,
  reason: Reason,
  { preview }: { readonly preview: boolean },
): Document {
  const { organization } = view;
  const title = textsIn(view.language).cardTitle(organization.name);
  return assemble({
    language: view.language,
    title: `${title} · ${organization.name}`,
    head: renderHead(view),
    body: html`<body>
<div class="page">
<header class="brand">${renderBrand(view)}</header>
<main>
<h1 dir="auto">${title}</h1>
<p dir="auto">${textOf(view, reason)}</p>
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
