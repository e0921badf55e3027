import type { Role } from '@foreword/contract';
import type { IconName } from '../parts/icon.tsx';
import { mayActAs } from '../session.ts';
import { PLACES } from '../texts/common.ts';

interface Place {
  readonly to: '/home' | '/overview' | '/intros' | '/touchpoints' | '/members' | '/brand' | '/developers' | '/outbox';
  readonly name: string;
  readonly icon: IconName;
  readonly least: Role;
}

/** In groups, as they stand in the navigation. */
const GROUPS: readonly (readonly Place[])[] = [
  [
    { to: '/overview', name: PLACES.overview, icon: 'chart', least: 'manager' },
    { to: '/intros', name: PLACES.intros, icon: 'video', least: 'manager' },
    { to: '/touchpoints', name: PLACES.touchpoints, icon: 'moment', least: 'manager' },
    { to: '/members', name: PLACES.members, icon: 'people', least: 'manager' },
  ],
  [
    { to: '/brand', name: PLACES.brand, icon: 'brand', least: 'manager' },
    { to: '/developers', name: PLACES.developers, icon: 'code', least: 'manager' },
    { to: '/outbox', name: PLACES.outbox, icon: 'tray', least: 'manager' },
  ],
  [{ to: '/home', name: PLACES.home, icon: 'home', least: 'member' }],
];

export const placesFor = (role: Role): readonly (readonly Place[])[] =>
  GROUPS.map((group) => group.filter(({ least }) => mayActAs(role, least))).filter((group) => group.length > 0);
