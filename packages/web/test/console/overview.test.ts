import type { UnsentIntro } from '@foreword/contract';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { MEMBER } from './examples.ts';
import { Refusal } from './fake-console.ts';
import { SETUP, serveOverview, waiting } from './overview-data.ts';
import { SIZES, SMALL_TARGETS, test } from './test-console.ts';

const UNREADABLE = new Refusal(500, { code: 'internal_error', message: 'Something went wrong here.' });
const UNSENT: readonly UnsentIntro[] = ['Rosa Silva', 'Jiří Novák'].map((recipient, index) => ({
  id: `int_01kahzv8e1f0rtx5m2q6n9d3c${index}`,
  recipient,
  member: { id: MEMBER.id, first_name: 'Lou', last_name: 'Ost' },
  reason: 'No text provider is connected.',
  recipient_url: `https://intros.acme.example/i/${index}`,
}));
/** Keeps what the page copies and shares, because a test browser has neither. */
const RECORDS_LINKS = `window.links = [];
  navigator.share = async (message) => { window.links.push(message); };
  navigator.clipboard.writeText = async (text) => { window.links.push(text); };`;
describe.concurrent('the overview', () => {
  test('shows figures, the next deadlines and problems on the first screen of a desk', async ({ expect, visit }) => {
    const { page } = await visit({ path: '/overview', prepare: serveOverview });
    const list = page.getByRole('list', { name: 'Waiting to be recorded' });
    await list.waitFor();
    expect(await list.getByRole('link').allTextContents()).toEqual(
      waiting().next.map(({ recipient }) => expect.stringContaining(recipient)),
    );
    for (const shown of [
      page.getByRole('list', { name: 'Key figures' }),
      list.getByRole('link').first(),
      page.getByText('No text provider is connected.', { exact: false }),
    ]) {
      const box = await shown.boundingBox();
      expect((box?.y ?? 0) + Math.min(box?.height ?? 0, 100)).toBeLessThan(SIZES.desktop.height);
    }
    expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(2_000);
  });

  test.for(Object.entries(SIZES))(
    'offers links that no text carried on a %s, to copy and to share',
    async ([, viewport], { expect, visit }) => {
      const { page } = await visit({
        path: '/overview',
        browser: { viewport, hasTouch: viewport.width < 800 },
        prepare: (server) => {
          serveOverview(server);
          server.answer('GET /overview/waiting', { ...waiting(), unsent: UNSENT });
        },
      });
      await page.addInitScript(RECORDS_LINKS);
      await page.reload();
      const list = page.getByRole('list', { name: 'Recorded, not sent' });
      await list.getByText('No text provider is connected.').first().waitFor();
      await list.getByRole('button', { name: 'Copy recipient link for Rosa Silva' }).click();
      await page.getByText('Link copied.').waitFor();
      await list.getByRole('button', { name: 'Share link for Jiří Novák' }).click();
      expect(await page.evaluate('window.links')).toEqual([
        UNSENT[0]?.recipient_url,
        { url: UNSENT[1]?.recipient_url },
      ]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      if (viewport.width < 800) expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    },
  );

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
      '/console/outbox',
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
    await page.reload();
    await page.getByRole('heading', { name: 'No intros yet' }).waitFor();
  });
});
