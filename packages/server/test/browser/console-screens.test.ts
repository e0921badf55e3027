import fs from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConsolePage } from './console-browser.ts';
import { type ConsoleFixture, openConsoleFixture } from './console-fixture.ts';
import type { Viewer } from './console-screen.ts';
import { openScreen, SCHEMES, SCREENS, SIZES } from './console-screens.ts';

const ROUTER = path.join(import.meta.dirname, '../../../web/console/router.tsx');
/** Redirects and layouts, which have no screen of their own. */
const WITHOUT_SCREEN = ['/', '/developers'];

/** The page scrolls horizontally. */
const TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth';

let fixture: ConsoleFixture;
const pages = new Map<Viewer, ConsolePage>();

beforeAll(async () => {
  fixture = await openConsoleFixture();
}, 240_000);
afterAll(() => fixture?.close());

/** Each viewer uses one browser context for all screens. */
async function pageOf(viewer: Viewer): Promise<ConsolePage> {
  const opened = pages.get(viewer) ?? (await fixture.openAs(viewer));
  pages.set(viewer, opened);
  return opened;
}

/** A color scheme changes with transitions; colors in between have no meaningful contrast. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished))`;

async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('every console route has a screen in this test', () => {
  const source = fs.readFileSync(ROUTER, 'utf8');
  const routes = [...source.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g)].map(
    ([, parent = '', below = '']) => (parent === 'root' ? below : `/${parent}${below}`),
  );
  const shown = SCREENS.map((screen) => screen.path);
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter((route) => !WITHOUT_SCREEN.includes(route) && !shown.includes(route))).toEqual([]);
});

describe('every screen in light and dark mode', () => {
  test.each(SCREENS)(
    '$name is accessible and has no errors on a phone and on a desktop, and sends no request to another host',
    async (screen) => {
      const opened = await pageOf(screen.viewer);
      const { page, errors } = opened;
      const problems: Record<string, unknown> = {};
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await openScreen(opened, fixture.url, screen, fixture.company);
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const found = await listViolations(page);
          if (await page.evaluate(TOO_WIDE)) found.push('wider than the screen');
          if (found.length > 0) problems[`${size}, ${colorScheme}`] = found;
        }
      }
      expect(problems).toEqual({});
      expect(errors.splice(0)).toEqual([]);
    },
  );
});
