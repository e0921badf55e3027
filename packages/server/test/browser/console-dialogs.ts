import type { Page } from 'playwright-core';
import type { Screen } from './console-screen.ts';

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog')).last().waitFor();

async function press(page: Page, ...names: (string | RegExp)[]): Promise<void> {
  for (const name of names) await button(page, name).first().click();
  await dialog(page);
}

async function choose(page: Page, menu: string | RegExp, item: string): Promise<void> {
  await button(page, menu).first().click();
  await page.getByRole('menuitem', { name: item }).click();
  await dialog(page);
}

const CSV = `first name;last name;e-mail;phone;lanes
Nora;Quist;nora@acme.example;+14155550160;retail
Ben;Okafor;ben@acme.example;;
;Nameless;noname@acme.example;;
Omar;Haddad;not an address;;insurance`;

/** Screens with a dialog or menu open, or after one step. */
export const DIALOG_SCREENS: readonly Screen[] = [
  {
    name: 'new-touchpoint',
    viewer: 'owner',
    path: '/touchpoints',
    heading: 'Touchpoints',
    prepare: (page) => press(page, 'New touchpoint'),
  },
  {
    name: 'reassign',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ requested }) => ({ id: requested }),
    heading: 'For Dana Reyes',
    prepare: (page) => choose(page, 'More', 'Reassign'),
  },
  {
    name: 'cancel-intro',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ requested }) => ({ id: requested }),
    heading: 'For Dana Reyes',
    prepare: (page) => press(page, 'Cancel intro'),
  },
  {
    name: 'selected-intros',
    viewer: 'owner',
    path: '/intros',
    heading: 'Intros',
    async prepare(page) {
      await page.getByRole('checkbox', { name: 'Select the intro for Dana Reyes' }).check();
      await button(page, 'Remind').waitFor();
    },
  },
  {
    name: 'cancel-intros',
    viewer: 'owner',
    path: '/intros?sort=due',
    heading: 'Intros',
    async prepare(page) {
      await page.getByRole('checkbox', { name: 'Select the intro for Dana Reyes' }).check();
      await press(page, 'Cancel');
    },
  },
  {
    name: 'intro-filters',
    viewer: 'owner',
    path: '/intros',
    heading: 'Intros',
    async prepare(page) {
      await button(page, 'Filters').click();
      await page.getByLabel('From').first().waitFor();
    },
  },
  {
    name: 'intro-for-developers',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: 'For Priya Nair',
    async prepare(page) {
      await page.locator('summary').filter({ hasText: 'Developer' }).click();
      await page.getByRole('heading', { name: 'API object' }).waitFor();
    },
  },
  {
    name: 'intro-page',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: 'For Priya Nair',
    async prepare(page) {
      await button(page, 'Show page').click();
      await page.frameLocator('iframe').getByText('Priya').first().waitFor();
    },
  },
  {
    name: 'turn-off',
    viewer: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'new_appointment' }),
    heading: 'New appointment',
    prepare: (page) => press(page, 'Turn off'),
  },
  {
    name: 'history',
    viewer: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'project_complete' }),
    heading: 'Job well done',
    prepare: (page) => choose(page, 'More for this touchpoint', 'History'),
  },
  {
    name: 'template-problem',
    viewer: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'project_kickoff' }),
    heading: 'Project kickoff',
    async prepare(page) {
      await page.getByLabel('Script', { exact: true }).fill('Hi {{ recipient.first_name }},\nthis is {{ unknown }}.');
      await button(page, /^Go to line/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'add-member',
    viewer: 'owner',
    path: '/members',
    heading: 'Members',
    prepare: (page) => press(page, 'Add member'),
  },
  {
    name: 'deactivate',
    viewer: 'owner',
    path: '/members/$id',
    ids: ({ ben }) => ({ id: ben }),
    heading: 'Ben Okafor',
    prepare: (page) => press(page, 'Deactivate'),
  },
  {
    name: 'import-preview',
    viewer: 'owner',
    path: '/members/import',
    heading: /Import/,
    async prepare(page) {
      await page.getByRole('textbox').fill(CSV);
      await button(page, 'Review changes').click();
      await page.getByRole('heading', { name: 'Review changes' }).waitFor();
    },
  },
  {
    name: 'new-key',
    viewer: 'owner',
    path: '/developers/keys',
    heading: 'Keys',
    prepare: (page) => press(page, 'Create key'),
  },
  {
    name: 'revoke-key',
    viewer: 'owner',
    path: '/developers/keys',
    heading: 'Keys',
    prepare: (page) => press(page, /^Revoke/),
  },
  {
    name: 'add-endpoint',
    viewer: 'owner',
    path: '/developers/webhooks',
    heading: 'Webhooks',
    prepare: (page) => press(page, 'Add webhook'),
  },
  {
    name: 'dry-run-result',
    viewer: 'owner',
    path: '/developers/try',
    heading: 'Dry run',
    async prepare(page) {
      await page.getByLabel('Touchpoint').selectOption('project_kickoff');
      await button(page, 'Run').click();
      await page.getByRole('region', { name: 'This event creates an intro' }).waitFor();
    },
  },
  {
    name: 'dry-run-refused',
    viewer: 'owner',
    path: '/developers/try',
    heading: 'Dry run',
    async prepare(page) {
      await page.getByLabel('Recipient’s first name').fill('');
      await button(page, 'Run').click();
      await page.getByRole('region', { name: 'The API rejects this event with 422' }).waitFor();
    },
  },
  {
    name: 'first-steps-typescript',
    viewer: 'owner',
    path: '/developers',
    heading: 'First steps',
    async prepare(page) {
      await page.getByRole('radio', { name: 'TypeScript' }).check();
      await page.getByText('send.ts').waitFor();
    },
  },
  {
    name: 'attempt',
    viewer: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    async prepare(page) {
      await press(page, /intro\.ready/);
      await page.getByText('"intro.ready"').waitFor();
    },
  },
  {
    name: 'replay',
    viewer: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    prepare: (page) => press(page, 'Resend failed messages'),
  },
  {
    name: 'edit-endpoint',
    viewer: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    async prepare(page) {
      await press(page, 'Edit');
      await page.getByRole('radio', { name: 'Selected events' }).check();
    },
  },
  {
    name: 'request-filters',
    viewer: 'owner',
    path: '/developers/requests?status=4xx',
    heading: 'Requests',
    async prepare(page) {
      const field = page.getByLabel('Error code');
      if (!(await field.isVisible())) await page.getByText(/^Filters/).click();
      await field.waitFor();
    },
  },
  {
    name: 'intro-menu',
    viewer: 'owner',
    path: '/intros/$id',
    ids: ({ requested }) => ({ id: requested }),
    heading: 'For Dana Reyes',
    async prepare(page) {
      await button(page, 'More').first().click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'menu',
    viewer: 'owner',
    path: '/overview',
    heading: 'Overview',
    async prepare(page) {
      const menu = button(page, 'Menu');
      if (await menu.isVisible()) await menu.click();
    },
  },
];
