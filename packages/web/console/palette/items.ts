import type { Role } from '@foreword/contract';
import type { LinkProps } from '@tanstack/react-router';
import { changeDensity, DENSITIES } from '../density.ts';
import type { IconName } from '../parts/icon.tsx';
import { mayActAs } from '../session.ts';
import { NAV } from '../texts/common.ts';
import { PALETTE } from '../texts/palette.ts';

type Target = Pick<LinkProps, 'to' | 'params' | 'search' | 'hash'>;

/** One line of the list: it opens a page or runs a command. */
export interface Item {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly target?: Target;
  readonly run?: () => void;
}

export interface Group {
  readonly name: string;
  readonly items: readonly Item[];
}

type Command = Item & { readonly minRole: Role };

const ACTIONS: readonly Command[] = [
  { id: 'new-intro', label: PALETTE.newIntro, icon: 'plus', target: { to: '/home/new' }, minRole: 'member' },
  {
    id: 'new-touchpoint',
    label: PALETTE.newTouchpoint,
    icon: 'plus',
    target: { to: '/touchpoints', hash: 'new' },
    minRole: 'manager',
  },
  {
    id: 'invite-member',
    label: PALETTE.addMember,
    icon: 'plus',
    target: { to: '/members', hash: 'new' },
    minRole: 'manager',
  },
  {
    id: 'import',
    label: PALETTE.importMembers,
    icon: 'upload',
    target: { to: '/members/import' },
    minRole: 'manager',
  },
  { id: 'try', label: PALETTE.dryRun, icon: 'play', target: { to: '/developers/try' }, minRole: 'manager' },
  ...DENSITIES.map(
    (density): Command => ({
      id: density,
      label: PALETTE.density[density],
      icon: 'menu',
      run: () => changeDensity(density),
      minRole: 'member',
    }),
  ),
];

const page = (to: NonNullable<Target['to']>, label: string, icon: IconName, minRole: Role = 'manager'): Command => ({
  id: `page-${to}`,
  label,
  icon,
  target: { to },
  minRole,
});

const PAGES: readonly Command[] = [
  page('/overview', NAV.overview, 'chart'),
  page('/intros', NAV.intros, 'video'),
  page('/touchpoints', NAV.touchpoints, 'moment'),
  page('/members', NAV.members, 'people'),
  page('/brand', NAV.brand, 'brand'),
  page('/developers', NAV.developers, 'code'),
  page('/developers/keys', PALETTE.keys, 'key', 'owner'),
  page('/developers/webhooks', PALETTE.webhooks, 'link'),
  page('/developers/requests', PALETTE.requests, 'file'),
  page('/outbox', NAV.outbox, 'tray'),
  page('/outbox/limits', PALETTE.textLimits, 'clock'),
  page('/activity', NAV.activity, 'clock'),
  page('/home', NAV.home, 'home', 'member'),
  page('/settings', NAV.settings, 'settings', 'member'),
];

/** Every typed word starts a word of the label. */
function isMatch(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((part) => words.some((word) => word.startsWith(part)));
}

/** Actions and pages that the role allows and the text matches. */
export function findCommands(role: Role, text: string): readonly Group[] {
  const allowed = (commands: readonly Command[]) =>
    commands.filter(({ minRole, label }) => mayActAs(role, minRole) && isMatch(label, text));
  return [
    { name: PALETTE.actions, items: allowed(ACTIONS) },
    { name: PALETTE.pages, items: allowed(PAGES) },
  ];
}
