import {
  DEFAULT_REPLY_LABELS,
  directionOf,
  REPLY_MESSAGE_MAX_LENGTH,
  REPLY_NOTE_MAX_LENGTH,
  type ReplyType,
} from '@foreword/contract';
import { type Html, html, trusted } from '../platform/html.ts';
import { calendarLinks, hasContact } from './downloads.ts';
import {
  assemble,
  brandStyle,
  ICONS,
  type Inline,
  inline,
  PAGE_SCRIPT,
  PAGE_STYLE,
  PREVIEW_SCRIPT,
  pathOf,
  renderBrand,
  renderTexts,
  SAMPLE_SCRIPT,
} from './render.ts';
import { textsIn } from './texts/index.ts';
import {
  type Document,
  formatAppointment,
  formatDate,
  formatDuration,
  formatPhone,
  initials,
  openGraphLocale,
  type PageView,
} from './view.ts';

/** The organization's own labels are in its language. `insertReply` applies the same rule. */
const labelOf = ({ organization, language }: PageView, type: ReplyType): string =>
  (organization.language === language ? organization[`reply_${type}`] : null) ?? DEFAULT_REPLY_LABELS[language][type];

/** Plain forms, so that replies work without JavaScript. In a preview, the buttons do nothing. */
function renderForms(view: PageView, isPreview: boolean): Html {
  const texts = textsIn(view.language);
  const action = `${new URL(view.url).pathname}/reply`;
  const type = isPreview ? 'button' : 'submit';
  const oneTap = view.appointment === null ? 'thanks' : 'confirm';
  const ask = (reply: ReplyType, label: string, send: string, field: Html) => html`<details class="ask">
<summary class="button"><bdi>${labelOf(view, reply)}</bdi></summary>
<form method="post" action="${action}"><input type="hidden" name="reply" value="${reply}"><label for="${reply}">${label}</label>
<textarea id="${reply}" name="message" ${field}></textarea>
<button class="button full" type="${type}">${send}</button></form>
</details>`;
  return html`<form class="replies" method="post" action="${action}"><button class="button" type="${type}" name="reply" value="${oneTap}"><bdi>${labelOf(view, oneTap)}</bdi></button></form>
${view.appointment !== null && ask('reschedule', texts.whenSuits, texts.sendReply, html`rows="2" maxlength="${REPLY_NOTE_MAX_LENGTH}"`)}
${ask('question', texts.yourQuestion(view.member.first_name), texts.sendQuestion, html`rows="3" maxlength="${REPLY_MESSAGE_MAX_LENGTH}" required`)}`;
}

/** The reply buttons or, after a reply, what was sent and a way to change it. */
function renderReplies(view: PageView, { preview }: { readonly preview: boolean }): Html {
  const { reply, member } = view;
  const texts = textsIn(view.language);
  const forms = renderForms(view, preview);
  if (reply === null) {
    return html`<section class="card reply" id="reply"><h2>${texts.replyTo(member.first_name)}</h2>${forms}</section>`;
  }
  return html`<section class="card reply" id="reply">
<p class="done" role="status">${ICONS.check}<span><strong>${texts.replySent(member.first_name)}</strong><bdi>${texts.yourReply(reply.label)}</bdi></span></p>
<details class="change"><summary>${texts.changeReply}${ICONS.chevron}</summary><div>${forms}</div></details>
</section>`;
}

interface PageOptions {
  /** Shows the recipient's page in a frame of the recorder, without tracking. */
  readonly preview: boolean;
  /** Origin of the videos when browsers are redirected to the object store. */
  readonly mediaOrigin?: string | null;
  /** For a sample: forces a color scheme, regardless of the device's setting. */
  readonly scheme?: Scheme | undefined;
}

export type Scheme = 'light' | 'dark';

const inScheme = ({ text }: Inline, scheme: Scheme): Inline =>
  inline(
    text
      .replaceAll('@media(prefers-color-scheme:dark)', scheme === 'dark' ? '@media all' : '@media not all')
      .replace('color-scheme:light dark', `color-scheme:${scheme}`),
  );

const fullName = ({ member }: PageView): string => `${member.first_name} ${member.last_name}`;
const titleOf = ({ title, member, language }: PageView): string => title ?? textsIn(language).title(member.first_name);

/**
 * With each name isolated, in the direction of the other words: a name in Arabic does not turn an English title around, nor an
 * English name an Arabic title.
 */
