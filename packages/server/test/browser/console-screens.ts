import type { Page } from 'playwright-core';
import type { ConsolePage } from './console-browser.ts';
import type { SampleCompany } from './console-sample-data.ts';
import type { Screen, Viewer } from './console-screen.ts';

// Every screen of the console, for tests and for the screenshot script, so nothing here may depend on the test runner.

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
export const SCHEMES = ['light', 'dark'] as const;

type Ids = NonNullable<Screen['ids']>;
type Prepare = NonNullable<Screen['prepare']>;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last().waitFor();

/** Presses a button that opens a dialog. */
const press =
  (name: string | RegExp): Prepare =>
  async (page) => {
    await button(page, name).first().click();
    await dialog(page);
  };

/** Chooses an item of a menu, which opens a dialog. */
const choose =
  (menu: string, item: string): Prepare =>
  async (page) => {
    await button(page, menu).first().click();
    await page.getByRole('menuitem', { name: item }).click();
    await dialog(page);
  };

const select: Prepare = (page) => page.getByRole('checkbox', { name: 'Select the intro for Dana Reyes' }).check();
const click =
  (name: string): Prepare =>
  (page) =>
    button(page, name).first().click();
const see =
  (role: 'heading' | 'region' | 'menu' | 'button', name?: string | RegExp): Prepare =>
  (page) =>
    page
      .getByRole(role, name === undefined ? {} : { name })
      .first()
      .waitFor();
const seeText =
  (text: string): Prepare =>
  (page) =>
    page.getByText(text).first().waitFor();
const check =
  (name: string): Prepare =>
  (page) =>
    page.getByRole('radio', { name }).check();

/** One after the other. */
const steps =
  (...all: Prepare[]): Prepare =>
  async (page) => {
    for (const step of all) await step(page);
  };

const CSV = `first name;last name;e-mail;phone;lanes
Nora;Quist;nora@acme.example;+14155550160;retail
Ben;Okafor;ben@acme.example;;
;Nameless;noname@acme.example;;
Omar;Haddad;not an address;;insurance`;

const SENT: Ids = ({ sent }) => ({ id: sent });
const REQUESTED: Ids = ({ requested }) => ({ id: requested });
const ENDPOINT: Ids = ({ endpoint }) => ({ id: endpoint });
const slug =
  (name: string): Ids =>
  () => ({ slug: name });

type Row = readonly [name: string, path: string, heading: Screen['heading'], prepare?: Prepare | null, ids?: Ids];

const as = (viewer: Viewer, rows: readonly Row[]): Screen[] =>
  rows.map(([name, path, heading, prepare, ids]) => ({
    ...{ name, viewer, path, heading },
    ...(ids !== undefined && { ids }),
    ...(prepare && { prepare }),
  }));

const OWNER = as('owner', [
  ['overview', '/overview', 'Overview'],
  ['intros', '/intros', 'Intros'],
  ['intro-sent', '/intros/$id', /Priya Nair/, null, SENT],
  ['intro-to-record', '/intros/$id', /Dana Reyes/, null, REQUESTED],
  ['intro-cancelled', '/intros/$id', /Tom Baker/, null, ({ cancelled }) => ({ id: cancelled })],
  ['event-failed', '/events/$id', /./, null, ({ failedEvent }) => ({ id: failedEvent })],
  ['touchpoints', '/touchpoints', 'Touchpoints'],
  ['touchpoint', '/touchpoints/$slug', 'New appointment', null, slug('new_appointment')],
  ['members', '/members', 'Members'],
  ['member', '/members/$id', 'Ana Ng', null, ({ ana }) => ({ id: ana })],
  ['import', '/members/import', /Import/],
  ['brand', '/organization/brand', 'Brand'],
  ['first-steps', '/developers', 'First steps'],
  ['keys', '/developers/keys', 'Keys'],
  ['webhooks', '/developers/webhooks', 'Webhooks'],
  ['endpoint', '/developers/webhooks/$id', 'Webhook endpoint', null, ENDPOINT],
  ['requests', '/developers/requests', 'Requests'],
  ['request', '/developers/requests/$id', 'Request', null, ({ request }) => ({ id: request })],
  ['dry-run', '/developers/try', 'Dry run'],
  ['outbox', '/messages', 'Messages'],
  ['texting', '/organization/texting', 'Texting'],
  ['security', '/organization/security', 'Security'],
  ['data', '/organization/data', 'Data'],
  ['activity', '/organization/activity', 'Activity'],
  ['events', '/events', 'Events'],
  ['no-results', '/intros?q=no-such-name', 'Intros'],
  ['no-activity', '/organization/activity?q=none', 'Activity'],
  ['home-of-an-owner', '/home', 'My intros'],
]);

const TEMPLATE_PROBLEM = 'Hi {{ recipient.first_name }},\nthis is {{ unknown }}.';

