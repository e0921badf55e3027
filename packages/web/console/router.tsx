import type { ConsoleSession, Role } from '@foreword/contract';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Frame, PageError, PageNotFound, PageSkeleton } from './layout/frame.tsx';
import { lazyComponent } from './lazy.ts';
import {
  readActivitySearch,
  readIntrosSearch,
  readMembersSearch,
  readNewIntroSearch,
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

const root = createRootRouteWithContext<Context>()({ component: Frame });

interface Page<Parent, Path> {
  readonly getParentRoute: () => Parent;
  readonly path: Path;
  readonly component: RouteComponent;
  readonly staticData: { readonly minRole: Role };
}

type Exports = Record<string, unknown>;

/** A page, which loads when it is opened first. Its type is explicit, because the type of a page depends on all routes. */
const page = <Path extends string, Module extends Exports, Name extends keyof Module & string>(
  path: Path,
  load: () => Promise<Module>,
  name: Name,
  minRole: Role = 'member',
): Page<typeof root, Path> => ({
  getParentRoute: () => root,
  path,
  component: lazyComponent(load, name) as RouteComponent,
  staticData: { minRole },
});

/** Where a page was before, so that bookmarks and links in emails still work. */
const MOVED = {
  '/settings': '/account',
  '/home/new': '/intros/new',
  '/brand': '/organization/brand',
  '/outbox': '/messages',
  '/outbox/limits': '/organization/texting',
  '/activity': '/organization/activity',
  '/organization': '/organization/brand',
} as const;

const moved = Object.entries(MOVED).map(([path, to]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: () => {
      throw redirect({ to, search: (search: object) => search, replace: true });
    },
  }),
);

const pages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: ({ context }) => {
      const { role } = context.session.member;
      throw redirect({ to: mayActAs(role, 'manager') ? '/overview' : '/home', replace: true });
    },
  }),
  createRoute(page('/home', () => import('./pages/home/index.tsx'), 'HomePage')),
  createRoute(page('/account', () => import('./pages/settings/index.tsx'), 'AccountPage')),
  createRoute({
    ...page('/overview', () => import('./pages/overview/index.tsx'), 'OverviewPage', 'manager'),
    validateSearch: readOverviewSearch,
  }),
  createRoute({
    ...page('/intros', () => import('./pages/intros/list.tsx'), 'IntrosPage', 'manager'),
    validateSearch: readIntrosSearch,
    beforeLoad: ({ location, search }) => {
      // Where the events were before.
      if (new URLSearchParams(location.searchStr).get('view') === 'events')
        throw redirect({ to: '/events', search: readIntrosSearch(search) });
    },
  }),
  createRoute({
    ...page('/intros/new', () => import('./pages/home/new.tsx'), 'NewIntroPage'),
    validateSearch: readNewIntroSearch,
  }),
  // Open to members: the server shows them only their own intros.
  createRoute(page('/intros/$id', () => import('./pages/intros/detail.tsx'), 'IntroPage')),
  createRoute({
    ...page('/messages', () => import('./pages/outbox/index.tsx'), 'OutboxPage', 'manager'),
    validateSearch: readOutboxSearch,
  }),
  createRoute({
    ...page('/events', () => import('./pages/intros/list.tsx'), 'EventsPage', 'manager'),
    validateSearch: readIntrosSearch,
  }),
  createRoute(page('/events/$id', () => import('./pages/events/detail.tsx'), 'EventPage', 'manager')),
  createRoute(page('/touchpoints', () => import('./pages/touchpoints/list.tsx'), 'TouchpointsPage', 'manager')),
  createRoute(page('/touchpoints/$slug', () => import('./pages/touchpoints/editor.tsx'), 'TouchpointPage', 'manager')),
  createRoute({
    ...page('/members', () => import('./pages/members/list.tsx'), 'MembersPage', 'manager'),
    validateSearch: readMembersSearch,
  }),
  createRoute(page('/members/import', () => import('./pages/members/import.tsx'), 'MembersImportPage', 'manager')),
  createRoute(page('/members/$id', () => import('./pages/members/detail.tsx'), 'MemberPage', 'manager')),
  createRoute(page('/organization/brand', () => import('./pages/brand/index.tsx'), 'BrandPage', 'manager')),
  createRoute(page('/organization/texting', () => import('./pages/settings/texting.tsx'), 'TextingPage', 'manager')),
  createRoute(page('/organization/security', () => import('./pages/settings/security.tsx'), 'SecurityPage', 'owner')),
  createRoute(page('/organization/data', () => import('./pages/settings/data.tsx'), 'DataPage', 'owner')),
  createRoute({
    ...page('/organization/activity', () => import('./pages/activity/index.tsx'), 'ActivityPage', 'manager'),
    validateSearch: readActivitySearch,
  }),
  createRoute(page('/developers', () => import('./pages/developers/first-steps.tsx'), 'FirstStepsPage', 'owner')),
  createRoute(page('/developers/keys', () => import('./pages/developers/keys.tsx'), 'KeysPage', 'owner')),
  createRoute(page('/developers/webhooks', () => import('./pages/developers/webhooks.tsx'), 'WebhooksPage', 'owner')),
  createRoute(
    page('/developers/webhooks/$id', () => import('./pages/developers/endpoint.tsx'), 'EndpointPage', 'owner'),
  ),
  createRoute({
    ...page('/developers/requests', () => import('./pages/developers/requests.tsx'), 'RequestsPage', 'owner'),
    validateSearch: readRequestsSearch,
  }),
  createRoute(
    page('/developers/requests/$id', () => import('./pages/developers/requests.tsx'), 'RequestPage', 'owner'),
  ),
  createRoute(page('/developers/try', () => import('./pages/developers/dry-run.tsx'), 'DryRunPage', 'owner')),
] as const;

/** A page that loads faster than this shows no skeleton. */
const PENDING_MS = 300;
const MIN_PENDING_MS = 200;

export const createConsoleRouter = (session: ConsoleSession) =>
  createRouter({
    routeTree: root.addChildren([...pages, ...moved]),
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
