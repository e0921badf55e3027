import type { Role } from '@foreword/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { openChromium } from '../../../server/test/browser/chromium.ts';
import { buildWeb } from '../../build.ts';
import { exampleSession, FakeConsole } from './fake-console.ts';

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;

interface VisitOptions<Prepared> {
  role?: Role;
  /** Relative to `/console`. */
  path?: string;
  browser?: BrowserContextOptions;
  prepare?: (server: FakeConsole) => Prepared;
  /** Part of an error that the test causes on purpose. */
  causes?: string;
}

interface Visit<Prepared> {
  readonly page: Page;
  readonly server: FakeConsole;
  /** The result of `prepare`. */
  readonly prepared: Prepared;
}

export type Visiting = <Prepared = void>(options?: VisitOptions<Prepared>) => Promise<Visit<Prepared>>;

/** `visit` opens the console with a fake server of its own. It closes with the test, and must have logged no error. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern.
  .extend('chromium', { scope: 'worker' }, async ({}) => ({ build: await buildWeb(), browser: await openChromium() }))
  .extend('visit', ({ chromium: { build, browser } }, { onCleanup }) => {
    const ends: (() => Promise<void>)[] = [];
    const errors: string[] = [];
    onCleanup(async () => {
      for (const end of ends) await end();
      expect(errors).toEqual([]);
    });
    const visit: Visiting = async <Prepared>({
      role = 'owner',
      path = '',
      browser: options = {},
      prepare,
      causes,
    }: VisitOptions<Prepared> = {}): Promise<Visit<Prepared>> => {
      const server = await FakeConsole.start(build);
      ends.push(() => server.stop());
      server.session = exampleSession(role);
      const prepared = prepare?.(server) as Prepared;
      const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
      ends.unshift(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const note = (error: string) => {
        if (causes === undefined || !error.includes(causes)) errors.push(error);
      };
      page.on('pageerror', ({ message }) => note(message));
      page.on('console', (message) => {
        // Refused responses and dropped connections are also logged here; tests cause them on purpose.
        const isOwn = message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text());
        if (isOwn) note(message.text());
      });
      await page.goto(`${server.origin}/console${path}`);
      return { page, server, prepared };
    };
    return visit;
  });

/** Expects that the page fits a phone and a desktop, and is accessible in light and dark mode. */
export async function expectFits(page: Page): Promise<void> {
  for (const viewport of Object.values(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
  }
}

/** Buttons and links that are too small for a finger. */
export const SMALL_TARGETS = `[...document.querySelectorAll('main button, main a, header button, header a, dialog[open] a')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  const inText = element.closest('p') !== null;
  return width > 0 && !inText && Math.min(width, height) < 44 ? [element.outerHTML] : [];
})`;
