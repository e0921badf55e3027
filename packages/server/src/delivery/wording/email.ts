import { isolated, sentence, withoutDirection, withoutReordering } from '@foreword/contract';
import { brandColors } from '../../organizations/index.ts';
import { html } from '../../platform/html.ts';
import type { ApiKeyRow, OrganizationRow, WebhookEndpointRow } from '../../tables.ts';
import type { PauseReason } from '../limits/rules.ts';

export interface Email {
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

/** HTML for mail clients: no images, no style sheet, nothing loaded from another host. */
export function renderEmailHtml(email: Email | EmailWithLink, accent: string | null): string {
  const { accent: background, onAccent } = brandColors(accent).light;
  const button = `display:inline-block;padding:14px 24px;border-radius:10px;background:${background};color:${onAccent};font-weight:600;text-decoration:none`;
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${withoutDirection(email.subject)}</title></head>
<body style="margin:0;padding:24px;background:#faf8f4;color:#151412;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto">
<p>${email.greeting}</p>
${email.lines.map((line) => html`<p>${line}</p>`)}
${'link' in email && html`<p style="margin:28px 0"><a href="${email.link}" style="${button}">${email.button}</a></p>`}
<p style="color:#5d5a54;font-size:14px">${withoutDirection(email.organization)}</p>
</div>
</body>
</html>
`;
  return page.text;
}

/** Why the service disabled an endpoint. */
export type DisabledReason = NonNullable<WebhookEndpointRow['disabled_reason']>;

const REASONS: Readonly<Record<DisabledReason, string>> = {
  gone: 'It responded with status 410, which means that it no longer wants any webhooks.',
  failing: 'Everything sent to it has failed for five days.',
};

interface DisabledEndpoint {
  readonly endpoint: Pick<WebhookEndpointRow, 'id' | 'url'>;
  readonly reason: DisabledReason;
  readonly organization: string;
  readonly ownerFirstName: string;
}

export function writeDisabledEndpoint({ endpoint, reason, organization, ownerFirstName }: DisabledEndpoint): Email {
  const { host, origin, pathname } = new URL(endpoint.url);
  const path = `/v1/webhook_endpoints/${endpoint.id}`;
  return {
    subject: `Webhooks to ${host} are turned off`,
    greeting: sentence`Hi ${ownerFirstName},`,
    lines: [
      // Without user and query, which may be secrets.
      `Foreword has turned off a webhook endpoint of ${isolated(organization)}: ${origin}${pathname} (${endpoint.id}).`,
      REASONS[reason],
      'Pending webhooks to it will not be sent, and it will not receive new ones. Your intros are not affected.',
      `To turn it on again, fix the receiver, then call POST ${path} with {"active": true}. POST ${path}/replay sends the missed webhooks again, and GET ${path}/attempts shows each response.`,
      "If you no longer need this endpoint, you don't have to do anything.",
    ],
    organization: `Foreword, for ${organization}`,
  };
}

interface ExpiringKey {
  readonly key: ApiKeyRow;
  readonly organization: Pick<OrganizationRow, 'name' | 'timezone'>;
  readonly ownerFirstName: string;
}

export function writeExpiringKey({ key, organization, ownerFirstName }: ExpiringKey): Email {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: organization.timezone, dateStyle: 'full' as const, timeStyle: 'long' as const },
  });
  const expiresAt = key.expires_at ?? key.created_at;
  const day = new Intl.DateTimeFormat('en-US', { timeZone: organization.timezone, dateStyle: 'long' }).format(
    expiresAt,
  );
  const lastUse =
    key.last_used_at === null ? 'It has never been used.' : `It was last used on ${format.format(key.last_used_at)}.`;
  return {
    subject: `The API key “${key.name}” expires on ${day}`,
    greeting: sentence`Hi ${ownerFirstName},`,
    lines: [
      `The API key “${key.name}” of ${organization.name}, which ends with ${key.ending}, expires on ${format.format(expiresAt)}. From then on, requests with it are rejected.`,
      lastUse,
      'To keep the system that uses it working, create another key in the console under Developers, Keys, and replace this one. Or change its expiration date there.',
      'If no system needs this key any more, you don’t have to do anything.',
    ],
    organization: `Foreword, for ${organization.name}`,
  };
}

const PAUSE_REASONS: Readonly<Record<PauseReason, string>> = {
  burst: 'Far more texts than usual were about to be sent today.',
  failures: 'Most of today’s texts could not be delivered.',
};

interface TextNotice {
  readonly organization: string;
  readonly ownerFirstName: string;
  readonly consoleUrl: string;
}

export const writeTextsPaused = (
  { organization, ownerFirstName, consoleUrl }: TextNotice,
  reason: PauseReason,
): Email => ({
  subject: `${organization}: texts are paused`,
  greeting: `Hi ${ownerFirstName},`,
  lines: [
    `Foreword has paused the text messages of ${organization}. ${PAUSE_REASONS[reason]}`,
    'If you did not expect this, an API key or an account may be in the wrong hands: check the API keys and the recent intros in the console first.',
    `To send the waiting texts, sign in as an owner at ${consoleUrl} and resume them. Nothing is lost until then, and members are notified by email.`,
  ],
  organization: `Foreword, for ${organization}`,
});

export const writeDailyLimit = (
  { organization, ownerFirstName, consoleUrl }: TextNotice,
  { member, limit }: { readonly member: string | null; readonly limit: number },
): Email => ({
  subject: `${organization} has reached a daily limit for texts`,
  greeting: `Hi ${ownerFirstName},`,
  lines: [
    member === null
      ? `${organization} has sent ${limit} text messages today, which is its daily limit.`
      : `${limit} text messages about the intros of ${member} were sent today, which is the daily limit for one member.`,
    `Further texts wait until tomorrow, and nothing is lost. ${consoleUrl} shows the limits. Your administrator can change them.`,
    'If you did not expect this, check the API keys and the recent intros in the console.',
  ],
  organization: `Foreword, for ${organization}`,
});
