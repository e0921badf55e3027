import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { forFile, isLong } from '../harness/index.ts';
import { findViolations } from './accessibility.ts';
import type { ConsolePage } from './console-browser.ts';
import { openConsoleFixture } from './console-fixture.ts';
import type { Viewer } from './console-screen.ts';
import { openScreen, SCHEMES, SCREENS, SIZES } from './console-screens.ts';

const ROUTER = path.join(import.meta.dirname, '../../../web/console/router.tsx');
/** The page scrolls horizontally. */
const TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth';

/** Buttons, tabs and statuses whose text takes two lines, measured as it is drawn. */
const WRAPPED = `[...document.querySelectorAll('.button, .tab, .nav-item, .tab-bar-item, .badge')].filter((control) => {
  const texts = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    // For screen readers.
    if (texts.currentNode.parentElement.closest('.sr') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top));
    if (new Set(lines).size > 1) return true;
  }
  return false;
}).map(({ textContent }) => textContent)`;

const fixture = await forFile(openConsoleFixture());
const pages = new Map<Viewer, ConsolePage>();

/** Each viewer uses one browser context for all screens. */
async function pageOf(viewer: Viewer): Promise<ConsolePage> {
  const opened = pages.get(viewer) ?? (await fixture.openAs(viewer));
  pages.set(viewer, opened);
  return opened;
}

/** A color scheme changes with transitions; colors in between have no meaningful contrast. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished))`;

/** Another color scheme only changes colors, so only contrast is checked again. */
async function listViolations(page: Page, colorScheme: (typeof SCHEMES)[number]): Promise<string[]> {
  await page.evaluate(SETTLED);
  return findViolations(page, colorScheme === SCHEMES[0] ? {} : { rule: 'color-contrast' });
}

test('every console route has a screen in this test', () => {
  const source = fs.readFileSync(ROUTER, 'utf8');
  const routes = [...source.matchAll(/\bpage\('([^']+)'/g)].map(([, route = '']) => route);
  const shown = SCREENS.map((screen) => screen.path);
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter((route) => !shown.includes(route))).toEqual([]);
});

/** The long suite has every combination. */
const VIEWS = isLong
  ? { sizes: SIZES, schemes: SCHEMES }
  : { sizes: { phone: SIZES.phone }, schemes: SCHEMES.slice(0, 1) };

test.each(SCREENS)(
  '$name is accessible and has no errors in light and dark mode, on a phone and on a desktop, and sends no request to another host',
  async (screen) => {
    const opened = await pageOf(screen.viewer);
    const { page, errors } = opened;
    const problems: Record<string, unknown> = {};
    for (const [size, viewport] of Object.entries(VIEWS.sizes)) {
      await page.setViewportSize(viewport);
      await openScreen(opened, fixture.url, screen, fixture.company);
      // Not by role: an open dialog hides the page below it from readers.
      expect(await page.locator('main h1').count()).toBe(1);
      for (const colorScheme of VIEWS.schemes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const found = await listViolations(page, colorScheme);
        if (await page.evaluate(TOO_WIDE)) found.push('wider than the screen');
        const wrapped = await page.evaluate<string[]>(WRAPPED);
        found.push(...wrapped.map((label) => `two lines: ${label}`));
        if (found.length > 0) problems[`${size}, ${colorScheme}`] = found;
      }
    }
    expect(problems).toEqual({});
    expect(errors.splice(0)).toEqual([]);
  },
);

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaftsvorsteher';
const LONG_NAMES = [
  'update members set first_name = $1, last_name = $1, title = $1',
  'update organizations set name = $1, license = $1',
  "update touchpoints set name = $1, page_title = $1, script = $1, action_label = left($1, 60), action_url = 'https://acme.example'",
  `update intros set recipient_first_name = $1, recipient_last_name = $1, script = $1, reference_id = $1,
     context = json_build_object('title', $1::text), reference = json_build_object('source', $1::text, 'type', $1::text, 'id', $1::text)`,
  `update touchpoint_events set error_message = $1,
     request = jsonb_set(request::jsonb, '{recipient}', jsonb_build_object('first_name', $1::text, 'last_name', $1::text, 'phone', '+14155550123'))`,
  'update api_keys set name = $1',
  'update webhook_endpoints set description = $1',
  'update messages set subject = $1, error_message = $1',
];

describe.runIf(isLong)('with words of 90 letters in every name, title, script, reference and error', () => {
  beforeAll(async () => {
    for (const statement of LONG_NAMES) await fixture.database.query(statement, [WORD]);
  });

  const isTooWide = async (page: Page, size: keyof typeof SIZES): Promise<boolean> => {
    await page.setViewportSize(SIZES[size]);
    return page.evaluate(TOO_WIDE) as Promise<boolean>;
  };

  test('no screen and no dialog of the console is wider than a phone or a desktop', async () => {
    const tooWide: string[] = [];
    for (const screen of SCREENS) {
      if (screen.viewer === 'emptyOwner' || screen.viewer === 'signedOut') continue;
      const opened = await pageOf(screen.viewer);
      await opened.page.setViewportSize(SIZES.phone);
      await openScreen(opened, fixture.url, { ...screen, heading: /./ }, fixture.company).catch(() => undefined);
      for (const size of ['phone', 'desktop'] as const) {
        if (await isTooWide(opened.page, size)) tooWide.push(`${screen.name}, ${size}`);
      }
      opened.errors.splice(0);
    }
    expect(tooWide).toEqual([]);
  }, 180_000);

  test('neither the recorder nor the page is', async () => {
    const { page } = await pageOf('signedOut');
    const tooWide: string[] = [];
    for (const link of await fixture.findLinks()) {
      await page.goto(link);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.locator('body').textContent()).toContain(WORD);
      for (const size of ['phone', 'desktop'] as const)
        if (await isTooWide(page, size)) tooWide.push(`${link}, ${size}`);
    }
    expect(tooWide).toEqual([]);
  });
});
