import { formatCount } from '../../format.ts';
import { formatCapped } from '../members/texts.ts';

type Capped = { readonly count: number; readonly at_most: number };

export const LIKENESS = {
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
  withdrawnBy: { member: 'by the member', owner: 'by an owner', operator: 'by the administrator' },
  removed: (counts: { videos: number; taken_down: number; closed: number; reassigned: number }) =>
    [
      `Removed ${formatCount(counts.videos, 'video')} and ${formatCount(counts.taken_down, 'page')}.`,
      ...(counts.closed > 0 ? [`Closed ${formatCount(counts.closed, 'open intro')}.`] : []),
      ...(counts.reassigned > 0 ? [`Reassigned ${formatCount(counts.reassigned, 'open intro')}.`] : []),
    ].join(' '),
  withdraw: 'Withdraw consent',
  withdrawLead:
    'All videos, pictures, and the profile photo are deleted within a minute. Their pages close, and pending texts are not sent. This can’t be undone.',
  pages: (live: Capped) => `${formatCapped(live, 'live page')} will close.`,
  open: (open: Capped) => formatCapped(open, 'open intro'),
  reassignHint: 'The new member is notified. Recorded intros are closed, because they show the member who withdrew.',
  to: 'Reassign to',
  chooseFirst: 'Choose a member.',
} as const;
