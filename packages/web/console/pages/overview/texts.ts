import type { OverviewIssue } from '@foreword/contract';
import { formatCount, formatList, formatNumber } from '../../format.ts';

const CARRIER: Record<'text' | 'email', Record<'unset' | 'refused' | 'unreachable', string>> = {
  text: {
    unset: 'No text provider is connected. Texts are stored in the outbox, but not sent.',
    refused: 'The text provider is rejecting text messages. They will be sent once its settings are fixed.',
    unreachable: 'The text provider is not responding. Texts will be sent when it responds again.',
  },
  email: {
    unset: 'No email provider is connected. Emails are stored in the outbox, but not sent.',
    refused: 'The mail server is rejecting emails. They will be sent once its settings are fixed.',
    unreachable: 'The mail server is not responding. Emails will be sent when it responds again.',
  },
};

const CODES: Readonly<Record<string, string>> = {
  touchpoint_not_found: 'the touchpoint was off',
  member_not_found: 'the member was not active',
  template_invalid: 'the script template could not be rendered',
  recipient_opted_out: 'the recipient has opted out',
  recipient_erased: 'the recipient was erased',
};

/** Keeps a number and its unit on one line. */
const noWrap = (text: string): string => text.replaceAll(' ', '\u00a0');

type NeverRecorded = Extract<OverviewIssue, { kind: 'never_recorded' }>;

const names = ({ members, amount }: NeverRecorded): string => {
  const shown = members.map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  const rest = amount - shown.length;
  return formatList(rest > 0 ? [...shown, `${amount > 20 ? 'many' : formatNumber(rest)} more`] : shown);
};

export const OVERVIEW = {
  title: 'Overview',
  daysLabel: 'Period',
  days: { 7: '7 days', 30: '30 days', 90: '90 days' },
  export: 'Export as CSV',
  exportHint: 'All intros in this period, with names and phone numbers.',

  setupTitle: 'Set up Foreword',
  setupProgress: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} done`,
  setupDismiss: 'Dismiss checklist',
  setupDismissed: 'Checklist dismissed',
  setupItems: {
    has_brand: { title: 'Add your brand', lead: 'Your logo or color appears on every page.' },
    has_members: { title: 'Invite your team', lead: 'Add members one by one, or import a spreadsheet.' },
    has_carrier: { title: 'Connect texting', lead: 'Without a text provider, messages stay in the outbox.' },
    has_event: { title: 'Send your first event', lead: 'From your CRM, or with the example request.' },
    has_text: { title: 'Get a real text', lead: 'Send an intro to your own phone as a test.' },
  },
  empty: 'No intros yet',
  emptyLead: 'They appear here once your systems send an event.',
  setupDone: 'Done',
  setupOpen: 'To do',

  repliesTitle: 'Latest replies',
  replied: (recipient: string, label: string) => `${recipient}: “${label}”`,
  repliedByText: (recipient: string) => `${recipient} by text`,
  replyTo: (member: string) => `To ${member}`,

  issuesTitle: 'Needs attention',
  issuesNone: 'Nothing needs your attention.',
  carrier: (channel: 'text' | 'email', status: 'unset' | 'refused' | 'unreachable') => CARRIER[channel][status],
  carrierAction: 'Open outbox',
  carrierHint: 'Ask your administrator to fix it: “foreword doctor” shows how.',
  webhookOff: (host: string) => `Webhooks to ${host} were turned off because they kept failing.`,
  webhookGone: (host: string) => `Webhooks to ${host} were turned off because the endpoint responded 410 Gone.`,
  webhookFailing: (host: string) => `Webhooks to ${host} are failing. We are retrying them.`,
  failingSince: 'Failing since',
  webhookAction: 'View attempts',
  failedEvents: (name: string, amount: number, code: string) =>
    `${formatCount(amount, 'event')} for ${name} failed in the last week. Latest reason: ${CODES[code] ?? 'it could not be processed'}.`,
  failedEventsAction: 'View latest event',
  neverRecorded: (issue: NeverRecorded) =>
    `${names(issue)} ${issue.amount === 1 ? 'was' : 'were'} asked for videos but never recorded one.`,
  neverRecordedAction: 'Open members',
  emailBounces: (name: string) => `Emails to ${name} bounce, so none are sent.`,
  emailBouncesAction: 'Correct the address',
  sharedEmail: (email: string, amount: number) =>
    `${formatNumber(amount)} active members share the email ${email}. Events that use it fail.`,
  sharedEmailAction: 'Show members',

  waitingTitle: 'Waiting to be recorded',
  figuresTitle: 'Key figures',
  toRecord: 'To record',
  dueSoon: 'Due within a day',
  toSend: 'Recorded, not sent',
  unsentLead: 'No text went out for these intros. Send the link yourself, from your phone or by email.',
  waitingNone: 'Every requested intro has been recorded.',
  waitingAll: 'Show all',
  waitingFor: (recipient: string) => `For ${recipient}`,
  waitingFrom: (member: string, touchpoint: string | null) =>
    touchpoint === null ? `From ${member}` : `From ${member}, ${touchpoint}`,
  due: 'due',
  upTo: (amount: number, most: number) => (amount >= most ? `${formatNumber(most)} or more` : formatNumber(amount)),

  sent: (days: number) => `Sent in ${days} days`,
  watched: (days: number) => `Watched in ${days} days`,
  unknown: '–',
  noDeadline: 'no deadline',

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
  shareOfRequested: 'of all requested',
  times: (median: string, p90: string) => `Median time to record: ${noWrap(median)}; 90% within ${noWrap(p90)}.`,
  closed: (cancelled: number, expired: number) =>
    `${formatNumber(cancelled)} cancelled, ${formatNumber(expired)} expired.`,

  chartTitle: 'By day',
  chartMeasure: 'Show',
  chartRest: 'Other requested intros',
  chartLabel: (measure: string, total: number, part: number, best: string) =>
    `Bar chart by day: ${formatNumber(total)} requested, ${formatNumber(part)} ${measure.toLowerCase()}. Most on ${best}. The table below has the numbers.`,
  chartDay: (date: string, asked: number, part: number, measure: string) =>
    `${date}: ${formatNumber(asked)} requested, ${formatNumber(part)} ${measure.toLowerCase()}`,
  chartTable: 'Show as a table',
  date: 'Day',

  breakdown: 'Results in detail',
  byTouchpoint: 'By touchpoint',
  byMember: 'By member',
  touchpoint: 'Touchpoint',
  member: 'Member',
  median: 'Time to record',
  inactive: 'deactivated',
  showAll: (amount: number) => `Show all ${formatNumber(amount)}`,
  showFewer: 'Show fewer',
  moreMembers: (amount: number) =>
    `${formatCount(amount, 'more member')} with fewer intros. The export includes everyone.`,
  updated: (time: string) => `Updated ${time}`,
  none: 'none',
} as const;
