import type { IntroProblem, OverviewIssue } from '@foreword/contract';
import { formatCount, formatList, formatNumber } from '../../format.ts';

const CARRIER: Record<'text' | 'email', Record<'unset' | 'refused' | 'unreachable', string>> = {
  text: {
    unset: 'No text provider is connected. Texts are listed under Messages, but not sent.',
    refused: 'The text provider is rejecting text messages. They will be sent once its settings are fixed.',
    unreachable: 'The text provider is not responding. Texts will be sent when it responds again.',
  },
  email: {
    unset: 'No email provider is connected. Emails are listed under Messages, but not sent.',
    refused: 'The mail server is rejecting emails. They will be sent once its settings are fixed.',
    unreachable: 'The mail server is not responding. Emails will be sent when it responds again.',
  },
};

type NeverRecorded = Extract<OverviewIssue, { kind: 'never_recorded' }>;

const names = ({ members, amount }: NeverRecorded): string => {
  const shown = members.map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  const rest = amount - shown.length;
  return formatList(rest > 0 ? [...shown, `${amount > 20 ? 'many' : formatNumber(rest)} more`] : shown);
};

interface About {
  readonly recipient: string;
  readonly member: string;
  /** The label of the reply. */
  readonly label: string;
  readonly amount: number;
}

const PROBLEMS: Record<IntroProblem, (about: About) => string> = {
  reply_waiting: ({ recipient, label }) => `${recipient} replied: “${label}”`,
  declined: ({ recipient, member }) => `${member} declined to record for ${recipient}`,
  not_sent: ({ recipient }) => `The video for ${recipient} was not sent`,
  not_delivered: ({ recipient }) => `The text to ${recipient} was not delivered`,
  member_not_reached: ({ recipient, member, amount }) =>
    amount === 1 ? `${member} was not reached about ${recipient}` : `${member} was not reached about ${amount} intros`,
};

export const ATTENTION = {
  title: 'Needs attention',
  problems: PROBLEMS,
  openMember: 'Open member',
  carrier: (channel: 'text' | 'email', status: 'unset' | 'refused' | 'unreachable') => CARRIER[channel][status],
  carrierHint: 'Ask your administrator to fix it: “foreword doctor” shows how.',
  webhookOff: (host: string) => `Webhooks to ${host} were turned off because they kept failing.`,
  webhookGone: (host: string) => `Webhooks to ${host} were turned off because the endpoint responded 410 Gone.`,
  failedEvents: (name: string, amount: number) =>
    `${formatCount(amount, 'event')} for ${name} failed in the last week.`,
  neverRecorded: (issue: NeverRecorded) =>
    `${names(issue)} ${issue.amount === 1 ? 'was' : 'were'} asked for videos but never recorded one.`,
  sharedEmail: (email: string, amount: number) =>
    `${formatNumber(amount)} active members share the email ${email}. Events that use it fail.`,
} as const;
