import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Company } from './console-company.ts';
import { OPENED } from './console-opened.ts';
import type { Screen } from './console-screen.ts';

// Every screen of the console, for the test that judges them and for the script that takes their pictures: nothing here
// needs a test runner.

export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } } as const;
export const SCHEMES = ['light', 'dark'] as const;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const ROUTES: readonly Screen[] = [
  { name: 'overview', who: 'owner', path: '/overview', heading: 'Overview' },
  { name: 'intros', who: 'owner', path: '/intros', heading: 'Intros' },
  { name: 'intro-sent', who: 'owner', path: '/intros/$id', ids: ({ sent }) => ({ id: sent }), heading: /Priya Nair/ },
  {
    name: 'intro-to-record',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ waiting }) => ({ id: waiting }),
    heading: /Dana Reyes/,
  },
  {
    name: 'intro-cancelled',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ cancelled }) => ({ id: cancelled }),
    heading: /Tom Baker/,
  },
  {
    name: 'event-failed',
    who: 'owner',
    path: '/events/$id',
    ids: ({ failedEvent }) => ({ id: failedEvent }),
    heading: /./,
  },
  { name: 'touchpoints', who: 'owner', path: '/touchpoints', heading: 'Touchpoints' },
  {
    name: 'touchpoint',
    who: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'new_appointment' }),
    heading: 'New appointment',
  },
  { name: 'members', who: 'owner', path: '/members', heading: 'Members' },
  { name: 'member', who: 'owner', path: '/members/$id', ids: ({ ana }) => ({ id: ana }), heading: 'Ana Ng' },
  { name: 'import', who: 'owner', path: '/members/import', heading: /Import/ },
  { name: 'brand', who: 'owner', path: '/brand', heading: 'Brand' },
  { name: 'first-steps', who: 'owner', path: '/developers/', heading: 'First steps' },
  { name: 'keys', who: 'owner', path: '/developers/keys', heading: 'Keys' },
  { name: 'webhooks', who: 'owner', path: '/developers/webhooks', heading: 'Webhooks' },
  {
    name: 'endpoint',
    who: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
  },
  { name: 'requests', who: 'owner', path: '/developers/requests', heading: 'Requests' },
  {
    name: 'request',
    who: 'owner',
    path: '/developers/requests/$id',
    ids: ({ request }) => ({ id: request }),
    heading: 'Request',
  },
  { name: 'dry-run', who: 'owner', path: '/developers/try', heading: 'Dry run' },
  { name: 'outbox', who: 'owner', path: '/outbox', heading: 'Outbox' },
  { name: 'home', who: 'member', path: '/home', heading: 'Your intros' },
  { name: 'new-intro', who: 'member', path: '/home/new', heading: 'Start an intro' },
  { name: 'settings', who: 'member', path: '/settings', heading: 'Settings' },
];

const MORE: readonly Screen[] = [
  { name: 'events', who: 'owner', path: '/intros?view=events', heading: 'Intros' },
  { name: 'nothing-fits', who: 'owner', path: '/intros?q=nobody-has-this-name', heading: 'Intros' },
  {
    name: 'intro-of-a-member',
    who: 'member',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: /Priya Nair/,
  },
  { name: 'home-of-an-owner', who: 'owner', path: '/home', heading: 'Your intros' },
  { name: 'not-a-member’s', who: 'member', path: '/members', heading: /^Only for/ },
  { name: 'not-there', who: 'member', path: '/nothing', heading: 'Page not found' },
  { name: 'keys-of-a-manager', who: 'manager', path: '/developers/keys', heading: /^Only for/ },
  { name: 'signin', who: 'stranger', path: '/signin', heading: 'Sign in' },
  {
    name: 'signin-sent',
    who: 'stranger',
    path: '/signin',
    heading: /./,
    async play(page) {
      await page.getByLabel('Your e-mail address').fill('ana@acme.example');
      await button(page, 'Send me a link').click();
      await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor();
    },
  },
  { name: 'signin-dead-link', who: 'stranger', path: '/signin/NobodyHasIt0000000000', heading: /./, status: 410 },
];

/** What stands there before there is anything. */
const EMPTY: readonly Screen[] = [
  { name: 'empty-overview', who: 'founder', path: '/overview', heading: 'Overview' },
  { name: 'empty-intros', who: 'founder', path: '/intros', heading: 'Intros' },
  { name: 'empty-members', who: 'founder', path: '/members', heading: 'Members' },
  { name: 'empty-keys', who: 'founder', path: '/developers/keys', heading: 'Keys' },
  { name: 'empty-webhooks', who: 'founder', path: '/developers/webhooks', heading: 'Webhooks' },
  { name: 'empty-requests', who: 'founder', path: '/developers/requests', heading: 'Requests' },
  { name: 'empty-outbox', who: 'founder', path: '/outbox', heading: 'Outbox' },
  { name: 'empty-home', who: 'founder', path: '/home', heading: 'Your intros' },
];

export const SCREENS: readonly Screen[] = [...ROUTES, ...MORE, ...EMPTY, ...OPENED];

function pathOf({ path, ids }: Screen, company: Company): string {
  const known = ids?.(company) ?? {};
  return path.replaceAll(/\$(\w+)/g, (_all, name: string) => known[name] ?? '');
}

export interface Visit {
  readonly page: Page;
  /** What the browser complained of: faults, refusals of the page's policy, and whatever was asked of another host. */
  readonly complaints: string[];
}

/** A browser of somebody's own, which keeps in mind what went wrong in it. */
export async function sitDown(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: SIZES.desk, ...options });
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on(
    'console',
    (message) => message.type() === 'error' && complaints.push(`${message.text()} ${message.location().url}`),
  );
  context.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) complaints.push(`asked ${request.url()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return { page, complaints };
}

/** By a link of the operator's, pressing its button. */
export async function signIn({ page }: Visit, origin: string, link: string): Promise<void> {
  await page.goto(origin + new URL(link).pathname);
  await button(page, 'Sign in').click();
  await page.waitForURL(/\/console\/(?!signin)/);
}

/** With all that the screen shows: nothing is on its way any more. */
export async function show(visit: Visit, origin: string, screen: Screen, company: Company): Promise<void> {
  const { page, complaints } = visit;
  const { status = 200 } = screen;
  const answer = await page.goto(`${origin}/console${pathOf(screen, company)}`);
  if (answer?.status() !== status) throw new Error(`${screen.name} was answered by ${answer?.status()}`);
  const noted = complaints.findIndex((complaint) => complaint.includes(`with a status of ${status} `));
  if (noted >= 0) complaints.splice(noted, 1);
  await page.getByRole('heading', { level: 1, name: screen.heading }).waitFor();
  await page.locator('.bones').first().waitFor({ state: 'detached' });
  await screen.play?.(page);
}
