import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openConsoleAs, PHONE } from './console-test-page.ts';
import { button, untilHeading } from './page-actions.ts';

// How many clicks or taps frequent jobs take from the overview. Typing into a field is not counted.

let fixture: IntrosFixture;
let browser: Browser;

beforeAll(async () => {
  fixture = await openIntros();
  browser = await openChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
});

async function openOverview(device: BrowserContextOptions) {
  const url = `${fixture.service.url}/console/overview`;
  const { page, close } = await openConsoleAs(browser, fixture.owner, url, device);
  await untilHeading(page, 'Overview');
  let clicks = 0;
  const click = async (control: Locator) => {
    clicks += 1;
    await control.click();
  };
  const choose = async (list: Locator, label: string) => {
    clicks += 1;
    await list.selectOption({ label });
  };
  return { page, close, click, choose, clicks: () => clicks };
}

type Overview = Awaited<ReturnType<typeof openOverview>>;

/** A page in the sidebar, the tab bar, or the phone's menu. */
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();

interface Device {
  readonly name: string;
  readonly options: BrowserContextOptions;
  openNewIntro(overview: Overview): Promise<void>;
  openWebhookForm(overview: Overview): Promise<void>;
}

const DEVICES: readonly Device[] = [
  {
    name: 'phone',
    options: PHONE,
    openNewIntro: ({ page, click }) => click(link(page, 'Start an intro')),
    async openWebhookForm({ page, click }) {
      await click(button(page, 'Menu'));
      await click(page.getByRole('dialog').getByRole('link', { name: 'Developers' }));
      await click(link(page, 'Add webhook'));
    },
  },
  {
    name: 'desktop',
    options: DESKTOP,
    async openNewIntro({ page, click }) {
      await click(link(page, 'Home'));
      await click(link(page, 'Start an intro'));
    },
    async openWebhookForm({ page, click }) {
      await click(link(page, 'Developers'));
      await click(link(page, 'Webhooks'));
      await click(button(page, 'Add webhook').first());
    },
  },
];

describe.each(DEVICES)('on a $name', ({ name, options, openNewIntro, openWebhookForm }) => {
  test('who has not recorded yet is one click away at most', async () => {
    const recipient = { first_name: 'Waiting', last_name: name, phone: '+14155550301' };
    await createIntro(fixture.api, { recipient });
    const { page, close, clicks } = await openOverview(options);
    await page.getByText(`Waiting ${name}`).first().waitFor();
    expect(clicks()).toBeLessThanOrEqual(1);
    await close();
  });

  test('cancelling an intro takes three clicks', async () => {
    const recipient = { first_name: 'Moved', last_name: name, phone: '+14155550302' };
    const { id } = await createIntro(fixture.api, { recipient });
    const { page, close, click, clicks } = await openOverview(options);
    await click(page.getByRole('link', { name: new RegExp(`Moved ${name}`) }));
    await click(button(page, 'Cancel intro'));
    await click(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel intro' }));
    await page.getByText('The intro is cancelled.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(3);
    expect((await fixture.detail(id)).status).toBe('cancelled');
    await close();
  });

  test('rewriting a script takes three clicks', async () => {
    const { page, close, click, clicks } = await openOverview(options);
    await click(link(page, 'Touchpoints'));
    await click(page.getByRole('link', { name: 'Edit the script of Project kickoff' }));
    const script = page.getByRole('textbox', { name: 'Script', exact: true });
    await script.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(`Hello from the ${name}.`);
    await click(button(page, 'Save'));
    await page.getByText('Saved. Your changes are live.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(3);
    const { body } = await fixture.owner.call('GET /touchpoints/:slug', { params: { slug: 'project_kickoff' } });
    expect(body.script).toBe(`Hello from the ${name}.`);
    await close();
  });

  test('the first webhook takes four clicks', async () => {
    const overview = await openOverview(options);
    const { page, close, click, clicks } = overview;
    await openWebhookForm(overview);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(`http://127.0.0.1:9/${name}`);
    await click(dialog.getByRole('button', { name: 'Add webhook' }));
    await page.getByText('whsec_').first().waitFor();
    expect(clicks()).toBeLessThanOrEqual(4);
    await close();
  });

  test('a new intro by hand reaches the recorder in four clicks', async () => {
    const overview = await openOverview(options);
    const { page, close, click, choose, clicks } = overview;
    await openNewIntro(overview);
    await choose(page.getByLabel('What is it about?'), 'Project kickoff');
    await page.getByLabel('First name').fill('Hand');
    await page.getByLabel('Mobile number').fill('415 555 0177');
    await click(button(page, 'Continue'));
    await page.waitForURL(/\/r\//);
    expect(clicks()).toBeLessThanOrEqual(4);
    await close();
  });
});
