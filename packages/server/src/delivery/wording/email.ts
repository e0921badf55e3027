import {
  type DeclineReason,
  isolated,
  type Language,
  LOCALES,
  withoutDirection,
  withoutReordering,
} from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { IntroWithMember, WeekCount, WeekCounts } from '../../intros/index.ts';
import { brandColors } from '../../organizations/index.ts';
import { type Html, html, trusted } from '../../platform/html.ts';
import type { Mail } from '../carriers/carrier.ts';
import type { AccountFault } from '../carriers/codes.ts';
import type { PauseReason } from '../queue/rules.ts';
import { wordingIn } from './languages/index.ts';

export interface Email {
  readonly language: Language;
  readonly subject: string;
  readonly greeting: string;
  readonly lines: readonly string[];
  /** The sender, at the bottom. */
  readonly organization: string;
}

export interface EmailWithLink extends Email {
  readonly button: string;
  readonly link: string;
}

/** Paragraphs with an empty line between them. */
export const renderEmailText = (email: Email | EmailWithLink): string =>
  withoutReordering(
    'link' in email
      ? [email.greeting, '', ...email.lines, '', email.link, '', email.organization, ''].join('\n')
      : `${[email.greeting, ...email.lines, email.organization].join('\n\n')}\n`,
  );

/** Mail clients that drop the style sheet show the light colors, which are in the attributes. */
const DARK = trusted(
  '@media (prefers-color-scheme:dark){.page{background:#151412!important;color:#f4f1ea!important}' +
    '.cell{background:#1f1d1a!important;border-color:#37332d!important}.soft{color:#aea89d!important}.ink{color:#f4f1ea!important}}',
);
/** Without it, some mail clients invert the colors themselves. */
const SCHEMES = trusted(
  '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
);
const SOFT = 'color:#5d5a54;font-size:14px';

