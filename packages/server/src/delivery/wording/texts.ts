/** Folder: composes the wording of texts and emails. */

import {
  isolated,
  type Language,
  LOCALES,
  measureText,
  REPLY_MESSAGE_MAX_LENGTH,
  TEXT_MAX_LENGTH,
} from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import type { Row } from '../../db/tenancy.ts';
import type { Links } from '../../intros/links/index.ts';
import { renderTemplate, TemplateProblem, type TemplateValues, textMessageIn } from '../../touchpoints/index.ts';
import type { Mail, Text } from '../carriers/carrier.ts';
import type { ContextIntro, MessageContext } from '../store/context.ts';
import type { MessageRow } from '../store/queue.ts';
import { type EmailWithLink, fullName, renderEmailHtml, renderEmailText } from './email.ts';
import { wordingIn } from './languages/index.ts';

interface Deadline {
  readonly at: Date;
  readonly timezone: string;
}

// Creating a format costs more than the rest of a message, and a country has few time zones.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Spanish without the weekday, because "sáb" would turn the text into UCS-2. */
const DAY = {
  en: { weekday: 'short', month: 'short', day: 'numeric' },
  es: { month: 'short', day: 'numeric' },
} as const satisfies Record<Language, Intl.DateTimeFormatOptions>;

export function formatDeadline({ at, timezone }: Deadline, language: Language): string {
  const key = `${language} ${timezone}`;
  let format = formats.get(key);
  if (format === undefined) {
    const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone: timezone } as const;
    format = new Intl.DateTimeFormat(LOCALES[language], { ...DAY[language], ...time });
    formats.set(key, format);
  }
  // Intl puts a narrow no-break space before AM and PM, which would turn the text into UCS-2.
  return format.format(at).replaceAll('\u202f', ' ');
}