function renderTitle(view: PageView): Html {
  const { recipient, member, organization } = view;
  const names = [fullName(view), organization.name, recipient.first_name, member.first_name].map((name) =>
    RegExp.escape(name),
  );
  const parts = titleOf(view).split(new RegExp(`(?<![\\p{L}\\p{M}])(${names.join('|')})(?![\\p{L}\\p{M}])`, 'u'));
  const isName = (index: number): boolean => index % 2 === 1;
  const direction = directionOf(parts.filter((_, index) => !isName(index)).join(' '));
  const words = parts.map((part, index) => (isName(index) ? html`<bdi>${part}</bdi>` : html`${part}`));
  return html`<h1 dir="${direction}">${words}</h1>`;
}

/**
 * Integrations and crawlers find the video by the only address that contains `.mp4` or `/video`, so other addresses with
 * these are percent-encoded.
 */
const hideVideoPattern = (address: string): string =>
  address
    .replaceAll(/\.mp4/gi, (found) => `%2E${found.slice(1)}`)
    .replaceAll(/\/video/gi, (found) => `/%76${found.slice(2)}`);

function renderHead(view: PageView): Html {
  const title = titleOf(view);
  const texts = textsIn(view.language);
  const description = texts.description(fullName(view), view.organization.name);
  const path = pathOf(view);
  // No og:video: it would be a second address of the video, and link previews show the picture anyway.
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="video.other">
<meta property="og:site_name" content="${view.organization.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${view.url}">
<meta property="og:locale" content="${openGraphLocale(view.language)}">
<meta property="og:image" content="${view.url}/card.jpg">
<meta property="og:image:type" content="image/jpeg">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${texts.videoOf(fullName(view))}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" type="image/svg+xml" href="${path}/icon.svg">
<link rel="preload" as="image" href="${path}/poster.jpg" fetchpriority="high">`;
}

function renderPlayer(view: PageView): Html {
  const path = pathOf(view);
  const { video } = view;
  const texts = textsIn(view.language);
  const length = formatDuration(video.durationMs);
  const captions = html`<track kind="captions" src="${path}/captions.vtt" srclang="${video.captionsLanguage}" label="${texts.captions}" default>`;
  return html`<div class="player">
<video src="${path}/${video.name}.mp4" poster="${path}/poster.jpg" width="${video.width}" height="${video.height}" aria-label="${texts.videoOf(fullName(view))}" preload="none" controls playsinline>${video.captionsLanguage && captions}</video>
<button class="play" id="play" type="button" aria-label="${texts.play(length)}" hidden><span class="disc">${ICONS.play}</span><span class="length">${length}</span></button>
<button class="play again" id="again" type="button" hidden><span class="disc">${ICONS.replay}</span><span class="length">${texts.replay}</span></button>
</div>
<p class="note" id="note" role="status" hidden>${texts.noVideo}</p>`;
}

function renderFace(view: PageView): Html {
  const { member } = view;
  if (member.photo === null) {
    return html`<span class="face" aria-hidden="true">${initials(member.first_name, member.last_name)}</span>`;
  }
  const name = textsIn(view.language).photo(fullName(view));
  return html`<img class="face" src="${pathOf(view)}/photo.jpg" alt="${name}" width="56" height="56" loading="lazy" decoding="async">`;
}

function renderWho(view: PageView): Html {
  const { member, organization } = view;
  const texts = textsIn(view.language);
  const role = member.title === null ? texts.roleless(organization.name) : texts.role(member.title, organization.name);
  return html`<div class="who">${renderFace(view)}<p><strong><bdi>${fullName(view)}</bdi></strong><span>${role}</span></p></div>`;
}

const renderSave = (view: PageView): Html | null =>
  hasContact(view)
    ? html`<a class="button save" href="${pathOf(view)}/contact.vcf" data-click="contact">${ICONS.contact}${textsIn(view.language).saveContact(view.member.first_name)}</a>`
    : null;

const externalLink = (address: string, label: string, more: Html | null = null): Html =>
  html`<a href="${hideVideoPattern(address)}" target="_blank" rel="noopener noreferrer"${more}>${label}</a>`;

function renderAppointment(view: PageView): Html | null {
  const { appointment, language } = view;
  const texts = textsIn(language);
  const links = calendarLinks(view);
  if (appointment === null || links === null) return null;
  const { day, time, zone } = formatAppointment(
    appointment.startsAtMs,
    { timezone: appointment.timezone, language },
    view.madeAtMs,
  );
  const calendar = (address: string, label: string) => externalLink(address, label, html` data-click="calendar"`);
  return html`<section class="card meet">
<h2>${texts.appointment}</h2>
<p class="time">${texts.when(day, time)}</p>
<p class="zone">${zone}</p>
<p class="add"><span>${ICONS.calendar}${texts.addToCalendar}</span><a href="${pathOf(view)}/appointment.ics" data-click="calendar">${texts.calendarFile}</a>${calendar(links.google, texts.google)}${calendar(links.outlook, texts.outlook)}</p>
</section>`;
}

function renderAction({ action }: PageView): Html | null {
  if (action === null) return null;
  return html`<a class="button full action" href="${hideVideoPattern(action.url)}" data-click="action" rel="noopener noreferrer"><bdi>${action.label}</bdi></a>`;
}

const renderNumber = (phone: string): Html => html`<bdi class="number">${formatPhone(phone)}</bdi>`;

/** The office's phone may be a landline, so only the number that texts the recipient is offered for texts. */
function renderReach({ member, organization, textsFrom, language }: PageView): Html | null {
  const texts = textsIn(language);
  const [calls, writes] = [member.phone ?? organization.office_phone, member.phone ?? textsFrom];
  if (calls === null && writes === null) return null;
  const isMembers = member.phone !== null;
  const call = isMembers ? texts.call(member.first_name) : texts.callOffice;
  const text = isMembers ? texts.text(member.first_name) : texts.textOffice;
  return html`<div class="reach">${
    calls !== null &&
    html`<a class="button" href="tel:${calls}" data-click="call">${ICONS.phone}<span>${call}</span>${renderNumber(calls)}</a>`
  }${
    writes !== null &&
    html`<a class="button" href="sms:${writes}" data-click="text">${ICONS.message}<span>${text}</span>${writes !== calls && renderNumber(writes)}</a>`
  }</div>`;
}

const detail = (name: string, value: string | Html): Html => html`<dt>${name}</dt><dd>${value}</dd>`;

function renderCheck(view: PageView): Html {
  const { member, organization, language } = view;
  const texts = textsIn(language);
  const { name, office_phone: officePhone, license, website, timezone } = organization;
  const details: Html[] = [];
  if (officePhone !== null) {
    details.push(
      detail(texts.office, html`<a href="tel:${officePhone}" data-click="call">${formatPhone(officePhone)}</a>`),
    );
  }
  if (license !== null) details.push(detail(texts.license, license));
  if (website !== null) details.push(detail(texts.website, externalLink(website, new URL(website).hostname)));
  details.push(detail(texts.madeOn, formatDate(view.madeAtMs, { timezone, language })));
  details.push(detail(texts.sentBy, texts.sentByForeword(name)));
  const advice = officePhone === null ? texts.checkWithout(member.first_name) : texts.checkByPhone(member.first_name);
  return html`<details class="card check">
<summary>${ICONS.shield}<span>${texts.isItReally(name)}</span>${ICONS.chevron}</summary>
<div class="inside">
<p>${texts.checkIntro(fullName(view), name)}</p>
${renderWho(view)}
<p>${advice}</p>
<dl>${details}</dl>
</div>
</details>`;
}

/** In a portrait video the play button covers the chest, not the face. */
const shapeOf = ({ width, height }: PageView['video']): string =>
  `;--fit:${(width / height).toFixed(4)};--disc:${width < height ? '76%' : '50%'}`;

export function renderPage(view: PageView, { preview, mediaOrigin = null, scheme }: PageOptions): Document {
  const { organization, video, language } = view;
  const texts = textsIn(language);
  const script = scheme !== undefined ? SAMPLE_SCRIPT : preview ? PREVIEW_SCRIPT : PAGE_SCRIPT;
  const styles = [PAGE_STYLE, brandStyle(organization.accent, shapeOf(video))];
  const seen = preview ? trusted('') : html` data-seen="${pathOf(view)}/seen"`;
  const body = html`<body${seen}>
<div class="page">
<header class="brand">${renderBrand(view)}</header>
<main${preview && html` aria-label="${texts.preview}"`}>
<div class="lead">
<p class="for"><bdi>${texts.forWhom(view.recipient.first_name)}</bdi></p>
${renderTitle(view)}
</div>
<div class="video">${renderPlayer(view)}</div>
<div class="rest">
${renderWho(view)}
${renderSave(view)}
${renderAppointment(view)}
${renderReplies(view, { preview })}
${renderAction(view)}
${renderReach(view)}
${renderCheck(view)}
</div>
</main>
<footer>
<p>${texts.footer(organization.name)}</p>
${preview ? null : renderTexts(view)}
</footer>
</div>
<script>${trusted(script.text)}</script>
</body>`;
  return assemble({
    language,
    title: `${titleOf(view)} · ${organization.name}`,
    head: renderHead(view),
    body,
    styles: scheme === undefined ? styles : styles.map((style) => inScheme(style, scheme)),
    script,
    policy: [
      "img-src 'self'",
      `media-src 'self'${mediaOrigin === null ? '' : ` ${mediaOrigin}`}`,
      ...(preview ? ["frame-ancestors 'self'"] : ["connect-src 'self'", "frame-ancestors 'none'"]),
    ],
  });
}
