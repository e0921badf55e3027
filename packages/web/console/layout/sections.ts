import type { Role } from '@foreword/contract';
import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../parts/display.tsx';
import { mayActAs } from '../session.ts';
import { NAV } from '../texts.ts';

export interface Tab {
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: string;
  readonly minRole: Role;
}

/** A part of the console: an item of the navigation, with the tabs of its pages. */
export interface Section extends Tab {
  readonly icon: IconName;
  readonly tabs?: readonly Tab[];
}

const tab = (to: Tab['to'], name: string, minRole: Role = 'manager'): Tab => ({ to, name, minRole });
const section = (to: Tab['to'], name: string, icon: IconName, more: Partial<Section> = {}): Section => ({
  ...tab(to, name),
  icon,
  ...more,
});

/** In display order. The sidebar, the phone's tab bar, the tabs of pages and the palette show them. */
export const SECTIONS: readonly Section[] = [
  section('/home', NAV.home, 'home', { minRole: 'member' }),
  section('/overview', NAV.overview, 'chart'),
  section('/intros', NAV.intros, 'video', {
    tabs: [tab('/intros', NAV.intros), tab('/messages', NAV.messages), tab('/events', NAV.events)],
  }),
  section('/touchpoints', NAV.touchpoints, 'moment'),
  section('/members', NAV.members, 'people'),
  section('/organization/brand', NAV.organization, 'brand', {
    tabs: [
      tab('/organization/brand', NAV.brand),
      tab('/organization/texting', NAV.texting),
      tab('/organization/security', NAV.security, 'owner'),
      tab('/organization/data', NAV.data, 'owner'),
      tab('/organization/activity', NAV.activity),
    ],
  }),
  section('/developers', NAV.developers, 'code', {
    minRole: 'owner',
    tabs: [
      tab('/developers', NAV.firstSteps, 'owner'),
      tab('/developers/keys', NAV.keys, 'owner'),
      tab('/developers/webhooks', NAV.webhooks, 'owner'),
      tab('/developers/requests', NAV.requests, 'owner'),
      tab('/developers/try', NAV.dryRun, 'owner'),
    ],
  }),
];

/** Also below a tab: an event is in the section of intros. */
export const isInSection = (path: string, { to, tabs = [] }: Section): boolean =>
  [to, ...tabs.map((each) => each.to)].some((start) => path === start || path.startsWith(`${start}/`));

/** The tabs above the page, if it is one of them. A page below a tab has a link back instead. */
export function tabsOf(path: string, role: Role): { readonly name: string; readonly tabs: readonly Tab[] } | null {
  const at = path.replace(/\/$/, '');
  const found = SECTIONS.find(({ tabs = [] }) => tabs.some(({ to }) => to === at));
  const tabs = found?.tabs?.filter(({ minRole }) => mayActAs(role, minRole)) ?? [];
  return found === undefined || tabs.length === 0 ? null : { name: found.name, tabs };
}
