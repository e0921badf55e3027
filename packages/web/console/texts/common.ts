import type { Role } from '@foreword/contract';

// All words that a person reads stand in this folder, one file for each part of the console and this one for what all
// share. A page imports the file of its own part, so that its words travel with it.

export const FAILURE = {
  network: 'The server did not answer. Check your connection and try again.',
  signedOut: 'You are signed out. Sign in in another tab, then save again.',
  unreadable: 'The server gave an answer that cannot be read. Try again in a moment.',
  unknown: 'Something went wrong here. Load the page again.',
  tryAgain: 'Try again',
  title: 'This did not load',
  pageTitle: 'This page failed',
  pageLead: 'Something in it went wrong. Nothing of yours was changed by that.',
  requestId: (id: string) => `Request ${id}`,
} as const;

const ROLES: Record<Role, string> = { owner: 'owners', manager: 'owners and managers', member: 'members' };

export const FRAME = {
  product: 'Foreword',
  skip: 'Skip to content',
  bar: 'Console',
  navigation: 'Main',
  openMenu: 'Menu',
  closeMenu: 'Close the menu',
  signOut: 'Sign out',
  signingOut: 'Signing out',
  offline: 'You are offline. What you see may be old.',
  silent: 'The server does not answer. Trying again.',
  loading: 'Loading',
  notFound: 'There is nothing here',
  notFoundLead: 'The address may be mistyped, or what stood here is gone.',
  backToStart: 'Go to the start',
  notYours: (needed: Role) => `This is for ${ROLES[needed]}`,
  notYoursLead: 'Ask one of yours if you need something from here.',
  documentTitle: (page: string, organization: string) => `${page} · ${organization}`,
} as const;

export const PLACES = {
  home: 'Home',
  settings: 'Settings',
  overview: 'Overview',
  intros: 'Intros',
  touchpoints: 'Touchpoints',
  members: 'Members',
  brand: 'Brand',
  developers: 'Developers',
  outbox: 'Outbox',
} as const;

export const PARTS = {
  optional: 'optional',
  characters: (used: number, most: number) => `${used} of ${most}`,
  charactersLeft: (left: number) => (left < 0 ? `${-left} characters too many` : `${left} characters left`),
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'It could not be copied. Select it and copy it by hand.',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  more: 'More',
  loadMore: 'Load more',
  loadingMore: 'Loading more',
  searchClear: 'Clear the search',
  noMatch: 'Nothing matches.',
  working: 'Working',
  unsavedTitle: 'Leave without saving?',
  unsavedBody: 'What you changed here is not saved.',
  unsavedLeave: 'Leave',
  unsavedStay: 'Stay here',
  back: (place: string) => `Back to ${place}`,
} as const;
