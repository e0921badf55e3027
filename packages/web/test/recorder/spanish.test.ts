import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { button, heading, sendTake, text } from '../actions.ts';
import { listTexts } from '../catalogs.ts';
import { exampleTake } from '../fake-server.ts';
import { inSpanish, speakSpanish } from '../spanish.ts';
import { play, STORIES } from '../stories.ts';
import { test } from './recorder-test.ts';

const PHONE = { viewport: { width: 390, height: 844 } };
const NARROWEST = { viewport: { width: 320, height: 640 } };
const GAP = '\u0000';

/** The parts of a language's texts between names and numbers. */
const partsOf = (language: 'en' | 'es'): string[] =>
  [...listTexts(language, GAP).values()].flatMap((shown) => shown.split(GAP)).map((part) => part.trim());

const SPANISH = new Set(partsOf('es'));
const ENGLISH = [...new Set(partsOf('en'))].filter((part) => /\p{L}{2}/u.test(part) && !SPANISH.has(part));
/** Also finds texts that are in no catalog, such as those of the server. */
const COMMON_WORDS = ['the', 'you', 'your', 'this', 'is', 'are', 'not', 'with', 'and', 'will', 'video of', 'uploaded'];
const WORDS = [...ENGLISH, ...COMMON_WORDS].map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));

const findEnglish = (shown: string): string[] =>
  [...shown.matchAll(new RegExp(`(?<!\\p{L})(?:${WORDS.join('|')})(?!\\p{L})`, 'giu'))].map(([word]) => word);

/** Everything that the page says, without the recipient's page in its frame. */
const READ_TEXTS = `[
  document.title,
  document.getElementById('app').ariaLabel,
  ...[...document.querySelectorAll('#app *')].flatMap((element) => [
    ...['aria-label', 'alt', 'title', 'placeholder'].map((name) => element.getAttribute(name)),
    ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data),
  ]),
].filter(Boolean).join('\\n')`;

/** Buttons whose label is cut off. */
const CUT_OFF = `[...document.querySelectorAll('button, .button')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

/** Touch targets that are too small for a thumb. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, label.button, a')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  // The link below the consent is not visible until it is opened, and part of a sentence then.
  return element.checkVisibility() && Math.min(width, height) < 48 ? [element.ariaLabel ?? element.textContent] : [];
})`;

const readTexts = async (page: Page) => String(await page.evaluate(READ_TEXTS));

// In Spanish, whose texts are longer. Tests and pictures show the same states in English.
describe.concurrent('every state of the recorder in Spanish, on a narrow phone,', () => {
  test.for(STORIES.map(inSpanish))(
    '$name: fits, contains no English, and axe finds no problems in light and dark mode',
    async (story, { expect, visit }) => {
      const { page } = await play(story, visit, NARROWEST);
      expect(await page.evaluate('document.documentElement.lang')).toBe('es');
      expect(findEnglish(await readTexts(page))).toEqual([]);
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROWEST.viewport.width);
      expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
      expect(await findViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findViolations(page, { rule: 'color-contrast' })).toEqual([]);
    },
  );
});

test('English is found in every text of the English catalog', async ({ visit }) => {
  const { page } = await visit();
  expect(findEnglish(await readTexts(page)).length).toBeGreaterThan(5);
  const unseen = [...listTexts('en', 'Dana')].filter(([place, shown]) => {
    const isEqual = shown === listTexts('es', 'Dana').get(place);
    return !isEqual && findEnglish(shown).length === 0;
  });
  expect(unseen).toEqual([]);
});

test('a member records and sends in Spanish, with Spanish dates', async ({ visit }) => {
  const { page, server } = await visit({}, PHONE, speakSpanish);
  await page.getByRole('heading', { name: 'Para Dana Reed' }).waitFor();
  const weekdays = 'Lunes|Martes|Miércoles|Jueves|Viernes|Sábado|Domingo';
  await page.getByText(new RegExp(`^(${weekdays}), \\d+ de [a-z]+`)).waitFor();
  await page.getByText(/^[12]:00\sp\.\s?m\.\sC[SD]T, (dentro de \d días|pasado mañana)$/).waitFor();
  await page.getByText(/^\d+ palabras, cerca de \d+ segundos$/).waitFor();
  await sendTake(page);
  await heading(page, 'Your video is ready');
  await page.getByText('Techos Acme le enviará el enlace a Dana.').waitFor();
  expect(server.received.takes).toBe(1);
});

test('the next intro keeps the language, in the title too', async ({ visit }) => {
  const { page } = await visit({}, PHONE, (server) => {
    speakSpanish(server);
    speakSpanish(server.addIntro('Rosa'));
  });
  // The page names the recipient only after its script ran, because link previews show the title.
  await expect.poll(() => page.title()).toMatch(/^Grabar para .+ · Techos Acme$/);
  await sendTake(page);
  await heading(page, 'Your video is ready');
  await page.getByRole('heading', { name: 'Siguiente: Rosa' }).waitFor();
  await button(page, 'Record').click();
  await text(page, 'Microphone works').waitFor();
  expect(await page.title()).toBe('Grabar para Rosa · Techos Acme');
  expect(findEnglish(await readTexts(page))).toEqual([]);
});

test('a script in another language than the screens is marked as such', async ({ visit }) => {
  const { page } = await visit({}, PHONE, ({ state }) => {
    state.intro.script_language = 'es';
    state.intro.script = 'Hola, ¿cómo está? Soy Ana.';
  });
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  await page.getByText('5 words, about 2 seconds').waitFor();
  const languageOf = () =>
    page
      .getByText('Hola')
      .first()
      .evaluate((element) => element.closest('[lang]')?.getAttribute('lang'));
  expect(await languageOf()).toBe('es');
  await button(page, 'Start the camera').click();
  await button(page, 'Record').waitFor();
  expect(await languageOf()).toBe('es');
});

test.for([
  ['en', 'Ana from Techos Acme recorded a short video for you:'],
  ['es', 'Ana, de Techos Acme, grabó este video corto:'],
] as const)(
  'a shared link comes with a message in the recipient’s language: %s',
  async ([language, message], { visit }) => {
    const { page } = await visit({}, PHONE, (server) => {
      speakSpanish(server);
      server.state.intro.recipient.language = language;
      server.state.intro.status = 'ready';
      server.state.recording = exampleTake('ready');
    });
    await page.addInitScript(`navigator.share = async (message) => { window.shared = message; }`);
    await page.reload();
    await button(page, 'Share').click();
    expect(await page.evaluate('window.shared')).toMatchObject({ text: message });
  },
);
