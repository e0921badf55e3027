import type { ClosedReason, Language } from '@foreword/contract';
import { type Html, html } from '../platform/html.ts';
import {
  assemble,
  brandStyle,
  CARD_STYLE,
  CLOSED_STYLE,
  ICONS,
  pathOf,
  renderBrand,
  renderTeamPage,
  renderTexts,
  renderUndo,
} from './render.ts';
import type { ReplyProblem } from './rules.ts';
import { type PageTexts, textsIn } from './texts/index.ts';
import {
  type Brand,
  type ClosedView,
  type Document,
  formatPhone,
  type NextLink,
  openGraphLocale,
  type PageView,
} from './view.ts';

interface Message {
  readonly title: string;
  readonly text: string;
  readonly reloadAfterS?: number;
  /** Path of the page to go back to, instead of a phone number to call. */
  readonly backTo?: string;
  /** The form with which the recipient takes back what the message confirms. */
  readonly undo?: Html | null;
  /** Where to go on. */
  readonly button?: { readonly url: string; readonly label: string };
}

/** Long enough for many open pages not to slow down the recovery. */
const RELOAD_AFTER_S = 5;

const memberMessages = (texts: PageTexts): Record<ClosedReason, Message> => ({
  cancelled: { title: texts.memberCancelledTitle, text: texts.memberCancelled },
  expired: { title: texts.memberExpiredTitle, text: texts.memberExpired },
  link_expired: { title: texts.linkExpiredTitle, text: texts.linkExpired },
  likeness_withdrawn: { title: texts.memberWithdrawnTitle, text: texts.memberWithdrawn },
});

function messageOf(view: ClosedView): Message {
  const { organization } = view;
  const texts = textsIn(view.language);
  if (view.audience === 'recipient') {
    const text = view.reason === 'cancelled' ? texts.recipientCancelled : texts.recipientExpired;
    return { title: texts.closedTitle, text: text(organization.name) };
  }
  return { ...memberMessages(texts)[view.reason], ...leadOn(view.next, texts) };
}

const leadOn = (next: NextLink | null, { recordNext }: PageTexts): Pick<Message, 'button'> =>
  next === null ? {} : { button: { url: next.url, label: recordNext(next.firstName) } };

/** For whom a message is: without an organization, its link is unknown. */
interface Reader {
  readonly language: Language;
  readonly organization: Brand | null;
  readonly audience?: ClosedView['audience'];
}

function renderMessage(
  { title, text, reloadAfterS, backTo, undo = null, button }: Message,
  { language, organization: brand, audience }: Reader,
): Document {
  const texts = textsIn(language);
  const phone = brand?.office_phone ?? null;
  const header = brand === null ? null : html`<header class="brand"><bdi>${brand.name}</bdi></header>`;
  const reload = reloadAfterS === undefined ? null : html`<meta http-equiv="refresh" content="${reloadAfterS}">`;
  const look = button === undefined ? 'button full' : 'button';
  const call: Html | null =
    phone === null ? null : html`<a class="${look}" href="tel:${phone}">${ICONS.phone}${texts.callOffice}</a>`;
  const inside = html`<p>${text}</p>
${undo}
${button === undefined ? null : html`<a class="button full" href="${button.url}">${button.label}</a>`}
${backTo === undefined ? call : html`<a class="button full" href="${backTo}">${texts.backToVideo}</a>`}`;
  if (audience === 'member')
    return renderTeamPage({
      language,
      title,
      inside,
      ...(brand !== null && { name: brand.name, accent: brand.accent }),
    });
  return assemble({
    language,
    title: brand === null ? title : `${title} · ${brand.name}`,
    // Keeps browsers from requesting a favicon that does not exist.
    head: html`<link rel="icon" href="data:,">${reload}`,
    body: html`<body>
<div class="page">
${header}
<main>
<h1>${title}</h1>
${inside}
</main>
</div>
</body>`,
    styles: [CLOSED_STYLE, brandStyle(brand?.accent ?? null)],
    script: null,
    policy: ['img-src data:', "frame-ancestors 'self'"],
  });
}

/** For a link that used to work: branded, with a phone number to call. */
export const renderClosed = (view: ClosedView): Document => renderMessage(messageOf(view), view);

/** The recipient of an open page, and its organization. */
type Recipient = Reader & { readonly organization: Brand };

/** For the earlier link of a member, once someone else records the intro. */
export function renderReassigned(reader: Reader, member: string, next: NextLink | null): Document {
  const texts = textsIn(reader.language);
  const message = { title: texts.reassignedTitle(member), text: texts.reassigned, ...leadOn(next, texts) };
  return renderMessage(message, { ...reader, audience: 'member' });
}

/** The way back to the video, if the page still shows one. */
const wayBack = (view: PageView) => (view.replacedFor === null ? { backTo: pathOf(view) } : {});

/** Confirms that the recipient opted out. */
export function renderOptedOut(view: PageView, { canUndo }: NonNullable<PageView['optOut']>): Document {
  const { optedOutTitle: title, optedOut } = textsIn(view.language);
  const undo = canUndo ? renderUndo(view, 'button') : null;
  return renderMessage({ title, text: optedOut(view.organization.name), undo, ...wayBack(view) }, view);
}

/** Confirms that the recipient gets texts again. */
export function renderTextsAllowed(view: PageView): Document {
  const { allowedTitle: title, allowed } = textsIn(view.language);
  return renderMessage({ title, text: allowed(view.organization.name), ...wayBack(view) }, view);
}

export function renderReplyProblem(recipient: Recipient, problem: ReplyProblem, backTo: string): Document {
  const { replyProblemTitle: title, noQuestion, longQuestion, longNote } = textsIn(recipient.language);
  const text = { no_question: noQuestion, long_question: longQuestion, long_note: longNote }[problem];
  return renderMessage({ title, text, backTo }, recipient);
}

export function renderTooManyReplies(recipient: Recipient): Document {
  const { tooManyRepliesTitle: title, tooManyReplies } = textsIn(recipient.language);
  return renderMessage({ title, text: tooManyReplies(recipient.organization.name) }, recipient);
}

/**
 * A page of no organization. `unknown`: for a link that never worked, or does not work yet; both look the same, so that neither
 * reveals anything. `unavailable`: while the database does not respond.
 */
export function renderPlain(language: Language, name: 'unknown' | 'tooMany' | 'unavailable'): Document {
  const { [name]: text, [`${name}Title` as const]: title } = textsIn(language);
  const reload = name === 'unavailable' ? { reloadAfterS: RELOAD_AFTER_S } : {};
  return renderMessage({ title, text, ...reload }, { language, organization: null });
}

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
  const { office_phone: officePhone } = organization;
  if (officePhone === null) return null;
  return html`<a class="button full" href="tel:${officePhone}">${ICONS.phone}${textsIn(language).callOffice}</a>
<p class="number"><a href="tel:${officePhone}">${formatPhone(officePhone)}</a></p>`;
}

type Reason = NonNullable<PageView['replacedFor']>;

function textOf(view: PageView, reason: Reason): string {
  const { name, office_phone: officePhone } = view.organization;
  const { first_name: firstName } = view.member;
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
<h1>${title}</h1>
<p>${textOf(view, reason)}</p>
${renderCall(view)}
</main>
${preview ? null : html`<footer>${renderTexts(view)}</footer>`}
</div>
</body>`,
    styles: [CARD_STYLE, brandStyle(organization.accent)],
    script: null,
    policy: ["img-src 'self'", `frame-ancestors ${preview ? "'self'" : "'none'"}`],
  });
}