/** Whether the text contains the name as separate words, in any script. */
const mentions = (words: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{M}\\p{N}])`, 'u').test(words);

/** Adds the organization's name, in a first text an invitation to save the number and how to opt out, and the link at the end. */
function addRequiredParts(
  words: string,
  text: { organization: string; language: Language; isFirst: boolean; invites?: boolean; link: string | null },
): string {
  const named = mentions(words, text.organization) ? words : `${text.organization}: ${words}`;
  const { saveNumber, optOut } = wordingIn(text.language);
  const first = text.isFirst ? [...(text.invites === true ? [saveNumber] : []), optOut] : [];
  // An organization's own text may end without a period, and would run into the next sentence.
  const ended = text.isFirst ? named.replace(/(?<=[\p{L}\p{M}\p{N}])\s*$/u, '.') : named;
  const body = plainText([ended, ...first].join(' '));
  return text.link === null ? body : `${body} ${text.link}`;
}

export interface RecipientText {
  /** In the recipient's language. Null: the default text. */
  readonly template: string | null;
  readonly language: Language;
  readonly values: TemplateValues;
  readonly link: string;
  readonly isFirst: boolean;
  /** Whether a first text invites the recipient to save the number. */
  readonly invites?: boolean;
}

/** Falls back to the default text if the template cannot be rendered for this intro. */
export function writeRecipientText(text: RecipientText): { body: string; problem: TemplateProblem | null } {
  const { template, language, values } = text;
  const parts = { ...text, organization: values.organization.name };
  const write = (words: string) => addRequiredParts(renderTemplate(words, values, TEXT_MAX_LENGTH, language), parts);
  const fallback = () => write(wordingIn(language).defaultText);
  if (template === null) return { body: fallback(), problem: null };
  try {
    return { body: write(template), problem: null };
  } catch (problem) {
    if (problem instanceof TemplateProblem) return { body: fallback(), problem };
    throw problem;
  }
}

/** For the message's row. */
type Stored = Pick<MessageRow, 'subject' | 'body' | 'segments'>;

export type OutgoingMessage =
  | { readonly channel: 'text'; readonly message: Text; readonly stored: Stored }
  | { readonly channel: 'email'; readonly message: Mail; readonly stored: Stored };

interface Draft {
  readonly context: MessageContext;
  readonly channel: NonNullable<Row<'all_messages'>['channel']>;
  readonly address: string;
  /** Whether it is the organization's first text to this number. */
  readonly isFirst: boolean;
}

type ComposeDeps = Pick<Services, 'links' | 'publicUrl' | 'log'>;

const recipientOf = ({ recipient_first_name: first, recipient_last_name: last }: ContextIntro) => fullName(first, last);

/** The member's own, if they chose one. */
const languageFor = ({ member, organization }: MessageContext): Language => member.language ?? organization.language;

function toMemberMessage({ links }: ComposeDeps, context: MessageContext) {
  const { message, intro, member, organization, appointment, touchpoint } = context;
  const { expires_at: at, link_generation: generation } = intro;
  return {
    organization: organization.name,
    language: languageFor(context),
    recipient: recipientOf(intro),
    memberFirstName: member.first_name,
    purpose: message.purpose,
    deadline: at === null ? null : { at, timezone: appointment?.timezone ?? organization.timezone },
    isAppointment: at !== null && appointment?.startsAt.getTime() === at.getTime(),
    touchpoint: touchpoint?.name ?? null,
    isPractice: intro.is_practice,
    link: links.recordUrl(message.intro_id, generation),
  };
}

export type MemberMessage = ReturnType<typeof toMemberMessage>;

/** Names the occasion: the appointment, or else the touchpoint if `named`. */
function writeRequest(message: MemberMessage, named: boolean): string {
  const { recipient, purpose, deadline, language, isAppointment, touchpoint, isPractice } = message;
  const wording = wordingIn(language);
  if (isPractice) return wording.practice.text(message.memberFirstName, message.organization);
  const write = purpose === 'ask' ? wording.request : wording.reminder;
  if (deadline === null) return wording.withoutDeadline(write(isolated(recipient)));
  const at = formatDeadline(deadline, language);
  if (isAppointment) return wording.withAppointment(write(wording.appointmentOf(recipient)), at);
  const isNamed = named && touchpoint !== null;
  return wording.withDeadline(
    write(isNamed ? `${isolated(recipient)} (${isolated(touchpoint)})` : isolated(recipient)),
    at,
  );
}

/** Names the touchpoint and says how to decline if that costs no further segment. */
export function writeMemberText(message: MemberMessage, isFirst: boolean): string {
  const write = (words: string) => addRequiredParts(words, { ...message, isFirst });
  const { declineHint } = wordingIn(message.language);
  const [named, plain] = [writeRequest(message, true), writeRequest(message, false)];
  const hints = message.isPractice ? [] : [`${named} ${declineHint}`, named, `${plain} ${declineHint}`];
  const { segments } = measureText(write(plain));
  return hints.map(write).find((text) => measureText(text).segments === segments) ?? write(plain);
}

export function writeMemberEmail(message: MemberMessage): EmailWithLink {
  const { language, purpose, recipient, memberFirstName, link, organization, isPractice } = message;
  const wording = wordingIn(language);
  const subject = (purpose === 'ask' ? wording.requestSubject : wording.reminderSubject)(recipient);
  return {
    language,
    subject: isPractice ? wording.practice.subject : subject,
    greeting: wording.greeting(memberFirstName),
    lines: [writeRequest(message, true), wording.requestLength],
    button: wording.recordButton,
    link,
    organization,
  };
}

/** A reply of the recipient, for the member. */
function toReplyNotification({ publicUrl }: ComposeDeps, context: MessageContext) {
  const { message, intro, member, organization, words } = context;
  return {
    organization: organization.name,
    language: languageFor(context),
    memberFirstName: member.first_name,
    recipient: recipientOf(intro),
    recipientFirstName: intro.recipient_first_name,
    // Null: the member answers through the service, where an integration may deliver by other means than texts.
    recipientPhone: organization.forwards_replies && intro.responsibility === 'service' ? null : intro.recipient_phone,
    /** The words on the button. */
    label: words?.label ?? '',
    isText: words?.by_text === true,
    message: words?.message ?? null,
    /** The intro in the console. */
    link: `${publicUrl}/console/intros/${message.intro_id}`,
  };
}

type ReplyNotification = ReturnType<typeof toReplyNotification>;

/** On one line, and no longer than a question on the page. The rest is in the console. */
function toQuote(message: string): string {
  const letters = [...message.replaceAll(/\s+/g, ' ')];
  const isLong = letters.length > REPLY_MESSAGE_MAX_LENGTH;
  return isLong ? `"${letters.slice(0, REPLY_MESSAGE_MAX_LENGTH).join('')}..."` : `"${letters.join('')}"`;
}

function quoteReply({ language, recipient, label, message, isText }: ReplyNotification): string {
  const wording = wordingIn(language);
  if (isText) return wording.textReply(recipient, toQuote(message ?? ''));
  return wording.replyText(recipient, message === null ? `"${label}".` : `"${label}": ${toQuote(message)}`);
}

/** Without the console's link, which needs a sign-in. Phones turn the number into a link. */
export function writeReplyText(reply: ReplyNotification, isFirst: boolean): string {
  const { organization, language, recipientPhone } = reply;
  const { theirNumber, answerHere } = wordingIn(language);
  const next = recipientPhone === null ? answerHere : theirNumber(recipientPhone);
  return addRequiredParts(`${quoteReply(reply)} ${next}`, { organization, language, isFirst, link: null });
}

export function writeReplyEmail(reply: ReplyNotification): EmailWithLink {
  const { language, recipient, recipientFirstName, recipientPhone, label, message, isText, link, organization } = reply;
  const wording = wordingIn(language);
  return {
    language,
    subject: isText ? wording.textReplySubject(recipient) : wording.replySubject(recipient, label),
    greeting: wording.greeting(reply.memberFirstName),
    lines: [
      isText ? wording.textReplied(recipient) : wording.replied(recipient, label),
      ...(message === null ? [] : message.split('\n').filter((line) => line !== '')),
      ...(recipientPhone === null ? [] : [wording.replyContact(recipientFirstName, recipientPhone)]),
    ],
    button: wording.introButton,
    link,
    organization,
  };
}

function composeRecipientText({ links, log }: ComposeDeps, context: MessageContext, isFirst: boolean): string {
  const { message, intro, member, organization, touchpoint, appointment } = context;
  const { recipient_language: language } = intro;
  const template = textMessageIn(language, touchpoint ?? { text_message: null, text_message_es: null });
  // Sent anyway after the appointment has begun, the default text does not say that it comes before.
  const isLate = appointment !== null && appointment.startsAt <= message.due_at;
  const { body, problem } = writeRecipientText({
    ...{ template, language },
    values: {
      recipient: { first_name: intro.recipient_first_name, last_name: intro.recipient_last_name },
      member: { first_name: member.first_name, last_name: member.last_name },
      organization: { name: organization.name },
      appointment: template === null && isLate ? null : appointment,
      trade: intro.context?.trade ?? null,
      lane: intro.context?.lane ?? null,
    },
    link: links.pageUrl(message.intro_id, intro.link_host),
    isFirst,
    invites: touchpoint?.invites_to_save === true,
  });
  if (problem !== null) {
    const line = { organization: organization.id, touchpoint: intro.touchpoint_slug, problem: problem.message };
    log.warn(line, "default text sent instead of the touchpoint's");
  }
  return body;
}

const writeEmail = (deps: ComposeDeps, context: MessageContext): EmailWithLink =>
  context.message.purpose === 'reply'
    ? writeReplyEmail(toReplyNotification(deps, context))
    : writeMemberEmail(toMemberMessage(deps, context));

function writeText(deps: ComposeDeps, { context, isFirst }: Draft): string {
  const { message, intro, member, organization, words } = context;
  if (message.purpose === 'answer') {
    const wording = wordingIn(intro.recipient_language);
    return addRequiredParts(wording.answer(member.first_name, organization.name, words?.message ?? ''), {
      ...{ organization: organization.name, language: intro.recipient_language, isFirst, link: null },
    });
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
    const html = () => renderEmailHtml(email, organization.accent);
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

/** A keyword that a number sent, and what we know about the number. */
export interface KeywordReply {
  readonly keyword: 'stop' | 'start' | 'help';
  readonly language: Language;
  /** Null if it may concern several organizations, or none. */
  readonly organization: string | null;
  /** Whether any organization texts the number. */
  readonly isKnown: boolean;
  /** It is the number of a member, who can also decline intros by text. */
  readonly isMember?: boolean;
}

export function writeReply({ keyword, language, organization, isKnown, isMember }: KeywordReply): string {
  const wording = wordingIn(language);
  const name = organization === null ? null : plainText(organization);
  if (keyword === 'help' && isMember === true && name !== null) return wording.helpForMember(name);
  if (keyword === 'help') return name === null ? wording.helpFromUs : wording.help(name);
  if (!isKnown) return wording.unknownNumber;
  if (keyword === 'stop') return name === null ? wording.stoppedFromUs : wording.stopped(name);
  return name === null ? wording.startedFromUs : wording.started(name);
}

export const inboundWording = (language: Language) => wordingIn(language).inbound;

/** A choice of a member: a reply to answer, or a video to decline or hand over. */
export interface Choice {
  readonly kind: 'reply' | 'video';
  readonly recipient: string;
}

/** Choices in one text. Names of this length leave room for the rest of four segments. */
export const MAX_CHOICES = 9;
const NAME_MAX_LENGTH = 40;

/** The first choice has the number 1. Those beyond `MAX_CHOICES` are counted, and not listed. */
export function writeChoices(language: Language, choices: readonly Choice[]): string {
  const wording = inboundWording(language);
  const listed = choices.slice(0, MAX_CHOICES);
  const first = (kind: Choice['kind']): number => listed.findIndex((choice) => choice.kind === kind) + 1;
  const [reply, video] = [first('reply'), first('video')];
  const title = reply === 0 ? wording.videos : video === 0 ? wording.conversations : wording.either;
  const name = ({ kind, recipient }: Choice): string => {
    const short = [...recipient].slice(0, NAME_MAX_LENGTH).join('');
    return reply > 0 && video > 0 ? wording[kind](short) : short;
  };
  return [
    title,
    ...listed.map((choice, index) => `${index + 1} ${name(choice)}`),
    ...(choices.length > listed.length ? [wording.unlisted(choices.length - listed.length)] : []),
    ...(reply > 0 ? [wording.chooseRecipient(reply)] : []),
    ...(video > 0 ? [wording.chooseVideo(video)] : []),
  ].join('\n');
}

/** Punctuation with a lookalike in GSM-7. Letters are kept, so that names stay spelled correctly. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ "'": '‘’‚‛′`´', '"': '“”„″«»', '-': '‐‑‒–—−•', '...': '…', ' ': '\u00a0\u2009\u202f\t' }).flatMap(
    ([plain, others]) => [...others].map((other) => [other, plain] as const),
  ),
);
// Invisible characters, each of which would turn the whole text into UCS-2.
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** ASCII without the characters of the table. */
const IS_PLAIN = /^[\n -_a-~]*$/;

export const plainText = (text: string): string =>
  IS_PLAIN.test(text)
    ? text
    : [...text.normalize('NFC').replaceAll(INVISIBLE, '')]
        .map((character) => LOOKALIKES.get(character) ?? character)
        .join('');

/** The text with its link, as it was sent; null before it was composed. */
export const bodyOf = (links: Links, { body, intro_id }: Pick<MessageRow, 'intro_id' | 'body'>): string | null =>
  body === null ? null : links.show(body, intro_id);
