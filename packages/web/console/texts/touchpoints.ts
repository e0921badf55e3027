import type { PartialCount, TouchpointChange, TouchpointContent, TouchpointField } from '@foreword/contract';
import { formatCount, formatNumber } from '../format.ts';
import { LANE_NAMES } from './names.ts';

type Context = TouchpointContent['context'];
type Lane = NonNullable<TouchpointContent['lane']>;

export const CONTEXTS: Record<Context, { name: string; hint: string }> = {
  appointment: { name: 'Appointment', hint: 'Each event has to bring the appointment.' },
  status: { name: 'Status', hint: 'Something about the work changed.' },
  milestone: { name: 'Milestone', hint: 'A step of the work is done.' },
  none: { name: 'Any moment', hint: 'Nothing in particular is needed.' },
};

export const EVERY_LANE = 'Every lane';

const FIELDS: Record<TouchpointField, string> = {
  name: 'Name',
  active: 'On or off',
  context: 'Kind of moment',
  lane: 'Lane',
  delivery: 'Who sends it',
  days_to_record: 'Days to record',
  script: 'Script',
  page_title: 'Page title',
  text_message: 'Text message',
  action_label: 'Button words',
  action_url: 'Button address',
  reminds: 'Reminders',
};

export const fieldName = (field: TouchpointField): string => FIELDS[field];

const DELIVERIES: Record<string, string> = { service: 'Foreword sends it', integration: 'Your own system sends it' };

/** A value of a field, as a person reads it. */
export function fieldValue(field: TouchpointField, value: string | number | boolean | null): string {
  if (field === 'active') return value === true ? 'On' : 'Off';
  if (field === 'reminds') return value === true ? 'Reminded' : 'Not reminded';
  if (field === 'days_to_record') return formatCount(Number(value), 'day');
  if (field === 'context') return CONTEXTS[value as Context].name;
  if (field === 'lane') return value === null ? EVERY_LANE : LANE_NAMES[value as Lane];
  if (field === 'delivery') return DELIVERIES[String(value)] ?? String(value);
  if (value === null) return field === 'text_message' ? 'The usual words' : 'None';
  return String(value);
}

const atLeast = ({ count, more }: PartialCount): string =>
  more ? `${formatNumber(count)} or more` : formatNumber(count);

const introsOpen = (counted: PartialCount): string | null =>
  counted.count === 0 && !counted.more
    ? null
    : `${atLeast(counted)} open ${counted.count === 1 && !counted.more ? 'intro' : 'intros'}`;

/** The number and its unit stay on one line. */
const inSeconds = (seconds: number): string => `${Math.round(seconds)}\u00a0s`;

const length = (words: number, seconds: number): string =>
  `${formatCount(words, 'word').replace(' ', '\u00a0')}, about\u00a0${inSeconds(seconds)}`;

/** Everybody, somebody, or a part of them: "6 of 8 active members". */
const ofTeam = (amount: number, active: number): string =>
  `${formatNumber(amount)} of ${formatCount(active, 'active member')}`;

export const TOUCHPOINTS = {
  title: 'Touchpoints',
  lead: 'The moments at which somebody gets a personal video from your team. Your integrations send events for those that are on.',
  create: 'New touchpoint',
  list: (group: string) => `Touchpoints: ${group}`,
  all: 'All',
  everyLane: EVERY_LANE,
  empty: 'No touchpoints yet',
  emptyLead: 'Make the first one: a name, a kind of moment, and what your members say.',
  facts: (context: Context, words: number, seconds: number) => `${CONTEXTS[context].name} · ${length(words, seconds)}`,
  open: introsOpen,
  own: 'Sent by your own system',
  off: 'Off',
  activeLabel: (name: string) => `${name} is on`,
  moreFor: (name: string) => `More for ${name}`,
  edit: 'Edit',
  copy: 'Make a copy',
  moveUp: 'Move up',
  moveDown: 'Move down',
  handle: (name: string) => `Move ${name}`,
  handleHint:
    'Press space to take it, the arrow keys to move it, space to put it down, Escape to leave it where it was.',
  grabbed: (name: string, place: number, of: number) => `${name} taken. Place ${place} of ${of}.`,
  moved: (name: string, place: number, of: number) => `${name}: place ${place} of ${of}.`,
  dropped: (name: string, place: number, of: number) => `${name} put down at place ${place} of ${of}.`,
  released: (name: string) => `${name} stays where it was.`,
  orderFailed: 'The order was not saved, so it is as before. Try again in a moment.',
  turnedOn: (name: string) => `${name} is on.`,
  turnedOff: (name: string) => `${name} is off.`,
  offTitle: (name: string) => `Turn off "${name}"?`,
  offAction: 'Turn off',
  offEvents: (slug: string) =>
    `From then on, events for "${slug}" are refused with 422 touchpoint_not_found, and your members cannot start it by hand.`,
  offIntros: (counted: PartialCount) => {
    const open = introsOpen(counted);
    return open === null
      ? 'No intro of it is open right now. Intros that are open when it is turned off go on as they are.'
      : `${open} of it go on as they are: they can still be recorded, sent and watched.`;
  },
  offWaiting: (counted: PartialCount) =>
    counted.count === 0 && !counted.more
      ? null
      : `${atLeast(counted)} accepted ${counted.count === 1 && !counted.more ? 'event waits' : 'events wait'} to be processed, and will fail.`,
} as const;

