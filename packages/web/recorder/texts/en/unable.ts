import type { DeclineReason } from '@foreword/contract';

/** For a member who cannot record an intro. */
export const UNABLE = {
  link: 'Can’t record this one?',
  heading: (name: string) => `Can’t record for ${name}?`,
  handOver: 'Hand it over',
  handOverLead: 'A colleague records it instead.',
  decline: 'Decline',
  declineLead: 'Your team decides who records it.',
  back: 'Back',
  again: 'Try again',
  failed: 'That didn’t work. Check your connection, then try again.',
  /** By the code of the server's answer. */
  problems: {
    intro_recorded: 'A video for this one is being uploaded. Send it, or try again in a few minutes.',
    intro_closed: 'Someone else records this one now.',
    validation_failed: 'That’s no longer possible. Go back and choose again.',
    rate_limited: 'Too many attempts. Ask a manager to reassign it.',
  } as Readonly<Record<string, string>>,

  colleagueHeading: (name: string) => `Who can record for ${name}?`,
  colleagueLead: 'They are notified right away, and your link stops working.',
  colleagues: 'Colleagues',
  search: 'Search',
  loading: 'Loading your team…',
  noColleagues: 'There is no one to hand it over to. You can decline it instead.',
  noMatch: 'No colleague with this name.',
  chooseColleague: 'Choose a colleague.',
  handOverNow: 'Hand over',
  sending: 'One moment…',

  reasonHeading: (name: string) => `Why can’t you record for ${name}?`,
  reasonLead: 'Your team is notified and decides who records it.',
  reasons: {
    not_meeting: 'I’m not meeting this person',
    away: 'I’m away',
    details_wrong: 'The details are wrong',
    other: 'Other',
  } satisfies Record<DeclineReason, string>,
  words: 'Reason',
  wordsHint: (most: number) => `Up to ${most} characters`,
  chooseReason: 'Choose a reason.',
  writeReason: 'Write a short reason.',

  declinedHeading: 'You declined this one',
  declinedBody: 'Your team was notified and decides who records it.',
  recordAnyway: 'Record it after all',

  reassignedHeading: (name: string) => `${name} records this one now`,
  reassignedBody: 'There is nothing left for you to do.',
};
