import type { ConsoleSession, Role } from '@foreword/contract';
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { Frame } from './layout/frame.tsx';
import { PageError, PageNotFound, PageSkeleton } from './layout/states.tsx';
import { lazyComponent } from './lazy.ts';
import {
  readActivitySearch,
  readIntrosSearch,
  readMembersSearch,
  readOutboxSearch,
  readOverviewSearch,
  readRequestsSearch,
} from './search-params.ts';
import { mayActAs } from './session.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The lowest role that may open the page. */
    minRole?: Role;
  }
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

interface Context {
  readonly session: ConsoleSession;
}

const MANAGER = { staticData: { minRole: 'manager' } } as const;
const OWNER = { staticData: { minRole: 'owner' } } as const;

const root = createRootRouteWithContext<Context>()({ component: Frame });

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ context }) => {
    const { role } = context.session.member;
    throw redirect({ to: mayActAs(role, 'manager') ? '/overview' : '/home', replace: true });
  },
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/home',
  component: lazyComponent(() => import('./pages/home/index.tsx'), 'HomePage'),
});
const homeNew = createRoute({
  getParentRoute: () => root,
  path: '/home/new',
  component: lazyComponent(() => import('./pages/home/new.tsx'), 'NewIntroPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyComponent(() => import('./pages/settings/index.tsx'), 'SettingsPage'),
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  ...MANAGER,
  validateSearch: readOverviewSearch,
  component: lazyComponent(() => import('./pages/overview/index.tsx'), 'OverviewPage'),
});

const intros = createRoute({
  getParentRoute: () => root,
  path: '/intros',
  ...MANAGER,
  validateSearch: readIntrosSearch,
  component: lazyComponent(() => import('./pages/intros/list.tsx'), 'IntrosPage'),
});
// Open to members: the server shows them only their own intros.
const intro = createRoute({
  getParentRoute: () => root,
  path: '/intros/$id',
  component: lazyComponent(() => import('./pages/intros/detail.tsx'), 'IntroPage'),
});
const event = createRoute({
  getParentRoute: () => root,
  path: '/events/$id',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/events/detail.tsx'), 'EventPage'),
});

const touchpoints = createRoute({
  getParentRoute: () => root,
  path: '/touchpoints',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/touchpoints/list.tsx'), 'TouchpointsPage'),
});
const touchpoint = createRoute({
  getParentRoute: () => root,
  path: '/touchpoints/$slug',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/touchpoints/editor.tsx'), 'TouchpointPage'),
});

const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  ...MANAGER,
  validateSearch: readMembersSearch,
  component: lazyComponent(() => import('./pages/members/list.tsx'), 'MembersPage'),
});
const membersImport = createRoute({
  getParentRoute: () => root,
  path: '/members/import',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/members/import.tsx'), 'MembersImportPage'),
});
const member = createRoute({
  getParentRoute: () => root,
  path: '/members/$id',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/members/detail.tsx'), 'MemberPage'),
});

const brand = createRoute({
  getParentRoute: () => root,
  path: '/brand',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/brand/index.tsx'), 'BrandPage'),
});

const developers = createRoute({
  getParentRoute: () => root,
  path: '/developers',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/developers/layout.tsx'), 'DevelopersLayout'),
});
const firstSteps = createRoute({
  getParentRoute: () => developers,
  path: '/',
  component: lazyComponent(() => import('./pages/developers/first-steps.tsx'), 'FirstStepsPage'),
});
const keys = createRoute({
  getParentRoute: () => developers,
  path: '/keys',
  ...OWNER,
  component: lazyComponent(() => import('./pages/developers/keys.tsx'), 'KeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => developers,
  path: '/webhooks',
  component: lazyComponent(() => import('./pages/developers/webhooks.tsx'), 'WebhooksPage'),
});
const endpoint = createRoute({
  getParentRoute: () => developers,
  path: '/webhooks/$id',
  component: lazyComponent(() => import('./pages/developers/endpoint.tsx'), 'EndpointPage'),
});
const requests = createRoute({
  getParentRoute: () => developers,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyComponent(() => import('./pages/developers/requests.tsx'), 'RequestsPage'),
});
const request = createRoute({
  getParentRoute: () => developers,
  path: '/requests/$id',
  component: lazyComponent(() => import('./pages/developers/request.tsx'), 'RequestPage'),
});
const dryRun = createRoute({
  getParentRoute: () => developers,
  path: '/try',
  component: lazyComponent(() => import('./pages/developers/dry-run.tsx'), 'DryRunPage'),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  ...MANAGER,
  validateSearch: readOutboxSearch,
  component: lazyComponent(() => import('./pages/outbox/index.tsx'), 'OutboxPage'),
});

const textLimits = createRoute({
  getParentRoute: () => root,
  path: '/outbox/limits',
  ...MANAGER,
  component: lazyComponent(() => import('./pages/text-limits/index.tsx'), 'TextLimitsPage'),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  ...MANAGER,
  validateSearch: readActivitySearch,
  component: lazyComponent(() => import('./pages/activity/index.tsx'), 'ActivityPage'),
});

const tree = root.addChildren([
  start,
  home,
  homeNew,
  settings,
  overview,
  intros,
  intro,
  event,
  touchpoints,
  touchpoint,
  members,
  membersImport,
  member,
  brand,
  developers.addChildren([firstSteps, keys, webhooks, endpoint, requests, request, dryRun]),
  outbox,
  textLimits,
  activity,
]);

/** A page that loads faster than this shows no skeleton. */
const PENDING_MS = 300;
const MIN_PENDING_MS = 200;

export const createConsoleRouter = (session: ConsoleSession) =>
  createRouter({
    routeTree: tree,
    basepath: '/console',
    context: { session },
    defaultPreload: 'intent',
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: MIN_PENDING_MS,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: PageNotFound,
    scrollRestoration: true,
  });
