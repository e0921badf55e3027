import type { Role } from '@foreword/contract';
import { formatCount, formatNumber } from '../../format.ts';

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', manager: 'Manager', member: 'Member' };

/** The server counts up to `at_most` only. */
export const formatCapped = (
  { count, at_most }: { count: number; at_most: number },
  one: string,
  many?: string,
): string =>
  count < at_most ? formatCount(count, one, many) : `${formatNumber(at_most)} or more ${many ?? `${one}s`}`;

export const MEMBERS = {
  lead: 'The people who record videos, and the team that manages them.',
  add: 'Add member',
  statuses: { active: 'Active', deactivated: 'Deactivated', all: 'Everyone' },
  roles: { owner: 'Owners', manager: 'Managers', member: 'Members' } satisfies Record<Role, string>,
  emptyLead: 'Add the people who record videos, one at a time or from a file.',
  deactivated: 'Deactivated',
  sharedTitle: (count: number) => `${formatNumber(count)} active members share an email address`,
  sharedLead:
    'API requests that use the shared email are rejected (422 member_ambiguous). Give each member their own email, or send the member’s ID or external ID instead.',
} as const;

export const ADD = {
  welcome: 'Send a welcome text with a practice recording',
  welcomeHint: 'They try the recorder once, with a made-up customer. No one gets the video.',
} as const;

export const MEMBER = {
  openTitle: 'Open intros',
  openNone: 'No open intros.',
  openLeft: 'These intros are still assigned to them. Reassign or cancel them.',
  recentTitle: 'Recent intros',
  deactivate: 'Deactivate',
  bouncesLead: (firstName: string, canText: boolean) =>
    `No emails are sent to it. Correct the address below${canText ? `; until then, ${firstName} gets texts instead` : ', or add a mobile phone so that they get texts instead'}.`,
  bouncesReason: 'The mail server said:',
  pagesLive: (live: { count: number; at_most: number }) => `${formatCapped(live, 'live page')} with their videos.`,
  pagesReplaced: 'Instead of the video, recipients see your organization’s logo and office phone.',
  replace: 'Replace videos',
  replaceLead: (firstName: string) =>
    `Recipients who open one of these pages read that ${firstName} no longer works here and how to call your office. The videos are not deleted, so you can undo this.`,
} as const;
