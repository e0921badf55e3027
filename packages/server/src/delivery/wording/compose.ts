import type { Appointment } from '../../intros/index.ts';
import type { Links } from '../../links/index.ts';
import type { Logger } from '../../platform/log.ts';
import type { Channel } from '../../tables.ts';
import type { Mail, Text } from '../carriers/carrier.ts';
import type { DueMessage } from '../store/due.ts';
import type { MessageRow } from '../store/messages.ts';
import { renderEmailHtml, renderEmailText } from './email.ts';
import { measureText } from './segments.ts';
import { toStored } from './stored.ts';
import { type MemberMessage, writeMemberEmail, writeMemberText, writeRecipientText } from './texts.ts';

/** For the message's row. */
interface Stored extends Pick<MessageRow, 'body' | 'wording'> {
  readonly subject: string | null;
  readonly segments: number | null;
}

export type OutgoingMessage =
  | { readonly channel: 'text'; readonly message: Text; readonly stored: Stored }
  | { readonly channel: 'email'; readonly message: Mail; readonly stored: Stored };

export interface Draft {
  readonly row: DueMessage;
  readonly channel: Channel;
  readonly address: string;
  /** Whether it is the organization's first text to this number. */
  readonly isFirst: boolean;
  readonly appointment: Appointment | null;
}

interface ComposeDeps {
  readonly links: Links;
  readonly publicUrl: string;
  readonly log: Logger;
}

function toMemberMessage({ row, appointment }: Draft, link: string): MemberMessage {
  return {
    organization: row.organization_name,
    recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
    memberFirstName: row.member_first_name,
    purpose: row.purpose,
    deadline: row.expires_at === null ? null : { at: row.expires_at, timezone: appointment?.timezone ?? row.timezone },
    link,
  };
}

function composeRecipientText({ links, log }: ComposeDeps, { row, appointment, isFirst }: Draft): string {
  const { body, problem } = writeRecipientText({
    template: row.text_message,
    values: {
      recipient: { first_name: row.recipient_first_name, last_name: row.recipient_last_name },
      member: { first_name: row.member_first_name, last_name: row.member_last_name },
      organization: { name: row.organization_name },
      appointment,
      trade: row.context?.trade ?? null,
      lane: row.context?.lane ?? null,
    },
    link: links.pageUrl(row.intro_id),
    isFirst,
  });
  if (problem !== null) {
    const { organization_id: organization, touchpoint_slug: touchpoint } = row;
    log.warn({ organization, touchpoint, problem: problem.message }, "default text sent instead of the touchpoint's");
  }
  return body;
}

export function composeMessage(deps: ComposeDeps, draft: Draft): OutgoingMessage {
  const { row, channel, address, isFirst } = draft;
  const { links } = deps;
  const sent = { id: row.id, to: address, attempt: row.attempts + 1 };
  if (channel === 'email') {
    const email = writeMemberEmail(toMemberMessage(draft, links.recordUrl(row.intro_id, row.link_generation)));
    const { subject } = email;
    const text = renderEmailText(email);
    const html = renderEmailHtml(email, row.accent);
    return {
      channel,
      message: { ...sent, fromName: row.organization_name, subject, text, html },
      stored: { subject, ...toStored(links, text, row), segments: null },
    };
  }
  const body =
    row.audience === 'member'
      ? writeMemberText(toMemberMessage(draft, links.recordUrl(row.intro_id, row.link_generation)), isFirst)
      : composeRecipientText(deps, draft);
  return {
    channel,
    message: { ...sent, body, statusUrl: statusUrlOf(deps.publicUrl, row) },
    stored: { subject: null, ...toStored(links, body, row), segments: measureText(body).segments },
  };
}

/** Contains organization and message, to find the row by its key. It is no secret: carriers sign their calls. */
const statusUrlOf = (publicUrl: string, { organization_id, id }: DueMessage): string =>
  `${publicUrl}/carriers/status/${organization_id}/${id}`;
