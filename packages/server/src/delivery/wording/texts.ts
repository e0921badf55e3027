import { TEXT_MAX_LENGTH } from '@foreword/contract';
import { renderTemplate, TemplateProblem, type TemplateValues } from '../../touchpoints/index.ts';
import { plainText } from './segments.ts';

export const DEFAULT_TEXT =
  'Hi {{ recipient.first_name | truncate: 40 }}, {{ member.first_name | truncate: 40 }} from {{ organization.name }} ' +
  'has a short personal video for you{% if appointment %}, before {{ appointment.weekday }}{% endif %}.';
const OPT_OUT = 'Reply STOP to opt out.';

export interface Deadline {
  readonly at: Date;
  readonly timezone: string;
}

// Making one costs more than all else of a message, and the zones of one country come again and again.
const calendars = new Map<string, Intl.DateTimeFormat>();

function writeDeadline({ at, timezone }: Deadline): string {
  let calendar = calendars.get(timezone);
  if (calendar === undefined) {
    const day = { weekday: 'short', month: 'short', day: 'numeric' } as const;
    const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone: timezone } as const;
    calendar = new Intl.DateTimeFormat('en-US', { ...day, ...time });
    calendars.set(timezone, calendar);
  }
  // Node writes a narrow no-break space before AM and PM, which no phone needs.
  return calendar.format(at).replaceAll('\u202f', ' ');
}

/** As a word of its own: a name that only begins or ends another word, in whatever script, names nobody. */
const names = (words: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{M}\\p{N}])`, 'u').test(words);

/** The organization's name always, how to opt out when the number does not know it yet, and the link last. */
function compose(words: string, text: { organization: string; isFirst: boolean; link: string }): string {
  const named = names(words, text.organization) ? words : `${text.organization}: ${words}`;
  return `${plainText([named, ...(text.isFirst ? [OPT_OUT] : [])].join(' '))} ${text.link}`;
}

export interface RecipientText {
  readonly template: string | null;
  readonly values: TemplateValues;
  readonly link: string;
  readonly isFirst: boolean;
}

/** A template that cannot be rendered for this intro gives way to the usual words: the recipient is not told of it. */
export function writeToRecipient(text: RecipientText): { body: string; problem: TemplateProblem | null } {
  const around = { ...text, organization: text.values.organization.name };
  const usual = () => compose(renderTemplate(DEFAULT_TEXT, text.values, TEXT_MAX_LENGTH), around);
  if (text.template === null) return { body: usual(), problem: null };
  try {
    return { body: compose(renderTemplate(text.template, text.values, TEXT_MAX_LENGTH), around), problem: null };
  } catch (problem) {
    if (problem instanceof TemplateProblem) return { body: usual(), problem };
    throw problem;
  }
}

export interface WordToMember {
  readonly organization: string;
  readonly recipient: string;
  readonly memberFirstName: string;
  readonly purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver';
  readonly deadline: Deadline | null;
  readonly link: string;
}

const until = ({ deadline }: WordToMember): string => (deadline === null ? '' : ` until ${writeDeadline(deadline)}`);

export function writeToMember(word: WordToMember, isFirst: boolean): string {
  const words =
    word.purpose === 'ask'
      ? `Please record a short video for ${word.recipient}. There is time${until(word)}.`
      : `${word.recipient} has no video from you yet. There is time${until(word)}.`;
  const isOpen = word.deadline === null;
  return compose(isOpen ? words.replace(' There is time.', '') : words, { ...word, isFirst });
}

export interface Letter {
  readonly subject: string;
  readonly greeting: string;
  readonly lines: readonly string[];
  /** Who it is from, below everything. */
  readonly organization: string;
}

export interface LetterToMember extends Letter {
  readonly button: string;
  readonly link: string;
}

export function writeLetterToMember(word: WordToMember): LetterToMember {
  const isAsk = word.purpose === 'ask';
  const ask = isAsk
    ? `Please record a short video for ${word.recipient}. It takes about 15 seconds, right in your browser.`
    : `${word.recipient} has no video from you yet. It takes about 15 seconds, right in your browser.`;
  return {
    subject: isAsk ? `Record a video for ${word.recipient}` : `Still to record: your video for ${word.recipient}`,
    greeting: `Hi ${word.memberFirstName},`,
    lines: [ask, ...(word.deadline === null ? [] : [`There is time until ${writeDeadline(word.deadline)}.`])],
    button: 'Record the video',
    link: word.link,
    organization: word.organization,
  };
}

/** Paragraphs with an empty line between them. */
export const writeLetterText = (letter: Letter | LetterToMember): string =>
  'link' in letter
    ? [letter.greeting, '', ...letter.lines, '', letter.link, '', letter.organization, ''].join('\n')
    : `${[letter.greeting, ...letter.lines, letter.organization].join('\n\n')}\n`;

/** A text that came back with a keyword, and what we know of its writer. */
export interface Heard {
  readonly keyword: 'stop' | 'start' | 'help';
  /** The one organization that it was for; null when that may be several, or none. */
  readonly organization: string | null;
  /** Whether any organization has anything to do with the number. */
  readonly isKnown: boolean;
}

/** What a reply to a keyword says; the carrier may have said so itself already. */
export function writeReply({ keyword, organization, isKnown }: Heard): string {
  const from = organization === null ? 'us' : plainText(organization);
  if (keyword === 'help') {
    const whose = organization === null ? 'These are' : `${from}:`;
    return `${whose} personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.`;
  }
  if (!isKnown) {
    return 'We have no text messages to this number on record, so nothing was changed. Please call the company that wrote to you.';
  }
  return keyword === 'stop'
    ? `You will get no more text messages from ${from}. Reply START to get them again.`
    : `You will get text messages from ${from} again. Reply STOP to opt out.`;
}
