/** Folder: composes the wording of texts and emails. */

import { measureText } from '@foreword/contract';
import type { Appointment } from '../../intros/index.ts';
import type { Links } from '../../links/index.ts';
import type { Logger } from '../../platform/log.ts';
import type { Channel } from '../../tables.ts';
import { textMessageIn } from '../../touchpoints/index.ts';
import type { Mail, Text } from '../carriers/carrier.ts';
import type { DueMessage } from '../store/due.ts';
import type { MessageRow } from '../store/messages.ts';
import { type EmailWithLink, renderEmailHtml, renderEmailText } from './email.ts';
import {
  hideLink,
  type MemberMessage,
  type ReplyNotification,
  writeAnswerText,
  writeMemberEmail,
  writeMemberText,
  writeRecipientText,
  writeReplyEmail,
  writeReplyText,
} from './texts.ts';

/** For the message's row. */
type Stored = Pick<MessageRow, 'subject' | 'body' | 'segments'>;

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

const fullName = ({ recipient_first_name: first, recipient_last_name: last }: DueMessage): string =>
  last === null ? first : `${first} ${last}`;

function toMemberMessage({ row, appointment }: Draft, link: string): MemberMessage {
  return {
    organization: row.organization_name,
    language: row.language,
    recipient: fullName(row),
    memberFirstName: row.member_first_name,
    purpose: row.purpose,
    deadline: row.expires_at === null ? null : { at: row.expires_at, timezone: appointment?.timezone ?? row.timezone },
    link,
  };
}

function composeRecipientText({ links, log }: ComposeDeps, { row, appointment, isFirst }: Draft): string {
  const { body, problem } = writeRecipientText({
    template: textMessageIn(row.recipient_language, row),
    language: row.recipient_language,
    values: {
      recipient: { first_name: row.recipient_first_name, last_name: row.recipient_last_name },
      member: { first_name: row.member_first_name, last_name: row.member_last_name },
      organization: { name: row.organization_name },
      appointment,
      trade: row.context?.trade ?? null,
      lane: row.context?.lane ?? null,
    },
    link: links.pageUrl(row.intro_id, row.link_host),
    isFirst,
  });
  if (problem !== null) {
    const { organization_id: organization, touchpoint_slug: touchpoint } = row;
    log.warn({ organization, touchpoint, problem: problem.message }, "default text sent instead of the touchpoint's");
  }
  return body;
}

const toReplyNotification = ({ publicUrl }: ComposeDeps, { row }: Draft): ReplyNotification => ({
  organization: row.organization_name,
  language: row.language,
  memberFirstName: row.member_first_name,
  recipient: fullName(row),
  recipientFirstName: row.recipient_first_name,
  // An integration may deliver by other means than texts.
  recipientPhone: row.forwards_replies && row.responsibility === 'service' ? null : row.recipient_phone,
  label: row.reply_label ?? '',
  isText: row.reply_by_text === true,
  message: row.reply_message,
  link: `${publicUrl}/console/intros/${row.intro_id}`,
});

function writeEmail(deps: ComposeDeps, draft: Draft): EmailWithLink {
  const { row } = draft;
  if (row.purpose === 'reply') return writeReplyEmail(toReplyNotification(deps, draft));
  return writeMemberEmail(toMemberMessage(draft, deps.links.recordUrl(row.intro_id, row.link_generation)));
}

function writeText(deps: ComposeDeps, draft: Draft): string {
  const { row, isFirst } = draft;
  if (row.purpose === 'answer') {
    const { organization_name: organization, recipient_language: language, member_first_name: memberFirstName } = row;
    return writeAnswerText({ organization, language, memberFirstName, message: row.answer_message ?? '' }, isFirst);
  }
  if (row.audience === 'recipient') return composeRecipientText(deps, draft);
  if (row.purpose === 'reply') return writeReplyText(toReplyNotification(deps, draft), isFirst);
  return writeMemberText(toMemberMessage(draft, deps.links.recordUrl(row.intro_id, row.link_generation)), isFirst);
}

export function composeMessage(deps: ComposeDeps, draft: Draft): OutgoingMessage {
  const { row, channel, address } = draft;
  const { links } = deps;
  const sent = { id: row.id, to: address, attempt: row.attempts + 1 };
  if (channel === 'email') {
    const email = writeEmail(deps, draft);
    const { subject } = email;
    const text = renderEmailText(email);
    const html = renderEmailHtml(email, row.accent);
    return {
      channel,
      message: { ...sent, fromName: row.organization_name, subject, text, html },
      stored: { subject, body: hideLink(links, text, row), segments: null },
    };
  }
  const body = writeText(deps, draft);
  return {
    channel,
    message: { ...sent, body, statusUrl: statusUrlOf(deps.publicUrl, row) },
    stored: { subject: null, body: hideLink(links, body, row), segments: measureText(body).segments },
  };
}

/** Contains organization and message, to find the row by its key. It is no secret: carriers sign their calls. */
const statusUrlOf = (publicUrl: string, { organization_id, id }: DueMessage): string =>
  `${publicUrl}/carriers/status/${organization_id}/${id}`;
