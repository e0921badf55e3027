import type { PartialCount, TouchpointChange, TouchpointContent, TouchpointField } from '@foreword/contract';
import { type TimeUnit, UNIT_MINUTES, unitOf } from '@foreword/contract/plain';
import { formatCount, formatNumber } from '../../format.ts';
import { LANE_NAMES } from '../../texts.ts';

type Context = TouchpointContent['context'];
type Lane = NonNullable<TouchpointContent['lane']>;

export const CONTEXTS: Record<Context, { name: string; hint: string }> = {
  appointment: { name: 'Appointment', hint: 'Every event must include an appointment.' },
  status: { name: 'Status', hint: 'The status of the work changed.' },
  milestone: { name: 'Milestone', hint: 'A step of the work is complete.' },
  none: { name: 'Other', hint: 'No additional information is required.' },
};

export const EVERY_LANE = 'All lanes';

const FIELDS: Record<TouchpointField, string> = {
  name: 'Name',
  active: 'On or off',
  context: 'Type',
  lane: 'Lane',
  delivery: 'Sent by',
  minutes_to_record: 'Time to record',
  script: 'Script',
  script_es: 'Script in Spanish',
  page_title: 'Page title',
  page_title_es: 'Page title in Spanish',
  text_message: 'Text message',
  text_message_es: 'Text message in Spanish',
  action_label: 'Button label',
  action_label_es: 'Button label in Spanish',
  action_url: 'Button URL',
  shows_action: 'Button on the page',
  reminds: 'Reminders',
  invites_to_save: 'Invitation to save the number',
};

export const fieldName = (field: TouchpointField): string => FIELDS[field];

const DELIVERIES: Record<string, string> = { service: 'Foreword', integration: 'Your own system' };

export const TIME_UNITS: Record<TimeUnit, string> = { minute: 'minutes', hour: 'hours', day: 'days' };

/** "20 minutes", "4 hours", "3 days" */
export function recordingTime(minutes: number): string {
  const unit = unitOf(minutes);
  return formatCount(minutes / UNIT_MINUTES[unit], unit);
}

/** A field value in display form. */
export function fieldValue(field: TouchpointField, value: string | number | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (field === 'minutes_to_record') return recordingTime(Number(value));
  if (field === 'context') return CONTEXTS[value as Context].name;
  if (field === 'lane') return value === null ? EVERY_LANE : LANE_NAMES[value as Lane];
  if (field === 'delivery') return DELIVERIES[String(value)] ?? String(value);
  if (value === null) return field === 'text_message' || field === 'text_message_es' ? 'Default text' : 'None';
  return String(value);
}

const atLeast = ({ count, more }: PartialCount): string =>
  more ? `${formatNumber(count)} or more` : formatNumber(count);

const introsOpen = (counted: PartialCount): string | null =>
  counted.count === 0 && !counted.more
    ? null
    : `${atLeast(counted)} open ${counted.count === 1 && !counted.more ? 'intro' : 'intros'}`;

/** Non-breaking spaces keep a number and its unit on one line. */
const inSeconds = (seconds: number): string => `${Math.round(seconds)}\u00a0s`;

const length = (words: number, seconds: number): string =>
  `${formatCount(words, 'word').replace(' ', '\u00a0')}, about\u00a0${inSeconds(seconds)}`;

/** "6 of 8 active members" */
const ofTeam = (amount: number, active: number): string =>
  `${formatNumber(amount)} of ${formatCount(active, 'active member')}`;

