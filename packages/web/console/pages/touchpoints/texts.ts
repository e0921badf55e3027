import type { PartialCount, TouchpointChange, TouchpointContent } from '@foreword/contract';
import {
  type Lane,
  SCRIPT_FIT_WORDS,
  TAKE_MAX_SECONDS,
  type TimeUnit,
  UNIT_MINUTES,
  unitOf,
} from '@foreword/contract/plain';
import { formatCount, formatNumber } from '../../format.ts';
import { LANE_NAMES } from '../../texts.ts';

type Context = TouchpointContent['context'];

export const CONTEXTS: Record<Context, { name: string; hint: string }> = {
  appointment: { name: 'Appointment', hint: 'Every event must include an appointment.' },
  status: { name: 'Status', hint: 'The status of the work changed.' },
  milestone: { name: 'Milestone', hint: 'A step of the work is complete.' },
  none: { name: 'Other', hint: 'No additional information is required.' },
};

const EVERY_LANE = 'All lanes';

export const laneOptions = (lanes: readonly Lane[]) => [
  ...lanes.map((value) => ({ value, label: LANE_NAMES[value] })),
  { value: '', label: EVERY_LANE },
];

export const TIME_UNITS: Record<TimeUnit, string> = { minute: 'minutes', hour: 'hours', day: 'days' };

/** "20 minutes", "4 hours", "3 days" */
export function recordingTime(minutes: number): string {
  const unit = unitOf(minutes);
  return formatCount(minutes / UNIT_MINUTES[unit], unit);
}

/** "3 open intros", "500 or more open intros"; null if none were counted. */
const someOf = ({ count, more }: PartialCount, one: string): string | null => {
  if (count === 0) return null;
  return more ? `${formatNumber(count)} or more ${one}s` : formatCount(count, one);
};

const introsOpen = (counted: PartialCount): string | null => someOf(counted, 'open intro');

/** Non-breaking spaces keep a number and its unit on one line. */
const inSeconds = (seconds: number): string => `${Math.round(seconds)}\u00a0s`;

const length = (words: number, seconds: number): string =>
  `${formatCount(words, 'word').replace(' ', '\u00a0')}, about\u00a0${inSeconds(seconds)}`;

/** "6 of 8 active members" */
const ofTeam = (amount: number, active: number): string =>
  `${formatNumber(amount)} of ${formatCount(active, 'active member')}`;

export const TOUCHPOINTS = {
  lead: 'The moments when a recipient gets a personal video from your team. Your integrations can send events for touchpoints that are on.',
  everyLane: EVERY_LANE,
  summary: (context: Context, words: number, seconds: number) =>
    `${CONTEXTS[context].name} · ${length(words, seconds)}`,
  open: introsOpen,
  moved: (name: string, place: number, of: number) => `${name} moved to position ${place} of ${of}.`,
  offEvents: (slug: string) =>
    `Events for “${slug}” will be rejected with 422 touchpoint_not_found, and members can’t start it themselves.`,
  offIntros: (counted: PartialCount) => {
    const open = introsOpen(counted);
    return open === null
      ? `${counted.more ? '' : 'No intros are open. '}Intros that are open when you turn it off are not affected.`
      : `${open} won’t be affected and can still be recorded, sent, and watched.`;
  },
  offPending: (counted: PartialCount) => {
    const pending = someOf(counted, 'pending event');
    if (pending === null) return counted.more ? 'Pending events will fail.' : null;
    return `${pending} will fail.`;
  },
} as const;

export const NEW_TOUCHPOINT = {
  title: 'New touchpoint',
  lead: 'It starts turned off, with a neutral script. Edit the script, then turn it on.',
  copyLead: 'The copy has the same content and settings under a new name. It starts turned off.',
  slugHint: 'Integrations send it. You can’t change it later. If empty, it is made from the name.',
  createCopy: 'Duplicate',
} as const;

