import type { ConsoleSession, Role } from '@foreword/contract';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { loadWhenReachable } from './api.ts';
import { Frame } from './layout/frame.tsx';
import { PageError, PageNotFound, PageSkeleton } from './layout/states.tsx';
import {
  readIntrosSearch,
  readMembersSearch,
  readOutboxSearch,
  readOverviewSearch,
  readRequestsSearch,
} from './search-params.ts';
import { mayActAs } from './session.ts';

/**
 * Loads a page's script when it is opened. While offline it waits for the server, because the router's own reload would
 * end on the browser's error page. If the server responds but the file is gone (a new version), the router reloads.
 */
const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => loadWhenReachable(load), name);

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
  component: lazyPage(() => import('./pages/home/index.tsx'), 'HomePage'),
});
const homeNew = createRoute({
  getParentRoute: () => root,
  path: '/home/new',
  component: lazyPage(() => import('./pages/home/new.tsx'), 'NewIntroPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyPage(() => import('./pages/settings/index.tsx'), 'SettingsPage'),
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  ...MANAGER,
  validateSearch: readOverviewSearch,
  component: lazyPage(() => import('./pages/overview/index.tsx'), 'OverviewPage'),
});

const intros = createRoute({
  getParentRoute: () => root,
  path: '/intros',
  ...MANAGER,
  validateSearch: readIntrosSearch,
  component: lazyPage(() => import('./pages/intros/list.tsx'), 'IntrosPage'),
});
// Open to members: the server shows them only their own intros.
const intro = createRoute({
  getParentRoute: () => root,
  path: '/intros/$id',
  component: lazyPage(() => import('./pages/intros/detail.tsx'), 'IntroPage'),
});
const event = createRoute({
  getParentRoute: () => root,
  path: '/events/$id',
  ...MANAGER,
  component: lazyPage(() => import('./pages/events/detail.tsx'), 'EventPage'),
});

const touchpoints = createRoute({
  getParentRoute: () => root,
  path: '/touchpoints',
  ...MANAGER,
  component: lazyPage(() => import('./pages/touchpoints/list.tsx'), 'TouchpointsPage'),
});
const touchpoint = createRoute({
  getParentRoute: () => root,
  path: '/touchpoints/$slug',
  ...MANAGER,
  component: lazyPage(() => import('./pages/touchpoints/editor.tsx'), 'TouchpointPage'),
});

const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  ...MANAGER,
  validateSearch: readMembersSearch,
  component: lazyPage(() => import('./pages/members/list.tsx'), 'MembersPage'),
});
const membersImport = createRoute({
  getParentRoute: () => root,
  path: '/members/import',
  ...MANAGER,
  component: lazyPage(() => import('./pages/members/import.tsx'), 'MembersImportPage'),
});
const member = createRoute({
  getParentRoute: () => root,
  path: '/members/$id',
  ...MANAGER,
  component: lazyPage(() => import('./pages/members/detail.tsx'), 'MemberPage'),
});

const brand = createRoute({
  getParentRoute: () => root,
  path: '/brand',
  ...MANAGER,
  component: lazyPage(() => import('./pages/brand/index.tsx'), 'BrandPage'),
});

const developers = createRoute({
  getParentRoute: () => root,
  path: '/developers',
  ...MANAGER,
  component: lazyPage(() => import('./pages/developers/layout.tsx'), 'DevelopersLayout'),
});
const firstSteps = createRoute({
  getParentRoute: () => developers,
  path: '/',
  component: lazyPage(() => import('./pages/developers/first-steps.tsx'), 'FirstStepsPage'),
});
const keys = createRoute({
  getParentRoute: () => developers,
  path: '/keys',
  ...OWNER,
  component: lazyPage(() => import('./pages/developers/keys.tsx'), 'KeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => developers,
  path: '/webhooks',
  component: lazyPage(() => import('./pages/developers/webhooks.tsx'), 'WebhooksPage'),
});
const endpoint = createRoute({
  getParentRoute: () => developers,
  path: '/webhooks/$id',
  component: lazyPage(() => import('./pages/developers/endpoint.tsx'), 'EndpointPage'),
});
const requests = createRoute({
  getParentRoute: () => developers,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyPage(() => import('./pages/developers/requests.tsx'), 'RequestsPage'),
});
const request = createRoute({
  getParentRoute: () => developers,
  path: '/requests/$id',
  component: lazyPage(() => import('./pages/developers/request.tsx'), 'RequestPage'),
});
const dryRun = createRoute({
  getParentRoute: () => developers,
  path: '/try',
  component: lazyPage(() => import('./pages/developers/dry-run.tsx'), 'DryRunPage'),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  ...MANAGER,
  validateSearch: readOutboxSearch,
  component: lazyPage(() => import('./pages/outbox/index.tsx'), 'OutboxPage'),
});

const textLimits = createRoute({
  getParentRoute: () => root,
  path: '/outbox/limits',
  ...MANAGER,
  component: lazyPage(() => import('./pages/text-limits/index.tsx'), 'TextLimitsPage'),
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