export const TOUCHPOINTS = {
  title: 'Touchpoints',
  lead: 'The moments when a recipient gets a personal video from your team. Your integrations can send events for touchpoints that are on.',
  create: 'New touchpoint',
  list: (group: string) => `Touchpoints: ${group}`,
  all: 'All',
  everyLane: EVERY_LANE,
  empty: 'No touchpoints yet',
  emptyLead: 'Create the first one: a name, a type, and a script for your members.',
  summary: (context: Context, words: number, seconds: number) =>
    `${CONTEXTS[context].name} · ${length(words, seconds)}`,
  open: introsOpen,
  ownDelivery: 'Sent by your own system',
  off: 'Off',
  activeLabel: (name: string) => `${name} is on`,
  moreFor: (name: string) => `More for ${name}`,
  edit: 'Edit script',
  editOf: (name: string) => `Edit the script of ${name}`,
  copy: 'Duplicate',
  moveUp: 'Move up',
  moveDown: 'Move down',
  handle: (name: string) => `Move ${name}`,
  handleHint: 'Press space to pick it up, the arrow keys to move it, space to drop it, or Escape to cancel.',
  grabbed: (name: string, place: number, of: number) => `${name} picked up. Position ${place} of ${of}.`,
  moved: (name: string, place: number, of: number) => `${name} moved to position ${place} of ${of}.`,
  dropped: (name: string, place: number, of: number) => `${name} dropped at position ${place} of ${of}.`,
  released: (name: string) => `Move cancelled. ${name} is back in its original position.`,
  orderFailed: 'The new order wasn’t saved. Try again in a moment.',
  turnedOn: (name: string) => `${name} is on.`,
  turnedOff: (name: string) => `${name} is off.`,
  offTitle: (name: string) => `Turn off “${name}”?`,
  offAction: 'Turn off',
  offEvents: (slug: string) =>
    `Events for “${slug}” will be rejected with 422 touchpoint_not_found, and members can’t start it themselves.`,
  offIntros: (counted: PartialCount) => {
    const open = introsOpen(counted);
    return open === null
      ? 'No intros are open. Intros that are open when you turn it off are not affected.'
      : `${open} won’t be affected and can still be recorded, sent, and watched.`;
  },
  offPending: (counted: PartialCount) =>
    counted.count === 0 && !counted.more
      ? null
      : `${atLeast(counted)} pending ${counted.count === 1 && !counted.more ? 'event' : 'events'} will fail.`,
} as const;

export const NEW_TOUCHPOINT = {
  title: 'New touchpoint',
  lead: 'It starts turned off, with a neutral script. Edit the script, then turn it on.',
  copyTitle: (name: string) => `Duplicate “${name}”`,
  copyLead: 'The copy has the same content and settings under a new name. It starts turned off.',
  copyName: (name: string) => `${name} (copy)`,
  name: 'Name',
  nameHint: 'For your team. You can change it at any time.',
  slug: 'Slug',
  slugHint: 'Integrations send it. You can’t change it later.',
  slugTaken: (name: string) => `Already used by “${name}”.`,
  context: 'Type',
  lane: 'Lane',
  create: 'Create',
  createCopy: 'Duplicate',
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
  unchanged: 'Your industry’s original, unchanged',
  scriptTitle: 'Video script',
  scriptLead: 'Your member reads it while recording. Names and times are filled in for each recipient.',
  script: 'Script',
  language: 'Language',
  languageHint: 'Recipients get the script, page, and text in their own language, or else in your organization’s.',
  noScript: 'No script in Spanish. Members read the English one to recipients who prefer Spanish.',
  addScript: 'Add a Spanish script',
  removeScript: 'Remove the Spanish script',
  noTitle: 'No title in Spanish. The page shows “Unas palabras de” and the member’s name.',
  addTitle: 'Add a Spanish title',
  removeTitle: 'Remove the Spanish title',
  advancedTitle: 'Advanced: type and slug',
  name: 'Name',
  rename: 'Rename',
  renameDone: 'Done',
  slug: 'Slug',
  slugWhy: 'The slug can’t be changed because integrations rely on it. You can change the name at any time.',
  context: 'Type',
  contextWarn: 'Events without an appointment will be rejected.',
  lane: 'Lane',
  pageTitle: 'Recipient’s page',
  pageLead: 'The text around the video on the recipient’s page.',
  title: 'Page title',
  titleHint: 'The line above the video. Up to 120 characters after names are filled in.',
  actionLabel: 'Button label',
  actionUrl: 'Button URL',
  actionHint: 'For a next step, such as a form or a price list. Leave both empty for no button.',
  actionHintEs: 'For pages in Spanish. If empty, they show the English label.',
  actionUrlHint: 'Starts with https://',
  showsAction: 'Show the button on the page',
  showsActionHint: 'Turn this off to hide the button and keep its label and URL.',
  textTitle: 'Text message',
  textLead:
    'Sent to the recipient when Foreword delivers the video. The link is added, and opt-out instructions the first time.',
  textUnused: 'Your own system sends this touchpoint, so no text is sent.',
  textChoice: 'Content',
  textDefault: 'Default',
  textCustom: 'Custom',
  text: 'Custom text',
  textBubble: 'Preview of the text',
  sendingTitle: 'Recording and delivery',
  delivery: 'Sent by',
  service: 'Foreword',
  serviceHint: 'Texts the recipient as soon as the video is ready, outside quiet hours.',
  integration: 'Your own system',
  integrationHint: 'You get the link by webhook and deliver it yourself.',
  recordingTime: 'Time to record',
  recordingTimeUnit: 'Unit',
  recordingTimeHint: 'From 5 minutes to 365 days. If there is an appointment, its start is the deadline instead.',
  reminds: 'Remind members who haven’t recorded yet',
  invitesToSave: 'Invite recipients to save the number in their first text',
  previewTitle: 'Preview',
  previewFor: 'Preview with',
  preview: {
    typical: 'Sample data',
    minimal: 'Minimal sample data',
    real: (recipient: string) => `${recipient} (your recipient)`,
  } as const,
  previewHints: {
    typical: 'Includes every optional field.',
    minimal: 'Required fields only: no last name, appointment, or trade.',
    real: 'From one of your most recent intros.',
  } as const,
  previewReads: (member: string) => `${member} reads`,
  previewBroken: 'Fix the error to see the preview.',
  previewFailed: 'The preview didn’t load. Your changes are kept.',
  meter: length,
  meterOver: (over: number, limit: number) =>
    `${formatCount(over, 'word')} over the recommended ${limit}, so fewer people will watch to the end`,
  meterFits: 'Short enough to be watched to the end',
  warnNames: 'This fails with very long names. Shorten them: {{ recipient.first_name | truncate: 40 }}',
  line: (line: number) => `Line ${line}`,
  fitTitle: 'Length check',
  fitLead: (recipient: string, member: string | null) =>
    `Uses your longest names (${member === null ? recipient : `${recipient}, ${member}`}) and each member’s own pace.`,
  fitLongest: (words: number, seconds: number, pace: number) =>
    `${length(words, seconds)} with the longest names, at ${pace} words per minute.`,
  fitAll: (active: number, limit: number) =>
    `All ${formatCount(active, 'active member')} can read it within ${inSeconds(limit)}.`,
  fitNoMembers: 'You have no active members yet.',
  fitOver: (over: number, active: number, limit: number) =>
    `${ofTeam(over, active)} ${over === 1 ? 'needs' : 'need'} more than ${inSeconds(limit)}.`,
  fitShorten: 'More people would watch a shorter script to the end.',
  fitCutOff: (amount: number, active: number, end: number) =>
    `${ofTeam(amount, active)} would be cut off, because the recorder stops at ${inSeconds(end)}. Shorten the script, or ask them to try a faster pace in their settings.`,
  fitList: 'Members who need more time',
  fitChecked: (checked: number) => `Checked the ${formatNumber(checked)} slowest members.`,
  fitPace: (pace: number, own: boolean) => `${pace} words per minute${own ? '' : ' (default)'}`,
  /** Rounded up, because a time over the limit must not look like the limit. */
  fitSeconds: (seconds: number) => inSeconds(Math.ceil(seconds)),
  fitMore: (more: number) => `and ${formatNumber(more)} more`,
  fitBroken: 'Fix the script first.',
  saved: 'Saved. Your changes are live.',
  newer: (who: string) => `${who} saved another version while you were editing.`,
  compare: 'Compare',
  someoneElse: 'Someone else',
  command: 'An administrator command',
  byCommand: 'an administrator command',
  reset: 'Reset to original',
  resetTitle: 'Reset to the original?',
  resetLead: 'These fields go back to your industry’s original. You can undo this in the history.',
  resetNothing: 'This touchpoint already matches the original.',
  resetAction: 'Reset',
  resetDone: 'Reset to the original.',
  saveFirst: 'Save or discard your changes first.',
} as const;

