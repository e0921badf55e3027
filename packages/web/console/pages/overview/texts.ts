import { formatCount, formatNumber } from '../../format.ts';

/** Keeps a number and its unit on one line. */
const noWrap = (text: string): string => text.replaceAll(' ', '\u00a0');

export const OVERVIEW = {
  days: { 7: '7 days', 30: '30 days', 90: '90 days' },

  setupProgress: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} done`,
  setupItems: {
    has_brand: { title: 'Add your brand', lead: 'Your logo or color appears on every page.' },
    has_members: { title: 'Add your team', lead: 'Add members one by one, or import a spreadsheet.' },
    has_carrier: { title: 'Connect texting', lead: 'Without a text provider, messages are not sent.' },
    has_event: { title: 'Start your first intro', lead: 'To yourself, as a test. Your CRM can start the next ones.' },
    has_text: { title: 'Get a real text', lead: 'Record the test, and the video arrives on your own phone.' },
  },
  emptyLead: 'Start one yourself, or connect your CRM. Results appear here.',

  resultsTitle: 'Results',
  resultsLead: (requested: number, days: number) =>
    `${formatCount(requested, 'intro')} requested in the last ${days} days.`,
  resultsNone: (days: number) => `No intros were requested in the last ${days} days.`,
  figure: {
    requested: 'Requested',
    recorded: 'Recorded',
    sent: 'Sent',
    opened: 'Opened',
    watched: 'Watched',
  },
  times: (median: string, p90: string) => `Median time to record: ${noWrap(median)}; 90% within ${noWrap(p90)}.`,
  closed: (cancelled: number, expired: number) =>
    `${formatNumber(cancelled)} cancelled, ${formatNumber(expired)} expired.`,

  views: { total: 'Total', day: 'Days', touchpoint: 'Touchpoints', member: 'Members' },
  chartLabel: (total: number, part: number) =>
    `Bar chart by day: ${formatNumber(total)} requested, ${formatNumber(part)} recorded. The table below has the numbers.`,
  chartDay: (date: string, asked: number, part: number) =>
    `${date}: ${formatNumber(asked)} requested, ${formatNumber(part)} recorded`,

  moreMembers: (amount: number) =>
    `${formatCount(amount, 'more member')} with fewer intros. The export includes everyone.`,
} as const;