/** With a dialog or menu open, or after one step. */
const OWNER_DIALOGS = as('owner', [
  ['new-touchpoint', '/touchpoints', 'Touchpoints', press('New touchpoint')],
  ['reassign', '/intros/$id', 'For Dana Reyes', press('Reassign'), REQUESTED],
  ['cancel-intro', '/intros/$id', 'For Dana Reyes', choose('More', 'Cancel intro'), REQUESTED],
  ['selected-intros', '/intros', 'Intros', steps(select, see('button', 'Remind'))],
  ['cancel-intros', '/intros?sort=due', 'Intros', steps(select, press('Cancel'))],
  ['intro-filters', '/intros', 'Intros', steps(click('Filters'), (page) => page.getByLabel('From').first().waitFor())],
  [
    'intro-for-developers',
    '/intros/$id',
    'For Priya Nair',
    steps((page) => page.locator('summary').filter({ hasText: 'Developer' }).click(), see('heading', 'API object')),
    SENT,
  ],
  [
    'intro-page',
    '/intros/$id',
    'For Priya Nair',
    steps(click('Show page'), (page) => page.frameLocator('iframe').getByText('Priya').first().waitFor()),
    SENT,
  ],
  ['turn-off', '/touchpoints/$slug', 'New appointment', press('Turn off'), slug('new_appointment')],
  [
    'history',
    '/touchpoints/$slug',
    'Job well done',
    choose('More for this touchpoint', 'History'),
    slug('project_complete'),
  ],
  [
    'template-problem',
    '/touchpoints/$slug',
    'Project kickoff',
    steps((page) => page.getByLabel('Script', { exact: true }).fill(TEMPLATE_PROBLEM), seeText('Line 2:')),
    slug('project_kickoff'),
  ],
  ['add-member', '/members', 'Members', press('Add member')],
  ['deactivate', '/members/$id', 'Ben Okafor', press('Deactivate'), ({ ben }) => ({ id: ben })],
  [
    'import-preview',
    '/members/import',
    /Import/,
    steps(
      ...[(page: Page) => page.getByRole('textbox').fill(CSV), click('Review changes')],
      see('heading', 'Review changes'),
    ),
  ],
  ['new-key', '/developers/keys', 'Keys', press('Create key')],
  ['revoke-key', '/developers/keys', 'Keys', press(/^Revoke/)],
  ['add-endpoint', '/developers/webhooks', 'Webhooks', press('Add webhook')],
  [
    'dry-run-result',
    '/developers/try',
    'Dry run',
    steps(
      async (page) => void (await page.getByLabel('Touchpoint').selectOption('project_kickoff')),
      ...[click('Run'), see('region', 'This event creates an intro')],
    ),
  ],
  [
    'dry-run-refused',
    '/developers/try',
    'Dry run',
    steps(
      (page) => page.getByLabel('Request body').fill('{"touchpoint": "project_kickoff"}'),
      ...[click('Run'), see('region', 'The API rejects this event with 422')],
    ),
  ],
  [
    'attempt',
    '/developers/webhooks/$id',
    'Webhook endpoint',
    steps(press(/intro\.ready/), seeText('"intro.ready"')),
    ENDPOINT,
  ],
  ['replay', '/developers/webhooks/$id', 'Webhook endpoint', press('Resend failed messages'), ENDPOINT],
  [
    'edit-endpoint',
    '/developers/webhooks/$id',
    'Webhook endpoint',
    steps(press('Edit'), check('Selected events')),
    ENDPOINT,
  ],
  [
    'request-filters',
    '/developers/requests?status=4xx',
    'Requests',
    async (page) => {
      const field = page.getByRole('combobox', { name: 'Error code' });
      if (!(await field.isVisible())) await page.getByText(/^Filters/).click();
      await field.waitFor();
    },
  ],
  ['intro-menu', '/intros/$id', 'For Dana Reyes', steps(click('More'), see('menu')), REQUESTED],
  [
    'menu',
    '/overview',
    'Overview',
    async (page) => {
      const menu = button(page, 'Menu');
      if (await menu.isVisible()) await menu.click();
    },
  ],
]);

const OTHERS: readonly Screen[] = [
  ...as('manager', [
    ['texting-of-a-manager', '/organization/texting', 'Texting'],
    ['activity-of-a-manager', '/organization/activity', 'Activity'],
    ['keys-of-a-manager', '/developers/keys', /^Only for/],
  ]),
  ...as('member', [
    ['home', '/home', 'My intros'],
    ['new-intro', '/intros/new', 'New intro'],
    ['settings', '/account', 'Account'],
    ['intro-of-a-member', '/intros/$id', /Priya Nair/, null, SENT],
    ['no-access', '/members', /^Only for/],
    ['not-found', '/nothing', 'Page not found'],
  ]),
  ...as('signedOut', [
    ['signin', '/signin', 'Sign in'],
    [
      'signin-sent',
      '/signin',
      /./,
      steps(
        (page) => page.getByLabel('Email').fill('ana@acme.example'),
        ...[click('Email me a link'), see('heading', 'Check your inbox')],
      ),
    ],
  ]),
  { name: 'signin-dead-link', viewer: 'signedOut', path: '/signin/UnknownLink0000000000', heading: /./, status: 410 },
  // Without any data.
  ...as('emptyOwner', [
    ['empty-overview', '/overview', 'Overview'],
    ['empty-intros', '/intros', 'Intros'],
    ['empty-members', '/members', 'Members'],
    ['empty-keys', '/developers/keys', 'Keys'],
    ['empty-webhooks', '/developers/webhooks', 'Webhooks'],
    ['empty-requests', '/developers/requests', 'Requests'],
    ['empty-outbox', '/messages', 'Messages'],
    ['empty-home', '/home', 'My intros'],
  ]),
];

export const SCREENS: readonly Screen[] = [...OWNER, ...OTHERS, ...OWNER_DIALOGS];

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
