import type { Page } from 'playwright-core';
import type { ConsolePage } from './console-browser.ts';
import { DIALOG_SCREENS } from './console-dialogs.ts';
import type { SampleCompany } from './console-sample-data.ts';
import type { Screen } from './console-screen.ts';

// Every screen of the console, for tests and for the screenshot script, so nothing here may depend on the test runner.

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
export const SCHEMES = ['light', 'dark'] as const;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const ROUTES: readonly Screen[] = [
  { name: 'overview', viewer: 'owner', path: '/overview', heading: 'Overview' },
  { name: 'intros', viewer: 'owner', path: '/intros', heading: 'Intros' },
  {
    name: 'intro-sent',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: /Priya Nair/,
  },
  {
    name: 'intro-to-record',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ requested }) => ({ id: requested }),
    heading: /Dana Reyes/,
  },
  {
    name: 'intro-cancelled',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ cancelled }) => ({ id: cancelled }),
    heading: /Tom Baker/,
  },
  {
    name: 'event-failed',
    viewer: 'owner',
    path: '/events/$id',
    ids: ({ failedEvent }) => ({ id: failedEvent }),
    heading: /./,
  },
  { name: 'touchpoints', viewer: 'owner', path: '/touchpoints', heading: 'Touchpoints' },
  {
    name: 'touchpoint',
    viewer: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'new_appointment' }),
    heading: 'New appointment',
  },
  { name: 'members', viewer: 'owner', path: '/members', heading: 'Members' },
  { name: 'member', viewer: 'owner', path: '/members/$id', ids: ({ ana }) => ({ id: ana }), heading: 'Ana Ng' },
  { name: 'import', viewer: 'owner', path: '/members/import', heading: /Import/ },
  { name: 'brand', viewer: 'owner', path: '/brand', heading: 'Brand' },
  { name: 'first-steps', viewer: 'owner', path: '/developers/', heading: 'First steps' },
  { name: 'keys', viewer: 'owner', path: '/developers/keys', heading: 'Keys' },
  { name: 'webhooks', viewer: 'owner', path: '/developers/webhooks', heading: 'Webhooks' },
  {
    name: 'endpoint',
    viewer: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
  },
  { name: 'requests', viewer: 'owner', path: '/developers/requests', heading: 'Requests' },
  {
    name: 'request',
    viewer: 'owner',
    path: '/developers/requests/$id',
    ids: ({ request }) => ({ id: request }),
    heading: 'Request',
  },
  { name: 'dry-run', viewer: 'owner', path: '/developers/try', heading: 'Dry run' },
  { name: 'outbox', viewer: 'owner', path: '/outbox', heading: 'Outbox' },
  { name: 'text-limits', viewer: 'owner', path: '/outbox/limits', heading: 'Text limits' },
  { name: 'activity', viewer: 'owner', path: '/activity', heading: 'Activity' },
  { name: 'home', viewer: 'member', path: '/home', heading: 'Your intros' },
  { name: 'new-intro', viewer: 'member', path: '/home/new', heading: 'Start an intro' },
  { name: 'settings', viewer: 'member', path: '/settings', heading: 'Settings' },
];

const MORE: readonly Screen[] = [
  { name: 'events', viewer: 'owner', path: '/intros?view=events', heading: 'Intros' },
  { name: 'no-results', viewer: 'owner', path: '/intros?q=no-such-name', heading: 'Intros' },
  {
    name: 'text-limits-of-a-manager',
    viewer: 'manager',
    path: '/outbox/limits',
    heading: 'Text limits',
  },
  {
    name: 'intro-of-a-member',
    viewer: 'member',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: /Priya Nair/,
  },
  { name: 'activity-of-a-manager', viewer: 'manager', path: '/activity', heading: 'Activity' },
  { name: 'no-activity', viewer: 'owner', path: '/activity?q=none', heading: 'Activity' },
  { name: 'home-of-an-owner', viewer: 'owner', path: '/home', heading: 'Your intros' },
  { name: 'no-access', viewer: 'member', path: '/members', heading: /^Only for/ },
  { name: 'not-found', viewer: 'member', path: '/nothing', heading: 'Page not found' },
  { name: 'keys-of-a-manager', viewer: 'manager', path: '/developers/keys', heading: /^Only for/ },
  { name: 'signin', viewer: 'signedOut', path: '/signin', heading: 'Sign in' },
  {
    name: 'signin-sent',
    viewer: 'signedOut',
    path: '/signin',
    heading: /./,
    async prepare(page) {
      await page.getByLabel('Email').fill('ana@acme.example');
      await button(page, 'Email me a link').click();
      await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    },
  },
  { name: 'signin-dead-link', viewer: 'signedOut', path: '/signin/UnknownLink0000000000', heading: /./, status: 410 },
];

/** Screens without any data. */
const EMPTY: readonly Screen[] = [
  { name: 'empty-overview', viewer: 'emptyOwner', path: '/overview', heading: 'Overview' },
  { name: 'empty-intros', viewer: 'emptyOwner', path: '/intros', heading: 'Intros' },
  { name: 'empty-members', viewer: 'emptyOwner', path: '/members', heading: 'Members' },
  { name: 'empty-keys', viewer: 'emptyOwner', path: '/developers/keys', heading: 'Keys' },
  { name: 'empty-webhooks', viewer: 'emptyOwner', path: '/developers/webhooks', heading: 'Webhooks' },
  { name: 'empty-requests', viewer: 'emptyOwner', path: '/developers/requests', heading: 'Requests' },
  { name: 'empty-outbox', viewer: 'emptyOwner', path: '/outbox', heading: 'Outbox' },
  { name: 'empty-home', viewer: 'emptyOwner', path: '/home', heading: 'Your intros' },
];

export const SCREENS: readonly Screen[] = [...ROUTES, ...MORE, ...EMPTY, ...DIALOG_SCREENS];

function pathOf({ path, ids }: Screen, company: SampleCompany): string {
  const values = ids?.(company) ?? {};
  return path.replaceAll(/\$(\w+)/g, (_all, name: string) => values[name] ?? '');
}

/** Opens the screen and waits until it is fully loaded. */
export async function openScreen(
  opened: ConsolePage,
  origin: string,
  screen: Screen,
  company: SampleCompany,
): Promise<void> {
  const { page, errors } = opened;
  const { status = 200 } = screen;
  const response = await page.goto(`${origin}/console${pathOf(screen, company)}`);
  if (response?.status() !== status) throw new Error(`${screen.name} responded with ${response?.status()}`);
  const expected = errors.findIndex((error) => error.includes(`with a status of ${status} `));
  if (expected >= 0) errors.splice(expected, 1);
  await page.getByRole('heading', { level: 1, name: screen.heading }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await screen.prepare?.(page);
}
