/** Folder: the console of the team. */

import type { ConsoleIntroRow, TouchpointContent } from '@foreword/contract';
import { LANGUAGES, type Language } from '@foreword/contract/plain';
import { formatCount } from './format.ts';

// The texts that every page shares. The others are beside their pages, so that they load with them.

export const FAILURE = {
  network: 'The server did not respond. Check your connection and try again.',
  signedOut: 'You are signed out. Sign in in another tab, then save again.',
  unreadable: 'The server sent a response that can’t be read. Try again in a moment.',
  unknown: 'Something went wrong. Reload the page.',
  tryAgain: 'Try again',
  title: 'This did not load',
} as const;

export const FRAME = {
  newIntro: 'New intro',
  openMenu: 'Menu',
  search: 'Search',
  signOut: 'Sign out',
  backToStart: 'Go to start page',
} as const;

export const NAV = {
  home: 'My intros',
  account: 'Account',
  overview: 'Overview',
  intros: 'Intros',
  messages: 'Messages',
  events: 'Events',
  touchpoints: 'Touchpoints',
  members: 'Members',
  organization: 'Organization',
  brand: 'Brand',
  texting: 'Texting',
  security: 'Security',
  data: 'Data',
  activity: 'Activity',
  developers: 'Developers',
  firstSteps: 'First steps',
  keys: 'Keys',
  webhooks: 'Webhooks',
  requests: 'Requests',
  dryRun: 'Dry run',
} as const;

export const PARTS = {
  save: 'Save',
  discard: 'Discard',
  unsaved: (changes: number) => formatCount(changes, 'unsaved change'),
  optional: 'optional',
  notSet: 'not set',
  choosePicture: 'Choose a picture',
  replacePicture: 'Replace',
  pictureTooLarge: 'This file is larger than 10 MB. Choose a smaller one.',
  pictureUnreadable: 'This file couldn’t be read. Choose it again.',
  notSaved: 'Not saved. Correct the marked fields.',
  on: 'On',
  off: 'Off',
  characters: (used: number, most: number) => `${used} of ${most}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Copying failed. Select the text and copy it yourself.',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  toasts: 'Status messages',
  more: 'More',
  loadMore: 'Load more',
  loadingMore: 'Loading more',
  today: 'Today',
  yesterday: 'Yesterday',
  chooseMember: 'Choose a member',
  searchMembers: 'Search members',
  searchingOlder: 'Searching older ones…',
  searchClear: 'Clear search',
  noMatch: 'No matches.',
  noMembers: 'No other active members. An owner or manager can add one.',
  working: 'Loading',
  filters: (set: number) => (set === 0 ? 'Filters' : `Filters (${set})`),
  clearFilters: 'Clear filters',
  noneLead: 'Change your search or remove a filter.',
  zoneHint: (zone: string) => `In your organization’s time zone (${zone})`,
  unsavedTitle: 'Leave without saving?',
  unsavedBody: 'Your changes on this page are not saved.',
  unsavedLeave: 'Leave',
  unsavedStay: 'Stay here',
  back: (page: string) => `Back to ${page}`,
} as const;

// Names that several parts of the console share.

export const STATUS_NAMES: Record<ConsoleIntroRow['status'], string> = {
  requested: 'To record',
  ready: 'Recorded',
  sent: 'Sent',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

export const EVENT_STATUS_NAMES = { accepted: 'Pending', processed: 'Intro created', failed: 'Failed' } as const;

export const LANE_NAMES: Record<NonNullable<TouchpointContent['lane']>, string> = {
  retail: 'Retail',
  insurance: 'Insurance',
};

export const NO_TOUCHPOINT = 'No touchpoint';

export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', es: 'Spanish' };
/** For a choice that may be left to the organization. */
export const LANGUAGE_OPTIONS: readonly { readonly value: Language | ''; readonly label: string }[] = [
  { value: '', label: 'Your organization’s' },
  ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
];
