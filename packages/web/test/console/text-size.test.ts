import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { serveTouchpoint } from './examples.ts';
import { SIZES, test } from './test-console.ts';

const LINK = 'https://go.acme.example/i/xxxxxxxxxxxx';
const BODY = `Zoë, Jane’s video is ready. Reply STOP to opt out. ${LINK}`;

test('a phone shows the size of a text with its cost and the characters behind it', async ({ expect, visit }) => {
  const { page } = await visit({
    path: '/touchpoints/kickoff',
    browser: { viewport: SIZES.phone, hasTouch: true },
    prepare(server) {
      serveTouchpoint(server);
      const names = { people: 'typical', recipient: 'Sarah', member: 'Jane' } as const;
      server.answer('POST /touchpoint-preview', {
        ...{ problems: [], warnings: [], max_words: 37, segment_price: { amount: 0.0083, currency: 'USD' } },
        renderings: [
          { ...names, page_title: null, page_path: null, script: 'Hi', words: 1, seconds: 1, text: { body: BODY } },
        ],
      });
    },
  });
  const shown = page.getByRole('figure', { name: 'Preview of the text' });
  await shown.getByText('2 segments, 89 characters (UCS-2). About $0.0166 per recipient.').waitFor();
  await shown.getByText('Not in the standard text alphabet: ë ’ Each segment holds 67 characters').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
  expect(await findViolations(page)).toEqual([]);
});