export const CONFLICT = {
  title: 'Two versions',
  lead: (who: string) =>
    `${who} saved this touchpoint while you were editing it. Nothing was overwritten. Choose which values to keep.`,
  theirsOnly: 'Changed by them (included)',
  mineOnly: 'Changed by you (kept)',
  both: 'Changed by both (choose one)',
  theirs: 'Theirs',
  mine: 'Yours',
  before: 'Before',
  goOn: 'Continue editing',
  goOnHint: 'Nothing is saved yet. Review the result, then save.',
  discard: 'Discard mine',
} as const;

const KINDS: Record<TouchpointChange['kind'], string> = {
  created: 'Created',
  copied: 'Created as a copy',
  changed: 'Changed',
  reset: 'Reset to the original',
  undone: 'Undid a change',
};

export const HISTORY = {
  title: 'History',
  lead: 'Every change, newest first. You can undo any change; the undo is recorded too.',
  empty: 'No changes yet',
  emptyLead: 'This touchpoint matches your industry’s original.',
  kind: (change: TouchpointChange) =>
    change.copy_of === null ? KINDS[change.kind] : `Created as a copy of “${change.copy_of}”`,
  from: 'Before',
  to: 'After',
  undo: 'Undo',
  undoFields: (fields: string) => `Undo: ${fields}`,
  undoTitle: 'Undo this change?',
  undoLead: 'These fields go back to their earlier values:',
  undoAction: 'Undo change',
  undoDone: 'Change undone.',
} as const;
