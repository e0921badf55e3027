import { describe } from 'vitest';
import { Refusal } from './fake-console.ts';
import { attention, SETUP, serveOverview } from './overview-data.ts';
import { expectFits, SIZES, SMALL_TARGETS, test } from './test-console.ts';

const UNREADABLE = new Refusal(500, { code: 'internal_error', message: 'Something went wrong here.' });
/** Keeps what the page copies and shares, because a test browser has neither. */
const RECORDS_LINKS = `window.links = [];
  navigator.share = async (message) => { window.links.push(message); };
  navigator.clipboard.writeText = async (text) => { window.links.push(text); };`;
describe.concurrent('the overview', () => {
  test('shows first what needs attention, each with its next step, then figures and one card of results', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit({ path: '/overview', prepare: serveOverview });
    const list = page.getByRole('list', { name: 'Needs attention' });
    await list.waitFor();
    expect(await list.getByRole('listitem').count()).toBe(6);
    await page.getByRole('button', { name: 'Show all 7' }).click();
    const steps = list.getByRole('listitem').locator('.button');
    expect(await steps.allTextContents()).toEqual([
      ...[
        'Open messages',
        'Reassign',
        'Copy recipient link',
        'Correct number',
        'Open member',
        'Answer',
        'Show members',
      ],
    ]);
    await list.getByText('Lou Ost was not reached about 2 intros').waitFor();
    await list.getByText('“Do you need the garage?”').waitFor();
    const figures = page.getByRole('list', { name: 'Key figures' }).getByRole('link');
    expect(await figures.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/console/intros?status=requested',
      '/console/intros?status=ready',
      '/console/intros?delivery=sent%2Cdelivered&from=2026-03-01',
      '/console/intros?delivery=sent%2Cdelivered&from=2026-03-01&watched=yes',
    ]);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      ...['Needs attention', 'Set up Foreword', 'Results'],
    ]);
    expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(2_000);
  });

  test('counts no more intros of a member than it knows, and links to the others', async ({ visit }) => {
    const { page, server } = await visit({ path: '/overview', prepare: serveOverview });
    const items = attention().items.filter((item) => item.kind === 'intro' && item.problem === 'member_not_reached');
    server.answer('GET /overview/attention', {
      items: items.map((item) => ({ ...item, amount: 30 })) as typeof items,
      has_more: true,
    });
    await page.reload();
    await page.getByText('Lou Ost was not reached about 30 or more intros').waitFor();
    await page.getByRole('link', { name: 'Show more in Intros' }).waitFor();
  });

  test('offers links that no text carried, to copy and to share', async ({ expect, visit }) => {
    const { page } = await visit({
      path: '/overview',
      browser: { viewport: SIZES.phone, hasTouch: true },
      prepare: serveOverview,
    });
    await page.addInitScript(RECORDS_LINKS);
    await page.reload();
    const list = page.getByRole('list', { name: 'Needs attention' });
    await list.getByText('No text provider is connected', { exact: false }).first().waitFor();
    await list.getByRole('button', { name: 'Copy recipient link for Owen Park' }).click();
    await page.getByText('Link copied.').waitFor();
    await list.getByRole('button', { name: 'Share link for Owen Park' }).click();
    const url = 'https://intros.acme.example/i/2';
    expect(await page.evaluate('window.links')).toEqual([url, { url }]);
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await expectFits(page);
  });

  test('says that nothing needs attention only when nothing does, and shows a single step left in one line', async ({
    expect,
    visit,
  }) => {
    const setup = { ...SETUP, has_carrier: true };
    const { page, server } = await visit({ path: '/overview', prepare: (fake) => serveOverview(fake, setup) });
    await page.getByRole('link', { name: 'Get a real text' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Set up Foreword' }).count()).toBe(0);
    const nothing = page.getByText('Nothing needs your attention.');
    const { items } = attention();
    for (const item of items) {
      server.answer('GET /overview/attention', { items: [item], has_more: false });
      await page.reload();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      expect(await nothing.count()).toBe(0);
    }
    server.answer('GET /overview/attention', { items: [], has_more: false });
    await page.reload();
    await nothing.waitFor();
    expect(await page.getByRole('heading', { name: 'Needs attention' }).count()).toBe(0);
  });

  test('hides the checklist once it is dismissed, and says that there are no intros', async ({ expect, visit }) => {
    let dismissed = false;
    const { page, server } = await visit({
      path: '/overview',
      prepare: (fake) => {
        serveOverview(fake);
        fake.answer('GET /overview/setup', () => ({ ...SETUP, dismissed }));
        fake.answer('POST /overview/setup/dismiss', UNREADABLE);
      },
    });
    const card = page.getByRole('heading', { name: 'Set up Foreword' });
    await card.waitFor();
    await page.getByText('3 of 5 done').waitFor();
    expect(await page.getByRole('link', { name: /To do.*Connect texting/ }).getAttribute('href')).toBe(
      '/console/organization/texting',
    );
    expect(await page.getByRole('link', { name: /To do.*Get a real text/ }).getAttribute('href')).toBe(
      '/console/intros/new?to=me',
    );
    await page.getByRole('button', { name: 'Dismiss checklist' }).click();
    await page.getByText('Something went wrong here.').waitFor();
    await card.waitFor();
    server.answer('POST /overview/setup/dismiss', () => {
      dismissed = true;
      return { dismissed: true };
    });
    await page.getByRole('button', { name: 'Dismiss checklist' }).click();
    await card.waitFor({ state: 'detached' });
    server.answer('GET /overview/setup', { ...SETUP, has_intro: false, has_event: false, dismissed: true });
    server.answer('GET /overview/attention', { items: [], has_more: false });
    await page.reload();
    await page.getByRole('heading', { name: 'No intros yet' }).waitFor();
  });
});
