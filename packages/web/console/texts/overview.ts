import type { OverviewIssue } from '@foreword/contract';
import { formatCount, formatList, formatNumber } from '../format.ts';

const CARRIER: Record<'text' | 'email', Record<'unset' | 'refused' | 'unreachable', string>> = {
  text: {
    unset: 'No carrier for text messages is set up: they go to the outbox, and nobody gets them.',
    refused: 'The carrier refuses our text messages. They wait, and are sent once its settings are right again.',
    unreachable: 'The carrier for text messages does not answer. They wait until it does.',
  },
  email: {
    unset: 'No mail server is set up: e-mails go to the outbox, and nobody gets them.',
    refused: 'The mail server refuses our e-mails. They wait, and are sent once its settings are right again.',
    unreachable: 'The mail server does not answer. E-mails wait until it does.',
  },
};

const CODES: Readonly<Record<string, string>> = {
  touchpoint_not_found: 'the touchpoint was off',
  member_not_found: 'the member was not active',
  template_invalid: 'the script could not be filled in',
  recipient_opted_out: 'the recipient has opted out',
};

/** An amount and its unit stay on one line. */
const together = (words: string): string => words.replaceAll(' ', '\u00a0');

type Never = Extract<OverviewIssue, { kind: 'never_recorded' }>;

const names = ({ members, amount }: Never): string => {
  const shown = members.map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  const rest = amount - shown.length;
  return formatList(rest > 0 ? [...shown, `${amount > 20 ? 'many' : formatNumber(rest)} more`] : shown);
};

export const OVERVIEW = {
  title: 'Overview',
  span: 'Days',
  days: { 7: '7 days', 30: '30 days', 90: '90 days' },
  export: 'Export as CSV',
  exportHint: 'Every intro of these days, with names and phone numbers.',

  stepsTitle: 'Three steps to the first video',
  stepsLead: 'Foreword asks your people for short videos when your systems tell it that something happened.',
  stepMembers: 'Add the people who record',
  stepMembersLead: 'One by one, or from a spreadsheet.',
  stepMembersAction: 'Add members',
  stepEvent: 'Send a first event',
  stepEventLead: 'A request from your CRM, or by hand with the example that is ready for you.',
  stepEventAction: 'See how',
  stepArrive: 'See it arrive',
  stepArriveLead: 'The member gets a link to record, and the intro stands in your list.',
  stepArriveAction: 'Open the intros',
  stepDone: 'Done',
  stepOpen: 'Still to do',

  concernsTitle: 'Needs attention',
  concernsNone: 'Nothing needs your attention.',
  carrier: (channel: 'text' | 'email', status: 'unset' | 'refused' | 'unreachable') => CARRIER[channel][status],
  carrierAction: 'Open the outbox',
  carrierHint: 'Whoever runs this service can mend it; the command "foreword doctor" says how.',
  webhookOff: (host: string) => `Webhooks to ${host} were turned off, because they kept failing.`,
  webhookGone: (host: string) => `Webhooks to ${host} were turned off: it answered that it wants no more.`,
  webhookFailing: (host: string) => `Webhooks to ${host} fail at the moment. They are tried again.`,
  failingSince: 'It began',
  webhookAction: 'See the attempts',
  failedEvents: (name: string, amount: number, code: string) =>
    `${formatCount(amount, 'event')} of ${name} failed in the last week; the last one because ${CODES[code] ?? 'it could not be processed'}.`,
  failedEventsAction: 'See the last one',
  neverRecorded: (concern: Never) =>
    `${names(concern)} ${concern.amount === 1 ? 'was' : 'were'} asked for a video and never recorded one.`,
  neverRecordedAction: 'Open the members',
  sharedEmail: (email: string, amount: number) =>
    `${formatNumber(amount)} active members have the address ${email}. Events that name it fail.`,
  sharedEmailAction: 'Show them',

  waitingTitle: 'Waiting now',
  toRecord: 'to be recorded',
  dueSoon: 'of them due within a day',
  toSend: 'recorded, to be sent',
  waitingNone: 'Nothing waits. Every intro that was asked for is recorded.',
  waitingOldest: 'Waiting the longest',
  waitingAll: 'All that wait',
  waitingFor: (recipient: string) => `For ${recipient}`,
  waitingFrom: (member: string, touchpoint: string | null) =>
    touchpoint === null ? `From ${member}` : `From ${member}, ${touchpoint}`,
  asked: 'asked',
  due: 'due',
  upTo: (amount: number, most: number) => (amount >= most ? `${formatNumber(most)} or more` : formatNumber(amount)),

  outcomeTitle: 'What became of them',
  outcomeLead: (asked: number, days: number) =>
    `Of the ${formatCount(asked, 'intro')} that ${asked === 1 ? 'was' : 'were'} asked for in the last ${days} days.`,
  outcomeNone: (days: number) => `No intro was asked for in the last ${days} days.`,
  figure: {
    requested: 'Asked for',
    recorded: 'Recorded',
    sent: 'Sent',
    opened: 'Opened',
    watched: 'Watched',
  },
  shareOfAsked: 'of all asked for',
  times: (median: string, p90: string) =>
    `Half of the recorded ones were there within ${together(median)}, nine of ten within ${together(p90)}.`,
  closed: (cancelled: number, expired: number) =>
    `${formatNumber(cancelled)} cancelled, ${formatNumber(expired)} expired without a video.`,

  chartTitle: 'Day by day',
  chartMeasure: 'Show',
  chartRest: 'The others that were asked for on that day',
  chartLabel: (measure: string, total: number, part: number, best: string) =>
    `Bar chart by day: ${formatNumber(total)} asked for, ${formatNumber(part)} of them ${measure.toLowerCase()}. The most on ${best}. The figures follow as a table.`,
  chartDay: (date: string, asked: number, part: number, measure: string) =>
    `${date}: ${formatNumber(asked)} asked for, ${formatNumber(part)} ${measure.toLowerCase()}`,
  chartTable: 'The same as a table',
  date: 'Day',

  byTouchpoint: 'By touchpoint',
  byMember: 'By member',
  touchpoint: 'Touchpoint',
  member: 'Member',
  median: 'Time to record',
  inactive: 'left the team',
  showAll: (amount: number) => `Show all ${formatNumber(amount)}`,
  showFewer: 'Show fewer',
  moreMembers: (amount: number) => `${formatCount(amount, 'more member')} with fewer intros. The export has them all.`,
  counted: (time: string) => `Counted at ${time}; counted anew after a minute.`,
  none: 'none',
} as const;
