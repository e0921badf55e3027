import type { ClosedReason } from '@foreword/contract';
import { type Html, html } from '../platform/html.ts';
import { ICONS } from './icons.ts';
import { assemble } from './render.ts';
import { brandStyle, CLOSED_STYLE } from './style.ts';
import { TEXTS } from './texts.ts';
import type { Brand, ClosedView, Document } from './view.ts';

interface Message {
  readonly title: string;
  readonly text: string;
  readonly reloadAfterS?: number;
}

/** Long enough for many open pages not to slow down the recovery. */
const RELOAD_AFTER_S = 5;

const MEMBER_MESSAGES: Record<ClosedReason, Message> = {
  cancelled: { title: TEXTS.memberCancelledTitle, text: TEXTS.memberCancelled },
  expired: { title: TEXTS.memberExpiredTitle, text: TEXTS.memberExpired },
  link_expired: { title: TEXTS.linkExpiredTitle, text: TEXTS.linkExpired },
};

function messageOf({ audience, reason, organization }: ClosedView): Message {
  if (audience === 'recipient') {
    const text = reason === 'cancelled' ? TEXTS.recipientCancelled : TEXTS.recipientExpired;
    return { title: TEXTS.closedTitle, text: text(organization.name) };
  }
  return MEMBER_MESSAGES[reason];
}

function renderMessage({ title, text, reloadAfterS }: Message, brand: Brand | null): Document {
  const phone = brand?.officePhone ?? null;
  const header = brand === null ? null : html`<header class="brand"><bdi>${brand.name}</bdi></header>`;
  const reload = reloadAfterS === undefined ? null : html`<meta http-equiv="refresh" content="${reloadAfterS}">`;
  const call: Html | null =
    phone === null ? null : html`<a class="button full" href="tel:${phone}">${ICONS.phone}${TEXTS.callOffice}</a>`;
  return assemble({
    title: brand === null ? title : `${title} · ${brand.name}`,
    // Keeps browsers from requesting a favicon that does not exist.
    head: html`<link rel="icon" href="data:,">${reload}`,
    body: html`<body>
<div class="page">
${header}
<main>
<h1>${title}</h1>
<p dir="auto">${text}</p>
${call}
</main>
</div>
</body>`,
    styles: [CLOSED_STYLE, brandStyle(brand?.accent ?? null)],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'self'"],
  });
}

/** For a link that used to work: branded, with a phone number to call. */
export const renderClosed = (view: ClosedView): Document => renderMessage(messageOf(view), view.organization);

/** Confirms that the recipient opted out. */
export const renderOptedOut = (organization: Brand): Document =>
  renderMessage({ title: TEXTS.optedOutTitle, text: TEXTS.optedOut(organization.name) }, organization);

/** For a link that never worked, or does not work yet. Both look the same, so that neither reveals anything. */
export const renderUnknown = (): Document => renderMessage({ title: TEXTS.unknownTitle, text: TEXTS.unknown }, null);

export const renderTooMany = (): Document => renderMessage({ title: TEXTS.tooManyTitle, text: TEXTS.tooMany }, null);

/** While the database does not respond. */
export const renderUnavailable = (): Document =>
  renderMessage({ title: TEXTS.unavailableTitle, text: TEXTS.unavailable, reloadAfterS: RELOAD_AFTER_S }, null);
