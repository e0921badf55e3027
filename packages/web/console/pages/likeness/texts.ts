import { formatCount } from '../../format.ts';
import { formatCapped } from '../members/texts.ts';

type Capped = { readonly count: number; readonly at_most: number };

export const LIKENESS = {
  title: 'Consent to videos',
  lead: {
    not_given: 'You give this consent with your first video, or here.',
    given: 'You agreed to the use of your face and voice.',
    withdrawn: 'You withdrew your consent, so you get no new intros.',
  },
  leadOf: {
    not_given: 'They give this consent with their first video.',
    given: 'They agreed to the use of their face and voice.',
    withdrawn: 'They withdrew their consent, so they get no new intros.',
  },
  noRecord: 'No record',
  text: 'What this covers',
  version: 'Version',
  given: 'Given',
  byRecording: 'with a recording',
  byConsole: 'in the console',
  withdrawn: 'Withdrawn',
  withdrawnBy: { member: 'by the member', owner: 'by an owner', operator: 'by the administrator' },
  removing: 'Removing videos and pages. This takes less than a minute.',
  removed: (counts: { videos: number; taken_down: number; closed: number; reassigned: number }) =>
    [
      `Removed ${formatCount(counts.videos, 'video')} and ${formatCount(counts.taken_down, 'page')}.`,
      ...(counts.closed > 0 ? [`Closed ${formatCount(counts.closed, 'open intro')}.`] : []),
      ...(counts.reassigned > 0 ? [`Reassigned ${formatCount(counts.reassigned, 'open intro')}.`] : []),
    ].join(' '),
  give: 'Give consent',
  giveAgain: 'Give consent again',
  giveTitle: 'Give your consent',
  giveAction: 'I agree',
  gave: 'Consent given',
  withdraw: 'Withdraw consent',
  withdrawTitle: 'Withdraw your consent?',
  withdrawTitleOf: (name: string) => `Withdraw ${name}’s consent?`,
  withdrawLead:
    'All videos, pictures, and the profile photo are deleted within a minute. Their pages close, and pending texts are not sent. This can’t be undone.',
  pages: (live: Capped) => `${formatCapped(live, 'live page')} will close.`,
  open: (open: Capped) => formatCapped(open, 'open intro'),
  cancel: 'Close',
  cancelHint: 'Recording links stop working, and your systems are notified.',
  reassign: 'Reassign',
  reassignHint: 'The new member is notified. Recorded intros are closed, because they show the member who withdrew.',
  to: 'Reassign to',
  chooseFirst: 'Choose a member.',
  withdrew: 'Consent withdrawn',
} as const;
