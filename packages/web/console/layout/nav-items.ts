import type { Role } from '@foreword/contract';
import type { IconName } from '../parts/icon.tsx';
import { mayActAs } from '../session.ts';
import { NAV } from '../texts/common.ts';

interface NavItem {
  readonly to: '/home' | '/overview' | '/intros' | '/touchpoints' | '/members' | '/brand' | '/developers' | '/outbox';
  readonly name: string;
  readonly icon: IconName;
  readonly minRole: Role;
}

/** The items in their groups, in display order. */
const GROUPS: readonly (readonly NavItem[])[] = [
  [
    { to: '/overview', name: NAV.overview, icon: 'chart', minRole: 'manager' },
    { to: '/intros', name: NAV.intros, icon: 'video', minRole: 'manager' },
    { to: '/touchpoints', name: NAV.touchpoints, icon: 'moment', minRole: 'manager' },
    { to: '/members', name: NAV.members, icon: 'people', minRole: 'manager' },
  ],
  [
    { to: '/brand', name: NAV.brand, icon: 'brand', minRole: 'manager' },
    { to: '/developers', name: NAV.developers, icon: 'code', minRole: 'manager' },
    { to: '/outbox', name: NAV.outbox, icon: 'tray', minRole: 'manager' },
  ],
  [{ to: '/home', name: NAV.home, icon: 'home', minRole: 'member' }],
];

export const navItemsFor = (role: Role): readonly (readonly NavItem[])[] =>
  GROUPS.map((group) => group.filter(({ minRole }) => mayActAs(role, minRole))).filter((group) => group.length > 0);
