import { isolated, sentence, TEXT_MAX_LENGTH } from '@foreword/contract';
import { renderTemplate, TemplateProblem, type TemplateValues } from '../../touchpoints/index.ts';
import type { EmailWithLink } from './email.ts';
import { plainText } from './segments.ts';

export const DEFAULT_TEXT =
  'Hi {{ recipient.first_name | truncate: 40 }}, {{ member.first_name | truncate: 40 }} from {{ organization.name }} ' +
  'has a short personal video for you{% if appointment %}, before {{ appointment.weekday }}{% endif %}.';
const OPT_OUT = 'Reply STOP to opt out.';

export interface Deadline {
  readonly at: Date;
  readonly timezone: string;
}

// Creating a format costs more than the rest of a message, and a country has few time zones.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatDeadline({ at, timezone }: Deadline): string {
  let format = formats.get(timezone);
  if (format === undefined) {
    const day = { weekday: 'short', month: 'short', day: 'numeric' } as const;
    const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone: timezone } as const;
    format = new Intl.DateTimeFormat('en-US', { ...day, ...time });
    formats.set(timezone, format);
  }
  // Intl puts a narrow no-break space before AM and PM, which would turn the text into UCS-2.
  return format.format(at).replaceAll('\u202f', ' ');
}

/** Whether the text contains the name as separate words, in any script. */
const mentions = (words: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{M}\\p{N}])`, 'u').test(words);

/** Adds the organization's name, how to opt out in a first text, and the link at the end. */
function addRequiredParts(words: string, text: { organization: string; isFirst: boolean; link: string }): string {
  const named = mentions(words, text.organization) ? words : `${text.organization}: ${words}`;
  return `${plainText([named, ...(text.isFirst ? [OPT_OUT] : [])].join(' '))} ${text.link}`;
}

export interface RecipientText {
  readonly template: string | null;
  readonly values: TemplateValues;
  readonly link: string;
  readonly isFirst: boolean;
}

/** Falls back to the default text if the template cannot be rendered for this intro. */
export function writeRecipientText(text: RecipientText): { body: string; problem: TemplateProblem | null } {
  const parts = { ...text, organization: text.values.organization.name };
  const fallback = () => addRequiredParts(renderTemplate(DEFAULT_TEXT, text.values, TEXT_MAX_LENGTH), parts);
  if (text.template === null) return { body: fallback(), problem: null };
  try {
    return {
      body: addRequiredParts(renderTemplate(text.template, text.values, TEXT_MAX_LENGTH), parts),
      problem: null,
    };
  } catch (problem) {
    if (problem instanceof TemplateProblem) return { body: fallback(), problem };
    throw problem;
  }
}

export interface MemberMessage {
  readonly organization: string;
  readonly recipient: string;
  readonly memberFirstName: string;
  readonly purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver';
  readonly deadline: Deadline | null;
  readonly link: string;
}

const by = ({ deadline }: MemberMessage): string => (deadline === null ? '' : ` by ${formatDeadline(deadline)}`);

const writeRequest = (message: MemberMessage): string =>
  message.purpose === 'ask'
    ? `Please record a short video for ${isolated(message.recipient)}${by(message)}.`
    : `Reminder: please record your video for ${isolated(message.recipient)}${by(message)}.`;

export const writeMemberText = (message: MemberMessage, isFirst: boolean): string =>
  addRequiredParts(writeRequest(message), { ...message, isFirst });

export const writeMemberEmail = (message: MemberMessage): EmailWithLink => ({
  subject: `${message.purpose === 'ask' ? 'Record a video' : 'Reminder: record your video'} for ${message.recipient}`,
  greeting: sentence`Hi ${message.memberFirstName},`,
  lines: [writeRequest(message), 'It takes about 15 seconds, right in your browser.'],
  button: 'Record video',
  link: message.link,
  organization: message.organization,
});

/** A keyword that a number sent, and what we know about the number. */
export interface KeywordReply {
  readonly keyword: 'stop' | 'start' | 'help';
  /** Null if it may concern several organizations, or none. */
  readonly organization: string | null;
  /** Whether any organization texts the number. */
  readonly isKnown: boolean;
}

export function writeReply({ keyword, organization, isKnown }: KeywordReply): string {
  const from = organization === null ? 'us' : plainText(organization);
  if (keyword === 'help') {
    const sender = organization === null ? 'These are' : `${from}:`;
    return `${sender} personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.`;
  }
  if (!isKnown) {
    return 'We have no record of texting this number, so nothing was changed. Please call the company that texted you.';
  }
  return keyword === 'stop'
    ? `You have opted out of texts from ${from}. Reply START to get them again.`
    : `You will get texts from ${from} again. Reply STOP to opt out.`;
}
