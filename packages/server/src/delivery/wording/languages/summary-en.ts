import { isolated } from '@foreword/contract';

/** The weekly summary: the email, and the page that turns it off. Numbers and dates are already formatted. */
export const SUMMARY_EN = {
  subject: (organization: string, days: string) => `${organization}: your week, ${days}`,
  lead: (organization: string, days: string) => `Here’s how the intros of ${organization} did from ${days}.`,
  figures: { sent: 'Sent', watched: 'Watched to the end', answered: 'Answered', waiting: 'Waiting to be recorded' },
  same: 'as many as the week before',
  more: (amount: string) => `${amount} more than the week before`,
  fewer: (amount: string) => `${amount} fewer than the week before`,
  longest: 'Waiting the longest',
  waiting: (member: string, since: string) => `for ${isolated(member)} to record, since ${since}`,
  button: 'Open the overview',
  why: 'Owners get this email on Mondays.',
  off: 'Turn it off',
  page: {
    confirmTitle: 'Turn off the weekly summary?',
    confirm: (organization: string) => `You’ll no longer get the email about the week of ${organization} on Mondays.`,
    button: 'Turn it off',
    offTitle: 'The weekly summary is off',
    off: 'You can turn it on again in your settings.',
    settings: 'Open your settings',
    unknownTitle: 'This link doesn’t work',
    unknown: 'Open the link in the newest summary, or turn the summary off in your settings.',
  },
} as const;
