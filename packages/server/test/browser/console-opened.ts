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

const LINES = `first name;last name;e-mail;phone;lanes
Nora;Quist;nora@acme.example;+14155550160;retail
Ben;Okafor;ben@acme.example;;
;Nameless;nobody@acme.example;;
Omar;Haddad;not an address;;insurance`;

/** Over a screen: dialogs, menus, and what comes after a step. */
export const OPENED: readonly Screen[] = [
  {
    name: 'new-touchpoint',
    who: 'owner',
    path: '/touchpoints',
    heading: 'Touchpoints',
    play: (page) => press(page, 'New touchpoint'),
  },
  {
    name: 'reassign',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ waiting }) => ({ id: waiting }),
    heading: 'For Dana Reyes',
    play: (page) => choose(page, 'More', 'Reassign'),
  },
  {
    name: 'cancel-intro',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ waiting }) => ({ id: waiting }),
    heading: 'For Dana Reyes',
    play: (page) => choose(page, 'More', 'Cancel intro'),
  },
  {
    name: 'page-of-intro',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ sent }) => ({ id: sent }),
    heading: 'For Priya Nair',
    async play(page) {
      await button(page, 'Show page').click();
      await page.frameLocator('iframe').getByText('Priya').first().waitFor();
    },
  },
  {
    name: 'turn-off',
    who: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'new_appointment' }),
    heading: 'New appointment',
    play: (page) => press(page, 'Turn off'),
  },
  {
    name: 'history',
    who: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'project_complete' }),
    heading: 'Job well done',
    play: (page) => choose(page, 'More for this touchpoint', 'History'),
  },
  {
    name: 'template-problem',
    who: 'owner',
    path: '/touchpoints/$slug',
    ids: () => ({ slug: 'project_kickoff' }),
    heading: 'Project kickoff',
    async play(page) {
      await page.getByLabel('Script', { exact: true }).fill('Hi {{ recipient.first_name }},\nthis is {{ nobody }}.');
      await button(page, /^Go to line/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'add-member',
    who: 'owner',
    path: '/members',
    heading: 'Members',
    play: (page) => press(page, 'Add member'),
  },
  {
    name: 'leave',
    who: 'owner',
    path: '/members/$id',
    ids: ({ ben }) => ({ id: ben }),
    heading: 'Ben Okafor',
    play: (page) => press(page, 'Deactivate'),
  },
  {
    name: 'import-preview',
    who: 'owner',
    path: '/members/import',
    heading: /Import/,
    async play(page) {
      await page.getByRole('textbox').fill(LINES);
      await button(page, 'Review changes').click();
      await page.getByRole('heading', { name: 'Review changes' }).waitFor();
    },
  },
  {
    name: 'new-key',
    who: 'owner',
    path: '/developers/keys',
    heading: 'Keys',
    play: (page) => press(page, 'Create key'),
  },
  {
    name: 'revoke-key',
    who: 'owner',
    path: '/developers/keys',
    heading: 'Keys',
    play: (page) => press(page, /^Revoke/),
  },
  {
    name: 'add-endpoint',
    who: 'owner',
    path: '/developers/webhooks',
    heading: 'Webhooks',
    play: (page) => press(page, 'Add webhook'),
  },
  {
    name: 'dry-run-result',
    who: 'owner',
    path: '/developers/try',
    heading: 'Dry run',
    async play(page) {
      await page.getByLabel('Touchpoint').selectOption('project_kickoff');
      await button(page, 'Try it').click();
      await page.getByRole('region', { name: 'This event creates an intro' }).waitFor();
    },
  },
  {
    name: 'dry-run-refused',
    who: 'owner',
    path: '/developers/try',
    heading: 'Dry run',
    async play(page) {
      await page.getByLabel('Recipient’s first name').fill('');
      await button(page, 'Try it').click();
      await page.getByRole('region', { name: 'The API rejects this event with 422' }).waitFor();
    },
  },
  {
    name: 'first-steps-typescript',
    who: 'owner',
    path: '/developers',
    heading: 'First steps',
    async play(page) {
      await page.getByRole('radio', { name: 'TypeScript' }).check();
      await page.getByText('send.ts').waitFor();
    },
  },
  {
    name: 'attempt',
    who: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    async play(page) {
      await press(page, /intro\.ready/);
      await page.getByText('"intro.ready"').waitFor();
    },
  },
  {
    name: 'replay',
    who: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    play: (page) => press(page, 'Resend failed messages'),
  },
  {
    name: 'change-endpoint',
    who: 'owner',
    path: '/developers/webhooks/$id',
    ids: ({ endpoint }) => ({ id: endpoint }),
    heading: 'Webhook endpoint',
    async play(page) {
      await press(page, 'Edit');
      await page.getByRole('radio', { name: 'Selected events' }).check();
    },
  },
  {
    name: 'request-filters',
    who: 'owner',
    path: '/developers/requests?status=4xx',
    heading: 'Requests',
    async play(page) {
      const any = page.getByLabel('Error code');
      if (!(await any.isVisible())) await page.getByText(/^Filters/).click();
      await any.waitFor();
    },
  },
  {
    name: 'more-of-intro',
    who: 'owner',
    path: '/intros/$id',
    ids: ({ waiting }) => ({ id: waiting }),
    heading: 'For Dana Reyes',
    async play(page) {
      await button(page, 'More').first().click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'menu',
    who: 'owner',
    path: '/overview',
    heading: 'Overview',
    async play(page) {
      const menu = button(page, 'Menu');
      if (await menu.isVisible()) await menu.click();
    },
  },
];