export const NEW_TOUCHPOINT = {
  title: 'New touchpoint',
  lead: 'It begins turned off, with neutral words. Write its own, then turn it on.',
  copyTitle: (name: string) => `Copy of "${name}"`,
  copyLead: 'All its words and settings, under another name. It begins turned off.',
  copyName: (name: string) => `${name}, copy`,
  name: 'Name',
  nameHint: 'For your team. It can be changed at any time.',
  slug: 'Slug',
  slugHint: 'What integrations send. Choose it now: it can never be changed.',
  slugTaken: (name: string) => `Belongs to "${name}" already.`,
  context: 'Kind of moment',
  lane: 'Lane',
  create: 'Create it',
  createCopy: 'Make the copy',
} as const;

export const TOUCHPOINT = {
  loading: 'Touchpoint',
  on: 'On',
  off: 'Off',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  menu: 'More for this touchpoint',
  history: 'History',
  changedBy: (who: string) => `Last changed by ${who}`,
  untouched: 'As it came with your industry',
  scriptTitle: 'What is said',
  scriptLead: 'Your member reads it while recording. Names and times are filled in for each recipient.',
  script: 'Script',
  basicsTitle: 'Name and kind',
  name: 'Name',
  slug: 'Slug',
  slugWhy:
    'The slug stays for ever: your integrations send it with each event, and another one would leave them without an answer. The name is yours to change.',
  context: 'Kind of moment',
  contextWarn: 'Events without an appointment will be refused from then on.',
  lane: 'Lane',
  pageTitle: 'On the page',
  pageLead: 'What the recipient sees round the video.',
  title: 'Page title',
  titleHint: 'The line above the video: at most 120 characters once names are filled in.',
  actionLabel: 'Button words',
  actionUrl: 'Button address',
  actionHint: 'For what comes next, such as a form or a price list. Leave both empty for no button.',
  actionUrlHint: 'Begins with https://',
  textTitle: 'Text message',
  textLead:
    'Goes to the recipient when Foreword sends the video. The link follows by itself, and how to opt out the first time.',
  textUnused: 'Your own system sends this one, so that no text goes out now.',
  textChoice: 'Words of the text',
  textUsual: 'Usual words',
  textOwn: 'Own words',
  text: 'Your words',
  textBubble: 'The text as it arrives',
  segments: (segments: number, encoding: string) =>
    `${formatCount(segments, 'segment')}${encoding === 'UCS-2' ? ', because of a letter that plain texts do not have' : ''}. Carriers charge for each.`,
  sendingTitle: 'Recording and sending',
  delivery: 'Who sends it',
  service: 'Foreword',
  serviceHint: 'A text message goes out as soon as the video is ready, at a decent hour.',
  integration: 'Your own system',
  integrationHint: 'You get the link by webhook and deliver it yourself.',
  days: 'Days to record',
  daysHint: 'Where there is an appointment, its beginning counts instead.',
  reminds: 'Remind members who have not recorded yet',
  insert: (where: string) => `Insert into: ${where}`,
  previewTitle: 'Preview',
  previewFor: 'Filled in for',
  preview: {
    usual: 'Sample people',
    bare: 'Sample people, with little known',
    real: (recipient: string) => `${recipient}, a recipient of yours`,
  } as const,
  previewSays: {
    usual: 'With all that an event can bring.',
    bare: 'Only what an event must bring: no last name, no appointment, no trade.',
    real: 'People of one of your newest intros.',
  } as const,
  previewReads: (member: string) => `${member} reads`,
  previewBroken: 'Mend the problem to see it.',
  previewFailed: 'The preview did not load. What you write is kept.',
  meter: length,
  meterOver: (over: number, atMost: number) =>
    `${formatCount(over, 'word')} more than the ${atMost} that people like to watch to the end`,
  meterFits: 'Short enough to be watched to the end',
  warnNames: 'With very long names this fails. Shorten them: {{ recipient.first_name | truncate: 40 }}',
  line: (line: number) => `Line ${line}`,
  goToLine: (line: number) => `Go to line ${line}`,
  fitTitle: 'Fit test',
  fitLead: (recipient: string, member: string | null) =>
    `With the longest names you have (${member === null ? recipient : `${recipient}, ${member}`}) and each member's own pace.`,
  fitLongest: (words: number, seconds: number, pace: number) =>
    `${length(words, seconds)} with the longest names, at ${pace} words a minute.`,
  fitAll: (active: number, limit: number) =>
    `Everybody is done within ${inSeconds(limit)} (${formatCount(active, 'active member')}).`,
  fitNobody: 'There is no active member yet.',
  fitOver: (over: number, active: number, limit: number) =>
    `${ofTeam(over, active)} ${over === 1 ? 'needs' : 'need'} more than ${inSeconds(limit)}.`,
  fitFine: (end: number) => `That is fine: the recorder goes on to ${inSeconds(end)}.`,
  fitShorten: 'A shorter script would be watched to the end more often.',
  fitCutOff: (amount: number, active: number, end: number) =>
    `${ofTeam(amount, active)} would be cut off: the recorder ends at ${inSeconds(end)}. Shorten the script, or ask them to try a faster pace in their settings.`,
  fitList: 'Who needs more time',
  fitChecked: (checked: number) => `The ${formatNumber(checked)} slowest were checked.`,
  fitPace: (pace: number, own: boolean) => `${pace} words a minute${own ? '' : ', the usual pace'}`,
  fitSeconds: inSeconds,
  fitMore: (more: number) => `and ${formatNumber(more)} more`,
  fitBroken: 'Mend the script first.',
  unsaved: (changes: number) => `${formatCount(changes, 'unsaved change')}`,
  save: 'Save',
  discard: 'Discard',
  saved: 'Saved. The API has it already.',
  newer: (who: string) => `${who} saved another version while you were editing.`,
  newerLook: 'Look at it',
  somebody: 'Somebody else',
  command: 'A command of the operator',
  byCommand: 'a command of the operator',
  reset: 'Go back to the original',
  resetTitle: 'Go back to the original?',
  resetLead: 'These fields get the words that came with your industry. You can undo it in the history.',
  resetNothing: 'It is the original already: nothing would change.',
  resetAction: 'Go back to it',
  resetDone: 'It is the original again.',
  saveFirst: 'Save or discard your changes first.',
} as const;

