/** Folder: composes the wording of texts and emails. */

import { measureText } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { Services } from '../../services/index.ts';
import { textMessageIn } from '../../touchpoints/index.ts';
import type { Mail, Text } from '../carriers/carrier.ts';
import type { ContextIntro, MessageContext } from '../store/context.ts';
import type { MessageRow } from '../store/queue.ts';
import { type EmailWithLink, fullName, renderEmailHtml, renderEmailText } from './email.ts';
import {
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
  readonly context: MessageContext;
  readonly channel: NonNullable<Row<'all_messages'>['channel']>;
  readonly address: string;
  /** Whether it is the organization's first text to this number. */
  readonly isFirst: boolean;
}

type ComposeDeps = Pick<Services, 'links' | 'publicUrl' | 'log'>;

const recipientOf = ({ recipient_first_name: first, recipient_last_name: last }: ContextIntro) => fullName(first, last);

function toMemberMessage({ links }: ComposeDeps, context: MessageContext): MemberMessage {
  const { message, intro, member, organization, appointment } = context;
  const { expires_at: at, link_generation: generation } = intro;
  return {
    organization: organization.name,
    language: organization.language,
    recipient: recipientOf(intro),
    memberFirstName: member.first_name,
    purpose: message.purpose,
    deadline: at === null ? null : { at, timezone: appointment?.timezone ?? organization.timezone },
    link: links.recordUrl(message.intro_id, generation),
  };
}

function composeRecipientText({ links, log }: ComposeDeps, context: MessageContext, isFirst: boolean): string {
  const { message, intro, member, organization, touchpoint, appointment } = context;
  const { recipient_language: language } = intro;
  const { body, problem } = writeRecipientText({
    template: textMessageIn(language, touchpoint ?? { text_message: null, text_message_es: null }),
    language,
    values: {
      recipient: { first_name: intro.recipient_first_name, last_name: intro.recipient_last_name },
      member: { first_name: member.first_name, last_name: member.last_name },
      organization: { name: organization.name },
      appointment,
      trade: intro.context?.trade ?? null,
      lane: intro.context?.lane ?? null,
    },
    link: links.pageUrl(message.intro_id, intro.link_host),
    isFirst,
  });
  if (problem !== null) {
    const line = { organization: organization.id, touchpoint: intro.touchpoint_slug, problem: problem.message };
    log.warn(line, "default text sent instead of the touchpoint's");
  }
  return body;
}

const toReplyNotification = (
  { publicUrl }: ComposeDeps,
  { message, intro, member, organization, words }: MessageContext,
): ReplyNotification => ({
  organization: organization.name,
  language: organization.language,
  memberFirstName: member.first_name,
  recipient: recipientOf(intro),
  recipientFirstName: intro.recipient_first_name,
  // An integration may deliver by other means than texts.
  recipientPhone: organization.forwards_replies && intro.responsibility === 'service' ? null : intro.recipient_phone,
  label: words?.label ?? '',
  isText: words?.by_text === true,
  message: words?.message ?? null,
  link: `${publicUrl}/console/intros/${message.intro_id}`,
});

const writeEmail = (deps: ComposeDeps, context: MessageContext): EmailWithLink =>
  context.message.purpose === 'reply'
    ? writeReplyEmail(toReplyNotification(deps, context))
    : writeMemberEmail(toMemberMessage(deps, context));

function writeText(deps: ComposeDeps, { context, isFirst }: Draft): string {
  const { message, intro, member, organization, words } = context;
  if (message.purpose === 'answer') {
    const { recipient_language: language } = intro;
    const answer = { organization: organization.name, language, memberFirstName: member.first_name };
    return writeAnswerText({ ...answer, message: words?.message ?? '' }, isFirst);
  }
  if (message.audience === 'recipient') return composeRecipientText(deps, context, isFirst);
  return message.purpose === 'reply'
    ? writeReplyText(toReplyNotification(deps, context), isFirst)
    : writeMemberText(toMemberMessage(deps, context), isFirst);
}

export function composeMessage(deps: ComposeDeps, draft: Draft): OutgoingMessage {
  const { context, channel, address } = draft;
  const { message, intro, organization } = context;
  const { id, intro_id, organization_id } = message;
  const sent = { id, to: address, attempt: message.attempts + 1 };
  /** For the database, which does not get the link. */
  const hide = (text: string) => deps.links.hide(text, { introId: intro_id, generation: intro.link_generation });
  if (channel === 'email') {
    const email = writeEmail(deps, context);
    const { subject } = email;
    const text = renderEmailText(email);
    const html = renderEmailHtml(email, organization.accent);
    return {
      channel,
      message: { ...sent, fromName: organization.name, subject, text, html },
      stored: { subject, body: hide(text), segments: null },
    };
  }
  const body = writeText(deps, draft);
  // Contains organization and message, to find the row by its key. It is no secret: carriers sign their calls.
  const statusUrl = `${deps.publicUrl}/carriers/status/${organization_id}/${id}`;
  return {
    channel,
    message: { ...sent, body, statusUrl },
    stored: { subject: null, body: hide(body), segments: measureText(body).segments },
  };
}
