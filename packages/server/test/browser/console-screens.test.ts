import fs from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Looker } from './console-screen.ts';
import { SCHEMES, SCREENS, SIZES, show, type Visit } from './console-screens.ts';
import { type BusyStage, openBusyStage } from './console-stage.ts';

const ROUTER = path.join(import.meta.dirname, '../../../web/console/router.tsx');
/** What has no screen of its own: it leads on, or stands round others. */
const WITHOUT_SCREEN = ['/', '/developers'];

/** What sticks out to the side of the page, where nobody looks for it. */
const TOO_WIDE = 'document.documentElement.scrollWidth > innerWidth';

let stage: BusyStage;
const visits = new Map<Looker, Visit>();

beforeAll(async () => {
  stage = await openBusyStage();
}, 240_000);
afterAll(() => stage?.close());

/** Everybody keeps a browser for all that they look at. */
async function visitOf(who: Looker): Promise<Visit> {
  const visit = visits.get(who) ?? (await stage.visit(who));
  visits.set(who, visit);
  return visit;
}

async function listFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('no route of the console is left out here', () => {
  const source = fs.readFileSync(ROUTER, 'utf8');
  const routes = [...source.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g)].map(
    ([, parent = '', below = '']) => (parent === 'root' ? below : `/${parent}${below}`),
  );
  const shown = SCREENS.map((screen) => screen.path);
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter((route) => !WITHOUT_SCREEN.includes(route) && !shown.includes(route))).toEqual([]);
});

describe('whoever reads, and in whatever light', () => {
  test.each(SCREENS)(
    '$name has no fault on a phone nor at a desk, and asks nobody else for anything',
    async (screen) => {
      const visit = await visitOf(screen.who);
      const { page, complaints } = visit;
      const faults: Record<string, unknown> = {};
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await show(visit, stage.url, screen, stage.company);
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const found = await listFaults(page);
          if (await page.evaluate(TOO_WIDE)) found.push('wider than the screen');
          if (found.length > 0) faults[`${size}, ${colorScheme}`] = found;
        }
      }
      expect(faults).toEqual({});
      expect(complaints.splice(0)).toEqual([]);
    },
  );
});
