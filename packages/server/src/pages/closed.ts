import { type Html, html } from '../platform/html.ts';
import { ICONS } from './icons.ts';
import { assemble } from './render.ts';
import { brandStyle, CLOSED_STYLE } from './style.ts';
import { TEXTS } from './texts.ts';
import type { Brand, ClosedView, Document } from './view.ts';

interface Message {
  readonly title: string;
  readonly says: string;
}

function messageOf({ audience, reason, organization }: ClosedView): Message {
  if (audience === 'recipient') {
    const says = reason === 'cancelled' ? TEXTS.recipientCancelled : TEXTS.recipientExpired;
    return { title: TEXTS.closedTitle, says: says(organization.name) };
  }
  return reason === 'cancelled'
    ? { title: TEXTS.memberCancelledTitle, says: TEXTS.memberCancelled }
    : { title: TEXTS.memberExpiredTitle, says: TEXTS.memberExpired };
}

function renderMessage({ title, says }: Message, brand: Brand | null): Document {
  const phone = brand?.officePhone ?? null;
  const header = brand === null ? null : html`<header class="brand"><bdi>${brand.name}</bdi></header>`;
  const call: Html | null =
    phone === null ? null : html`<a class="button full" href="tel:${phone}">${ICONS.phone}${TEXTS.callOffice}</a>`;
  return assemble({
    title: brand === null ? title : `${title} · ${brand.name}`,
    // Without it a browser asks for one, and is told that there is none.
    head: html`<link rel="icon" href="data:,">`,
    body: html`<body>
<div class="page">
${header}
<main>
<h1>${title}</h1>
<p dir="auto">${says}</p>
${call}
</main>
</div>
</body>`,
    styles: [CLOSED_STYLE, brandStyle(brand?.accent ?? null)],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'self'"],
  });
}

/** For a link that worked once: kind, in the brand, and with somebody to call. */
export const renderClosed = (view: ClosedView): Document => renderMessage(messageOf(view), view.organization);

/** After the recipient asked for no more messages. */
export const renderOptedOut = (organization: Brand): Document =>
  renderMessage({ title: TEXTS.optedOutTitle, says: TEXTS.optedOut(organization.name) }, organization);

/** For a link that never worked, or that must not tell whether it will. */
export const renderUnknown = (): Document => renderMessage({ title: TEXTS.unknownTitle, says: TEXTS.unknown }, null);

export const renderTooMany = (): Document => renderMessage({ title: TEXTS.tooManyTitle, says: TEXTS.tooMany }, null);
