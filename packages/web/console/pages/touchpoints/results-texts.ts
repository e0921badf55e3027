import { formatCount, formatNumber } from '../../format.ts';

/** Fewer intros than this say nothing about a difference: one recipient would be more than 5%. */
export const MIN_TO_COMPARE = 20;

export const SCRIPT_RESULTS = {
  title: 'Results by script version',
  lead: 'Intros requested in the last 12 months. Opened, watched, and replied are shares of those sent.',
  table: 'Results by script version',
  version: 'Version',
  name: (number: number) => `Version ${formatNumber(number)}`,
  current: 'Current',
  fromStart: 'From the start',
  now: 'now',
  by: (name: string) => `, by ${name}`,
  requested: 'Intros',
  recorded: 'Recorded',
  median: (time: string) => `${time} median`,
  sent: 'Sent',
  opened: 'Opened',
  watched: 'Watched to the end',
  replied: 'Replied',
  seeChanges: 'See what changed',
  seeChangesOf: (number: number) => `See what changed in version ${formatNumber(number)}`,
  seeScript: 'See the script',
  seeScriptOf: (number: number) => `See the script of version ${formatNumber(number)}`,
  changesTitle: (number: number) => `Script, version ${formatNumber(number)}`,
  before: 'Before',
  after: 'After',
  script: 'Script',
  tooFew: (requested: number) =>
    requested === 0 ? 'No intros in this period.' : `${formatCount(requested, 'intro')}: too few to compare.`,
  tooFewLead: `Compare only versions with at least ${MIN_TO_COMPARE} intros. With fewer, a difference is likely to be chance.`,
  openLead: 'Intros that are still open count as not recorded, so the current version looks worse at first.',
  onlyEnglish: 'Intros with the Spanish script are not counted.',
  empty: 'No results yet',
  emptyLead: 'Results appear here once intros use this touchpoint.',
  more: 'Older versions are not listed.',
} as const;
