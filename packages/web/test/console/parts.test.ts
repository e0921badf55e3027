import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAccessibilityIssues, SIZES, SMALL_TARGETS, TestConsole } from './test-console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const focused = async (page: Page): Promise<string> =>
  String(
    await page.evaluate(
      'document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
    ),
  );

/** The labels of buttons that a toast covers. */
const COVERED = `[...document.querySelectorAll('button, [role="button"]')]
  .filter((control) => control.closest('.toasts') === null)
  .filter((control) => [...document.querySelectorAll('.toast')].some((toast) => {
    const [a, b] = [control.getBoundingClientRect(), toast.getBoundingClientRect()];
    return a.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }))
  .map((control) => control.ariaLabel ?? control.textContent)`;

describe.concurrent('the shared parts', () => {
  test.each(Object.entries(SIZES))(
    'have no accessibility issues on a %s, in light and dark mode',
    async (_, viewport) => {
      const { page, errors, close } = await testConsole.openParts({ viewport, hasTouch: viewport.width < 800 });
      await page.getByText('Row 1', { exact: true }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await findAccessibilityIssues(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      if (viewport.width < 800) expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
      expect(errors).toEqual([]);
      await close();
    },
  );

  test('a dialog traps the focus, closes on Escape, and returns the focus', async ({ expect }) => {
    const { page, errors, close } = await testConsole.openParts();
    await page.getByRole('button', { name: 'Open the dialog' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'A dialog' });
    await dialog.waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    for (let presses = 0; presses < 8; presses += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement.closest('[role=dialog]') !== null || document.activeElement.hasAttribute('data-base-ui-focus-guard')`,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Open the dialog');
    expect(errors).toEqual([]);
    await close();
  });

  test('a confirmation stays open on a click outside of it', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const confirmation = page.getByRole('alertdialog', { name: 'Revoke this key?' });
    await confirmation.waitFor();
    await page.mouse.click(5, 5);
    expect(await confirmation.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await confirmation.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Revoke');
    await close();
  });

  test('a menu works with the keyboard', async ({ expect }) => {
    const { page, errors, close } = await testConsole.openParts();
    await page.getByRole('button', { name: 'More for Ana' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Remove');
    await page.keyboard.press('Enter');
    await page.getByText('Last: remove').waitFor();
    await expect.poll(() => focused(page)).toBe('More for Ana');
    expect(errors).toEqual([]);
    await close();
  });

  test('a combobox finds an option by typing', async ({ expect }) => {
    const { page, errors, close } = await testConsole.openParts();
    const field = page.getByRole('combobox', { name: 'Member' });
    await field.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Dana Reed' }).waitFor();
    await page.keyboard.type('car');
    await page.getByRole('option', { name: 'Carla Ruiz' }).waitFor();
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1);
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await field.textContent()).toBe('Carla Ruiz');
    await expect.poll(() => focused(page)).toContain('Member');
    expect(errors).toEqual([]);
    await close();
  });

  test('arrow keys move through tabs and choices', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    await page.getByRole('tab', { name: 'One' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText('The second.').waitFor();
    const choices = page.getByRole('radiogroup', { name: 'Lane in short' });
    await choices.getByRole('radio', { name: 'Retail' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await choices.getByRole('radio', { name: 'Insurance' }).isChecked()).toBe(true);
    await close();
  });

  test('a phone field accepts the usual notations', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    const input = page.getByRole('textbox', { name: 'Phone' });
    expect(await input.inputValue()).toBe('(415) 555-0123');
    await input.fill('212-555-0188');
    await input.blur();
    expect(await page.getByRole('status').filter({ hasText: '+1' }).textContent()).toBe('+12125550188');
    expect(await input.inputValue()).toBe('(212) 555-0188');
    await close();
  });

  test('a toast is announced and offers undo; a failure stays and shows its reason', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    await page.getByRole('button', { name: 'Say it' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Last: undo').waitFor();
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.locator('[aria-live]').getByText('email is taken.').waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await close();
  });

  test('the same toast again replaces the first one', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    for (let times = 0; times < 3; times++) await page.getByRole('button', { name: 'Fail' }).click();
    expect(await page.locator('.toast').count()).toBe(1);
    await page.getByRole('button', { name: 'Say it' }).click();
    expect(await page.locator('.toast').count()).toBe(2);
    await close();
  });

  test.each([['phone'], ['desktop']] as const)('toasts cover no button on a %s', async (size) => {
    const { page, close } = await testConsole.openParts({ viewport: SIZES[size] });
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.mouse.move(0, 0);
    // Buttons and fields; below them is a long list.
    for (let top = 0; top < 2_000; top += 400) {
      await page.evaluate(`scrollTo(0, ${top})`);
      // The page's security policy forbids waiting for a script.
      let covered: unknown;
      for (let tries = 0; tries < 20 && (tries === 0 || (covered as string[]).length > 0); tries++) {
        await page.waitForTimeout(100);
        covered = await page.evaluate(COVERED);
      }
      expect(covered, `at ${top}`).toEqual([]);
    }
    await close();
  });

  test('a search field sends one request for text typed without a pause', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    await page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => globalThis.seen.push(document.querySelector('[data-query]').dataset.query))
        .observe(document.querySelector('[data-query]'), { attributes: true });
    `);
    // Stops the page's clock while typing, so that a slow machine does not matter.
    await page.clock.install();
    await page.clock.pauseAt(4_102_444_800_000);
    await page.getByRole('searchbox').pressSequentially('dana');
    await page.clock.runFor(300);
    await page.getByText('Searched: dana').waitFor();
    expect(await page.evaluate('globalThis.seen')).toEqual(['dana']);
    await close();
  });

  test('a long list renders only the rows near the viewport, down to the last one', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    const rows = page.getByRole('list', { name: 'Many rows' }).getByRole('listitem');
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await expect
      .poll(async () => {
        await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
        return page.getByText('Row 5000', { exact: true }).count();
      })
      .toBe(1);
    expect(await rows.count()).toBeLessThan(60);
    await close();
  });

  test('a live update refetches only the topic that changed', async ({ expect }) => {
    const { page, server, errors, close } = await testConsole.openParts();
    await page.getByText('Read: Ana').waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    server.session = { ...server.session, member: { ...server.session.member, first_name: 'Anabel' } };
    server.publish('webhooks');
    await page.waitForTimeout(1_000);
    expect(server.requests).toEqual(['GET /session']);
    for (let times = 0; times < 20; times += 1) server.publish('members');
    await page.getByText('Read: Anabel').waitFor();
    expect(server.requests.length).toBeLessThan(5);
    expect(errors).toEqual([]);
    await close();
  });

  test('leaving a form with unsaved changes asks first', async ({ expect }) => {
    const { page, close } = await testConsole.openParts();
    await page.getByRole('textbox', { name: 'First name' }).fill('Anabel');
    const link = page.getByRole('link', { name: 'A link' });
    await link.click();
    const confirmation = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await confirmation.getByRole('button', { name: 'Stay here' }).click();
    await confirmation.waitFor({ state: 'hidden' });
    expect(await page.getByRole('textbox', { name: 'First name' }).inputValue()).toBe('Anabel');
    await link.click();
    await confirmation.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Elsewhere' }).waitFor();
    await close();
  });
});
