import type { Appointment } from '../../intros/index.ts';
import type { Links } from '../../links/index.ts';
import type { Logger } from '../../platform/log.ts';
import type { Channel } from '../../tables.ts';
import type { Mail, Text } from '../carriers/carrier.ts';
import type { DueMessage } from '../store/messages.ts';
import { renderLetter } from './email.ts';
import { measureText } from './segments.ts';
import { type WordToMember, writeLetterText, writeLetterToMember, writeToMember, writeToRecipient } from './texts.ts';

/** What of it stands in the row: as it was sent, word for word. */
interface Written {
  readonly subject: string | null;
  readonly body: string;
  readonly segments: number | null;
}

export type Parcel =
  | { readonly channel: 'text'; readonly message: Text; readonly written: Written }
  | { readonly channel: 'email'; readonly message: Mail; readonly written: Written };

export interface ToPack {
  readonly row: DueMessage;
  readonly channel: Channel;
  readonly address: string;
  /** Whether it is the first text of the organization to this number. */
  readonly isFirst: boolean;
  readonly appointment: Appointment | null;
}

interface PackDeps {
  readonly links: Links;
  readonly publicUrl: string;
  readonly log: Logger;
}

function wordToMember({ row, appointment }: ToPack, link: string): WordToMember {
  return {
    organization: row.organization_name,
    recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
    memberFirstName: row.member_first_name,
    purpose: row.purpose,
    deadline: row.expires_at === null ? null : { at: row.expires_at, timezone: appointment?.timezone ?? row.timezone },
    link,
  };
}

function wordsToRecipient({ links, log }: PackDeps, { row, appointment, isFirst }: ToPack): string {
  const { body, problem } = writeToRecipient({
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
    log.warn({ organization, touchpoint, problem: problem.message }, 'text message not as the touchpoint has it');
  }
  return body;
}

export function pack(deps: PackDeps, what: ToPack): Parcel {
  const { row, channel, address, isFirst } = what;
  const { links } = deps;
  const sent = { id: row.id, to: address, attempt: row.attempts + 1 };
  if (channel === 'email') {
    const letter = writeLetterToMember(wordToMember(what, links.recordUrl(row.intro_id, row.link_generation)));
    const text = writeLetterText(letter);
    return {
      channel,
      message: {
        ...sent,
        fromName: row.organization_name,
        subject: letter.subject,
        text,
        html: renderLetter(letter, row.accent),
      },
      written: { subject: letter.subject, body: text, segments: null },
    };
  }
  const body =
    row.audience === 'member'
      ? writeToMember(wordToMember(what, links.recordUrl(row.intro_id, row.link_generation)), isFirst)
      : wordsToRecipient(deps, what);
  return {
    channel,
    message: { ...sent, body, statusUrl: statusUrlOf(deps.publicUrl, row) },
    written: { subject: null, body, segments: measureText(body).segments },
  };
}

/** Names organization and message, so that a status is found by its key. The carrier signs its calls; the address is no secret. */
const statusUrlOf = (publicUrl: string, { organization_id, id }: DueMessage): string =>
  `${publicUrl}/carriers/status/${organization_id}/${id}`;