export const CONFLICT = {
  title: 'Two versions',
  lead: (who: string) =>
    `${who} saved this touchpoint while you were editing it. Nothing was overwritten: choose what to go on with.`,
  theirsOnly: 'Changed by them; taken over',
  mineOnly: 'Changed by you; kept',
  both: 'Changed by both: choose',
  theirs: 'Theirs',
  mine: 'Yours',
  before: 'Before',
  goOn: 'Go on editing with this',
  goOnHint: 'Nothing is saved yet: look it over, then save.',
  discard: 'Discard mine',
} as const;

const KINDS: Record<TouchpointChange['kind'], string> = {
  created: 'Made this touchpoint',
  copied: 'Made this as a copy',
  changed: 'Changed',
  reset: 'Went back to the original',
  undone: 'Undid a change',
};

export const HISTORY = {
  title: 'History',
  lead: 'Who changed what, and when. Any change can be undone; that is a change as well.',
  empty: 'Nothing was changed yet',
  emptyLead: 'It is as it came with your industry.',
  kind: (change: TouchpointChange) =>
    change.copy_of === null ? KINDS[change.kind] : `Made this as a copy of "${change.copy_of}"`,
  from: 'Before',
  to: 'After',
  undo: 'Undo this',
  undoOf: (what: string) => `Undo this: ${what}`,
  undoTitle: 'Undo this change?',
  undoLead: 'These fields go back to what they were:',
  undoAction: 'Undo it',
  undoDone: 'Undone.',
} as const;

/** Words on the buttons that put a variable into a template; what each says comes from the server. */
export const VARIABLES: Record<string, string> = {
  'recipient.first_name': 'Recipient: first name',
  'recipient.last_name': 'Recipient: last name',
  'member.first_name': 'Member: first name',
  'member.last_name': 'Member: last name',
  'organization.name': 'Your organization',
  appointment: 'Appointment',
  'appointment.weekday': 'Weekday',
  'appointment.date': 'Date',
  'appointment.time': 'Time',
  trade: 'Trade',
  lane: 'Lane',
};

export const CONDITION = {
  label: 'Only with an appointment',
  says: 'What stands between is left out when there is no appointment',
} as const;