/** HTML for mail clients: no images, nothing loaded from another host. */
const emailPage = ({ language, subject }: Pick<Email, 'language' | 'subject'>, content: Html): string =>
  html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${SCHEMES}<title>${withoutDirection(subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:24px 16px;background:#faf8f4;color:#151412;overflow-wrap:anywhere;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto">
${content}
</div>
</body>
</html>
`.text;

function emailButton(link: string, label: string, accent: string | null): Html {
  const { accent: background, edge, onAccent } = brandColors(accent).light;
  const style = `display:inline-block;padding:14px 24px;border-radius:10px;border:1px solid ${edge};background:${background};color:${onAccent};font-weight:600;text-decoration:none`;
  return html`<p style="margin:28px 0"><a href="${link}" style="${style}">${label}</a></p>`;
}

export const renderEmailHtml = (email: Email | EmailWithLink, accent: string | null): string =>
  emailPage(
    email,
    html`<p>${email.greeting}</p>
${email.lines.map((line) => html`<p>${line}</p>`)}
${'link' in email && emailButton(email.link, email.button, accent)}
<p class="soft" style="${SOFT}">${withoutDirection(email.organization)}</p>`,
  );

/** Why the service disabled an endpoint. */
export type DisabledReason = NonNullable<Row<'webhook_endpoints'>['disabled_reason']>;

/** The owner who gets an email, and the organization that it is about. */
interface Addressee {
  readonly organization: Pick<Row<'organizations'>, 'name' | 'timezone' | 'language'>;
  readonly ownerFirstName: string;
}

const toOwner = ({ organization, ownerFirstName }: Addressee, subject: string, lines: readonly string[]): Email => {
  const { name, language } = organization;
  const { greeting, sender } = wordingIn(language);
  return { language, subject, greeting: greeting(ownerFirstName), lines, organization: sender(name) };
};

/** With the weekday, and in the time zone of the organization. */
const formatTime = (
  { language, timezone: timeZone }: Addressee['organization'],
  at: Date,
  year?: Intl.DateTimeFormatOptions['year'],
): string =>
  new Intl.DateTimeFormat(LOCALES[language], {
    ...{ timeZone, weekday: 'long', year, month: 'long', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  }).format(at);

export const fullName = (first: string, last: string | null): string => (last === null ? first : `${first} ${last}`);

export function writeDisabledEndpoint(
  to: Addressee,
  {
    endpoint,
    reason,
  }: { readonly endpoint: Pick<Row<'webhook_endpoints'>, 'id' | 'url'>; readonly reason: DisabledReason },
): Email {
  const { name, language } = to.organization;
  const { subject, off, reasons, effect, fix, ignore } = wordingIn(language).webhooks;
  const { host, origin, pathname } = new URL(endpoint.url);
  return toOwner(to, subject(host), [
    // Without user and query, which may be secrets.
    off(name, `${origin}${pathname} (${endpoint.id})`),
    reasons[reason],
    effect,
    fix(`/v1/webhook_endpoints/${endpoint.id}`),
    ignore,
  ]);
}

export function writeExpiringKey(to: Addressee, key: Row<'api_keys'>): Email {
  const { organization } = to;
  const { language, timezone: timeZone } = organization;
  const wording = wordingIn(language).key;
  const expiresAt = key.expires_at ?? key.created_at;
  const day = new Intl.DateTimeFormat(LOCALES[language], { timeZone, dateStyle: 'long' }).format(expiresAt);
  return toOwner(to, wording.subject(key.name, day), [
    wording.expires(key, organization.name, formatTime(organization, expiresAt, 'numeric')),
    key.last_used_at === null
      ? wording.neverUsed
      : wording.lastUsed(formatTime(organization, key.last_used_at, 'numeric')),
    wording.replace,
    wording.ignore,
  ]);
}

export function writeTextsPaused(to: Addressee, reason: PauseReason, consoleUrl: string): Email {
  const { name, language } = to.organization;
  const { subject, paused, reasons, unexpected, resume } = wordingIn(language).paused;
  return toOwner(to, subject(name), [paused(name, reasons[reason]), unexpected, resume(consoleUrl)]);
}

export function writeDailyLimit(
  to: Addressee,
  { member, limit }: { readonly member: string | null; readonly limit: number },
  consoleUrl: string,
): Email {
  const { name, language } = to.organization;
  const wording = wordingIn(language).dailyLimit;
  const texts = new Intl.NumberFormat(LOCALES[language]).format(limit);
  const reached = member === null ? wording.organization(name, texts) : wording.member(member, texts);
  return toOwner(to, wording.subject(name), [reached, wording.effect(consoleUrl), wording.unexpected]);
}

/** Contains a link that signs in, so it is never stored. */
export function writeSignIn(
  {
    organization: { name },
    first_name: firstName,
    language,
  }: {
    readonly organization: Pick<Row<'organizations'>, 'name'>;
    readonly first_name: string;
    readonly language: Language;
  },
  link: string,
): EmailWithLink {
  const { greeting, signIn } = wordingIn(language);
  return {
    language,
    subject: signIn.subject(name),
    greeting: greeting(firstName),
    lines: [signIn.lead, signIn.notYou],
    button: signIn.button,
    link,
    organization: name,
  };
}

export interface CarrierFault {
  readonly fault: AccountFault;
  /** The carrier's own words. */
  readonly message: string;
  /** All texts wait until the account works; otherwise, only one text failed. */
  readonly isHeld: boolean;
  readonly isOwnAccount: boolean;
}

export function writeCarrierFault(to: Addressee, fault: CarrierFault, consoleUrl: string): Email {
  const { name, language } = to.organization;
  const { subject, faults, held, failed, next, ownAccount, sharedAccount, details } = wordingIn(language).carrierFault;
  const account = fault.isOwnAccount ? ownAccount : sharedAccount;
  return toOwner(to, subject(name), [
    `${faults[fault.fault]} ${fault.isHeld ? held : failed}`,
    next[fault.fault],
    `${account} ${details(fault.message.replace(/\.$/, ''), consoleUrl)}`,
  ]);
}

type Intro = Pick<
  IntroWithMember,
  'recipient_first_name' | 'recipient_last_name' | 'member_first_name' | 'member_last_name' | 'expires_at'
>;

/** The email with its last paragraph, which is the link, as a button. */
export const withButton = (email: Email): EmailWithLink => ({
  ...email,
  lines: email.lines.slice(0, -1),
  button: wordingIn(email.language).introButton,
  link: email.lines.at(-1) ?? '',
});

/** To owners and managers. Its last paragraph is the link to the intro in the console. */
export function writeDeclinedIntro(
  to: Addressee,
  intro: Intro,
  { reason, message }: { readonly reason: DeclineReason; readonly message: string | null },
  link: string,
): Email {
  const { subject, declined, reasons, action, due } = wordingIn(to.organization.language).declined;
  const member = fullName(intro.member_first_name, intro.member_last_name);
  const recipient = fullName(intro.recipient_first_name, intro.recipient_last_name);
  const { expires_at: expiresAt } = intro;
  return toOwner(to, subject(member, recipient), [
    declined(member, recipient, reasons[reason]),
    ...(message === null ? [] : [`“${isolated(message)}”`]),
    expiresAt === null ? action : `${action} ${due(formatTime(to.organization, expiresAt))}`,
    link,
  ]);
}

/** Stored with the summary, so that each owner gets the same figures, whenever the mail server accepts them. */
export interface SummaryFigures extends WeekCounts {
  /** The intros that have waited the longest to be recorded. */
  readonly longest: readonly {
    readonly id: string;
    readonly recipient: string;
    readonly member: string;
    readonly since: string;
  }[];
}

interface WrittenSummary extends Addressee {
  /** Its first and its last day, such as `2026-03-02`. */
  readonly first: string;
  readonly last: string;
  readonly figures: SummaryFigures;
  readonly consoleUrl: string;
  /** Null in the stored text, which must not contain links that work without signing in. */
  readonly offUrl: string | null;
}

const FIGURES = ['sent', 'watched', 'answered', 'waiting'] as const;

/** The words of both forms of the email. */
function compose({ organization, ownerFirstName, first, last, figures, consoleUrl }: WrittenSummary) {
  const { name, language, timezone: timeZone } = organization;
  const words = wordingIn(language).summary;
  const locale = LOCALES[language];
  const { format } = new Intl.NumberFormat(locale);
  const day = { month: 'long', day: 'numeric' } as const;
  const since = new Intl.DateTimeFormat(locale, { ...day, timeZone });
  // "November 16 – 22"
  const week = new Intl.DateTimeFormat(locale, { ...day, timeZone: 'UTC' });
  const days = week.formatRange(new Date(first), new Date(last));
  const compare = ({ now, before }: WeekCount): string => {
    if (now === before) return words.same;
    return now > before ? words.more(format(now - before)) : words.fewer(format(before - now));
  };
  return {
    subject: words.subject(withoutDirection(name), days),
    greeting: wordingIn(language).greeting(ownerFirstName),
    lead: words.lead(isolated(name), days),
    figures: FIGURES.map((figure) => ({
      label: words.figures[figure],
      amount: format(figures[figure].now),
      comparison: compare(figures[figure]),
    })),
    longest: figures.longest.map((intro) => ({
      recipient: intro.recipient,
      waiting: words.waiting(intro.member, since.format(new Date(intro.since))),
      url: `${consoleUrl}/intros/${intro.id}`,
    })),
    overviewUrl: `${consoleUrl}/overview`,
  };
}

type Composed = ReturnType<typeof compose>;

function renderText({ organization: { name, language }, offUrl }: WrittenSummary, composed: Composed): string {
  const { longest: title, button, why, off } = wordingIn(language).summary;
  const { greeting, lead, figures, longest, overviewUrl } = composed;
  const waiting = longest.map((intro) => `- ${isolated(intro.recipient)}, ${intro.waiting}\n  ${intro.url}`);
  const paragraphs = [
    greeting,
    lead,
    figures.map(({ label, amount, comparison }) => `${label}: ${amount} (${comparison})`).join('\n'),
    ...(waiting.length === 0 ? [] : [`${title}:\n${waiting.join('\n')}`]),
    `${button}: ${overviewUrl}`,
    wordingIn(language).sender(name),
    why + (offUrl === null ? '' : ` ${off}: ${offUrl}`),
  ];
  return withoutReordering(`${paragraphs.join('\n\n')}\n`);
}

function renderHtml({ organization: { name, language }, offUrl }: WrittenSummary, composed: Composed): string {
  const { longest: title, button, why, off } = wordingIn(language).summary;
  const { subject, greeting, lead, figures, longest, overviewUrl } = composed;
  const cells = figures.map(
    ({ label, amount, comparison }) => html`
<td class="cell" width="50%" valign="top" style="padding:14px 16px;background:#ffffff;border:1px solid #e5e0d6">
<span class="soft" style="${SOFT}">${label}</span><br>
<strong style="font-size:26px;line-height:1.3">${amount}</strong><br>
<span class="soft" style="${SOFT}">${comparison}</span></td>`,
  );
  const waiting = longest.map(
    (
      intro,
    ) => html`<li style="margin:0 0 10px"><a class="ink" href="${intro.url}" style="color:#1d1b18;font-weight:600">${intro.recipient}</a><br>
<span class="soft" style="${SOFT}">${intro.waiting}</span></li>
`,
  );
  const list = html`<h2 style="margin:28px 0 8px;font-size:16px">${title}</h2>
<ul style="margin:0;padding:0;list-style:none">
${waiting}</ul>`;
  return emailPage(
    { language, subject },
    html`<p>${greeting}</p>
<p>${lead}</p>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;margin:20px 0;font-size:16px">
<tr>${cells.slice(0, 2)}</tr>
<tr>${cells.slice(2)}</tr>
</table>
${longest.length > 0 && list}
${emailButton(overviewUrl, button, null)}
<p class="soft" style="${SOFT}">${wordingIn(language).sender(withoutDirection(name))}<br>
${why}${offUrl !== null && html` <a class="soft" href="${offUrl}" style="color:#5d5a54">${off}</a>`}</p>`,
  );
}

export function writeSummary(summary: WrittenSummary): Pick<Mail, 'subject' | 'text' | 'html'> {
  const composed = compose(summary);
  return {
    subject: composed.subject,
    text: renderText(summary, composed),
    html: () => renderHtml(summary, composed),
  };
}
