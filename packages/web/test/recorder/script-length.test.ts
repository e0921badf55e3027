import { afterAll, beforeAll, expect, test } from 'vitest';
import { Phones } from '../phone.ts';

let phones: Phones;
beforeAll(async () => {
  phones = await Phones.open();
});
afterAll(() => phones?.close());

test.each([
  [37, 150, 0],
  [38, 150, 1],
  [37, 120, 1],
])('a script of %i words at %i words per minute: hints that it is too long: %i', async (words, pace, hints) => {
  const { page, close } = await phones.visit({}, {}, ({ state }) => {
    state.intro.script = `${Array(words).fill('word').join(' ')} 👋`;
    state.member.words_per_minute = pace;
  });
  await page.getByText(`${words} words, about`).waitFor();
  expect(await page.getByText('Longer than 15 seconds at your pace.').count()).toBe(hints);
  await close();
});
