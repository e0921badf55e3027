import {
  type DeclineReason,
  isolated,
  type Language,
  LOCALES,
  withoutDirection,
  withoutReordering,
} from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { IntroWithMember } from '../../intros/index.ts';
import { brandColors } from '../../organizations/index.ts';
import { html, trusted } from '../../platform/html.ts';
import type { AccountFault } from '../carriers/codes.ts';
import type { PauseReason } from '../limits/rules.ts';
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
export const DARK_EMAIL = trusted(
  '@media (prefers-color-scheme:dark){.page{background:#151412!important;color:#f4f1ea!important}' +
    '.cell{background:#1f1d1a!important;border-color:#37332d!important}.soft{color:#aea89d!important}.ink{color:#f4f1ea!important}}',
);
/** Without it, some mail clients invert the colors themselves. */
const SCHEMES = trusted(
  '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
);

/** HTML for mail clients: no images, nothing loaded from another host. */
export function renderEmailHtml(email: Email | EmailWithLink, accent: string | null): string {
  const { accent: background, edge, onAccent } = brandColors(accent).light;
  const button = `display:inline-block;padding:14px 24px;border-radius:10px;border:1px solid ${edge};background:${background};color:${onAccent};font-weight:600;text-decoration:none`;
  const page = html`<!doctype html>
<html lang="${email.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${SCHEMES}<title>${withoutDirection(email.subject)}</title><style>${DARK_EMAIL}</style></head>
<body class="page" style="margin:0;padding:24px 16px;background:#faf8f4;color:#151412;overflow-wrap:anywhere;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto">
<p>${email.greeting}</p>
${email.lines.map((line) => html`<p>${line}</p>`)}
${'link' in email && html`<p style="margin:28px 0"><a href="${email.link}" style="${button}">${email.button}</a></p>`}
<p class="soft" style="color:#5d5a54;font-size:14px">${withoutDirection(email.organization)}</p>
</div>
</body>
</html>
`;
  return page.text;
}

/** Why the service disabled an endpoint. */
export type DisabledReason = NonNullable<Row<'webhook_endpoints'>['disabled_reason']>;

/** The owner who gets an email, and the organization that it is about. */
export interface Addressee {
  readonly organization: Pick<Row<'organizations'>, 'name' | 'timezone' | 'language'>;
  readonly ownerFirstName: string;
}

const addressed = ({ organization: { name, language }, ownerFirstName }: Addressee) => ({
  language,
  greeting: wordingIn(language).greeting(ownerFirstName),
  organization: wordingIn(language).sender(name),
});

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
  return {
    ...addressed(to),
    subject: subject(host),
    lines: [
      // Without user and query, which may be secrets.
      off(name, `${origin}${pathname} (${endpoint.id})`),
      reasons[reason],
      effect,
      fix(`/v1/webhook_endpoints/${endpoint.id}`),
      ignore,
    ],
  };
}

export function writeExpiringKey(to: Addressee, key: Row<'api_keys'>): Email {
  const { name, timezone: timeZone, language } = to.organization;
  const wording = wordingIn(language).key;
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    ...{ timeZone, weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  });
  const expiresAt = key.expires_at ?? key.created_at;
  const day = new Intl.DateTimeFormat(LOCALES[language], { timeZone, dateStyle: 'long' }).format(expiresAt);
  return {
    ...addressed(to),
    subject: wording.subject(key.name, day),
    lines: [
      wording.expires(key, name, format.format(expiresAt)),
      key.last_used_at === null ? wording.neverUsed : wording.lastUsed(format.format(key.last_used_at)),
      wording.replace,
      wording.ignore,
    ],
  };
}

export function writeTextsPaused(to: Addressee, reason: PauseReason, consoleUrl: string): Email {
  const { name, language } = to.organization;
  const { subject, paused, reasons, unexpected, resume } = wordingIn(language).paused;
  return {
    ...addressed(to),
    subject: subject(name),
    lines: [paused(name, reasons[reason]), unexpected, resume(consoleUrl)],
  };
}

export function writeDailyLimit(
  to: Addressee,
  { member, limit }: { readonly member: string | null; readonly limit: number },
  consoleUrl: string,
): Email {
  const { name, language } = to.organization;
  const wording = wordingIn(language).dailyLimit;
  const texts = new Intl.NumberFormat(LOCALES[language]).format(limit);
  return {
    ...addressed(to),
    subject: wording.subject(name),
    lines: [
      member === null ? wording.organization(name, texts) : wording.member(member, texts),
      wording.effect(consoleUrl),
      wording.unexpected,
    ],
  };
}

/** Contains a link that signs in, so it is never stored. */
export function writeSignIn(
  {
    organization: { name, language },
    first_name: firstName,
  }: {
    readonly organization: Pick<Row<'organizations'>, 'name' | 'language'>;
    readonly first_name: string;
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
  return {
    ...addressed(to),
    subject: subject(name),
    lines: [
      `${faults[fault.fault]} ${fault.isHeld ? held : failed}`,
      next[fault.fault],
      `${fault.isOwnAccount ? ownAccount : sharedAccount} ${details(fault.message.replace(/\.$/, ''), consoleUrl)}`,
    ],
  };
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
  const { language, timezone: timeZone } = to.organization;
  const { subject, declined, reasons, action, due } = wordingIn(language).declined;
  const member = `${intro.member_first_name} ${intro.member_last_name}`;
  const recipient = [intro.recipient_first_name, intro.recipient_last_name].filter((name) => name !== null).join(' ');
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    ...{ timeZone, weekday: 'long', month: 'long', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  });
  return {
    ...addressed(to),
    subject: subject(member, recipient),
    lines: [
      declined(member, recipient, reasons[reason]),
      ...(message === null ? [] : [`“${isolated(message)}”`]),
      intro.expires_at === null ? action : `${action} ${due(format.format(intro.expires_at))}`,
      link,
    ],
  };
}
