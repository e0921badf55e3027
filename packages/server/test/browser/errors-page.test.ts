import { DELIVERY_FAILURES, ERRORS, EVENT_FAILURES } from '@foreword/contract';
import { expect, onTestFinished, test } from 'vitest';
import { forFile, openService } from '../harness/index.ts';
import { openChromium } from './chromium.ts';
import { expectAccessibleInBothModes, watch } from './page-actions.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

const browser = await forFile(openChromium());
const { service } = await forFile(openService());

test.each([
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const)(
  'the Link of an error leads to its explanation on $name, without JavaScript and with no request but for the typeface',
  async ({ viewport, colorScheme }) => {
    const { headers } = await fetch(`${service.url}/v1/intros`);
    const [, help = ''] = /^<(.*)>; rel="help"$/.exec(headers.get('link') ?? '') ?? [];
    const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
    onTestFinished(() => context.close());
    const { requested, errors } = watch(context);
    const page = await context.newPage();
    await page.goto(help);
    const entry = page.locator('article:target');
    expect(await entry.locator('h3').textContent()).toBe('unauthorizedHTTP 401');
    expect(await entry.textContent()).toContain(ERRORS.unauthorized.action.replaceAll('`', ''));
    expect(await entry.boundingBox().then((box) => box !== null && box.y >= 0 && box.y < viewport.height)).toBe(true);

    const codes = [...Object.keys(ERRORS), ...Object.keys(EVENT_FAILURES), ...Object.keys(DELIVERY_FAILURES)];
    const shown = await page.locator('h3 code').allTextContents();
    expect(codes.filter((code) => !shown.includes(code))).toEqual([]);
    expect(requested).toEqual([help.replace(/#.*/, ''), `${service.url}/assets/figtree.woff2`]);
    expect(errors).toEqual([]);
    const widest = await page
      .locator('article, nav, pre')
      .evaluateAll((parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().right)));
    expect(widest).toBeLessThanOrEqual(viewport.width);
  },
);

test.each([PHONE, DESKTOP])('a browser at an unknown address gets a page with a way on (%o)', async (viewport) => {
  const context = await browser.newContext({ viewport });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const response = await page.goto(`${service.url}/nope`);
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessibleInBothModes(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
  await page.getByRole('link', { name: 'Go to the console' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