export const TOUCHPOINT = {
  tabNames: { script: 'Script', page: 'Page', text: 'Text', delivery: 'Delivery', results: 'Results' },
  tabTitles: {
    script: 'Video script',
    page: 'Recipient’s page',
    text: 'Text message',
    delivery: 'Recording and delivery',
    results: 'Results',
  },
  cutOffLead: (seconds: number) =>
    `It takes about ${inSeconds(Math.ceil(seconds))} at the usual pace, and the recorder stops at ${inSeconds(TAKE_MAX_SECONDS)}. Shorten it to about ${SCRIPT_FIT_WORDS} words.`,
  changedBy: (who: string) => `Last changed by ${who}`,
  scriptLead: 'Your member reads it while recording. Names and times are filled in for each recipient.',
  script: 'Script',
  languageHint: 'Recipients get the script, page, and text in their own language, or else in your organization’s.',
  spanish: {
    script: {
      none: 'No script in Spanish. Members read the English one to recipients who prefer Spanish.',
      add: 'Add a Spanish script',
      remove: 'Remove the Spanish script',
    },
    page_title: {
      none: 'No title in Spanish. The page shows “Unas palabras de” and the member’s name.',
      add: 'Add a Spanish title',
      remove: 'Remove the Spanish title',
    },
  },
  name: 'Name',
  nameMissing: 'Enter a name.',
  slug: 'Slug',
  slugWhy: 'The slug can’t be changed because integrations rely on it. You can change the name at any time.',
  context: 'Type',
  lane: 'Lane',
  title: 'Page title',
  titleHint: 'The line above the video. Up to 120 characters after names are filled in.',
  actionHint: 'For a next step, such as a form or a price list. Leave both empty for no button.',
  textLead:
    'Sent to the recipient when Foreword delivers the video. The link is added, and opt-out instructions the first time.',
  textDefault: 'Default',
  serviceHint: 'Texts the recipient as soon as the video is ready, outside quiet hours.',
  recordingTime: 'Time to record',
  recordingTimeHint: 'From 5 minutes to 365 days. If there is an appointment, its start is the deadline instead.',
  previewTitle: 'Preview',
  preview: {
    typical: 'Sample data',
    minimal: 'Required fields only',
    real: (recipient: string) => `${recipient} (your recipient)`,
  } as const,
  previewBroken: 'Fix the error to see the preview.',
  meter: length,
  meterOver: (over: number, limit: number) =>
    `${formatCount(over, 'word')} over the recommended ${limit}, so fewer people will watch to the end`,
  meterCutOff: `Will be cut off: the recorder stops at ${inSeconds(TAKE_MAX_SECONDS)}`,
  warnNames: 'This fails with very long names. Shorten them: {{ recipient.first_name | truncate: 40 }}',
  fitLead: (recipient: string, member: string | null) =>
    `Uses your longest names (${member === null ? recipient : `${recipient}, ${member}`}) and each member’s own pace.`,
  fitLongest: (words: number, seconds: number, pace: number) =>
    `${length(words, seconds)} with the longest names, at ${pace} words per minute.`,
  fitAll: (active: number, limit: number) =>
    `${active === 1 ? 'Your active member' : `All ${formatNumber(active)} active members`} can read it within ${inSeconds(limit)}.`,
  fitOver: (over: number, active: number, limit: number) =>
    `${ofTeam(over, active)} ${over === 1 ? 'needs' : 'need'} more than ${inSeconds(limit)}. More people would watch a shorter script to the end.`,
  fitCutOff: (amount: number, active: number, end: number) =>
    `${ofTeam(amount, active)} would be cut off, because the recorder stops at ${inSeconds(end)}. Shorten the script, or ask them to try a faster pace in their settings.`,
  fitPace: (pace: number, own: boolean) => `${pace} words per minute${own ? '' : ' (default)'}`,
  /** Rounded up, because a time over the limit must not look like the limit. */
  fitSeconds: (seconds: number) => inSeconds(Math.ceil(seconds)),
  resetLead: 'These fields go back to your industry’s original. You can undo this in the history.',
  saveFirst: 'Save or discard your changes first.',
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
  kind: (change: TouchpointChange) =>
    change.copy_of === null ? KINDS[change.kind] : `Created as a copy of “${change.copy_of}”`,
} as const;
