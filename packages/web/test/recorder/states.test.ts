import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Phones } from '../phone.ts';
import { play, STORIES } from '../stories.ts';

let phones: Phones;
beforeAll(async () => {
  phones = await Phones.open();
});
afterAll(() => phones?.close());

const SMALLEST = { viewport: { width: 360, height: 640 } };

/** Touch targets that are too small for a thumb. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, label.button, a')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  return Math.min(width, height) < 48 ? [element.ariaLabel ?? element.textContent] : [];
})`;

async function findFaults(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.concurrent('every state of the recorder', () => {
  test.each(STORIES)('$name: axe finds no problems, in light and dark mode, on the smallest phone', async (story) => {
    const { page, server, close } = await play(story, phones, SMALLEST);
    expect(await findFaults(new AxeBuilder({ page }))).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findFaults(new AxeBuilder({ page }).withRules('color-contrast'))).toEqual([]);
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(server.received.complaints).toEqual([]);
    await close();
  });
});
