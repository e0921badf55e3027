import fs from 'node:fs';
import path from 'node:path';
import type { BrandPreview, TouchpointPreview } from '@foreword/contract';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { BRAND_PREVIEW, serveBrand, serveTouchpoint } from './examples.ts';
import { findAccessibilityIssues, SIZES, TestConsole } from './test-console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const LINK = 'https://go.acme.example/i/xxxxxxxxxxxx';
const WIDTH = 'document.documentElement.scrollWidth';

const previewOf = (body: string, segment_price: TouchpointPreview['segment_price']): TouchpointPreview => ({
  problems: [],
  warnings: [],
  renderings: [
    {
      people: 'typical',
      recipient: 'Sarah',
      member: 'Jane',
      page_title: null,
      script: 'Hi',
      words: 1,
      seconds: 1,
      text: { body },
    },
  ],
  max_words: 37,
  segment_price,
});

describe.concurrent('the size of a text', () => {
  test.for(
    (['phone', 'desktop'] as const).flatMap((size) => (['light', 'dark'] as const).map((scheme) => ({ size, scheme }))),
  )('is shown with its cost and the characters behind it: $size, $scheme', async ({ size, scheme }, { expect }) => {
    const body = `Zoë, Jane’s video is ready. Reply STOP to opt out. ${LINK}`;
    const { page, errors, close } = await testConsole.visit({
      path: '/touchpoints/kickoff',
      browser: { viewport: SIZES[size], colorScheme: scheme, hasTouch: size === 'phone' },
      prepare(server) {
        serveTouchpoint(server);
        server.answer('POST /touchpoint-preview', previewOf(body, { amount: 0.0083, currency: 'USD' }));
      },
    });
    const shown = page.getByRole('figure', { name: 'Preview of the text' });
    await shown.getByText('2 segments, 89 characters (UCS-2). About $0.0166 per recipient.').waitFor();
    await shown.getByText('Not in the standard text alphabet: ë ’ Each segment holds 67 characters').waitFor();
    expect(await page.evaluate(WIDTH)).toBe(SIZES[size].width);
    expect(await findAccessibilityIssues(page)).toEqual([]);
    const folder = process.env.PICTURES;
    if (folder !== undefined) {
      fs.mkdirSync(folder, { recursive: true });
      await shown.scrollIntoViewIfNeeded();
      await page.screenshot({ path: path.join(folder, `text-size-${size}-${scheme}.png`) });
    }
    expect(errors).toEqual([]);
    await close();
  });

  test('is shown without a cost if no price is set, even for a brand', async ({ expect }) => {
    const preview: BrandPreview = { ...BRAND_PREVIEW, text: { body: `Acme: hi. ${LINK}` } };
    const { page, close } = await testConsole.visit({
      path: '/brand',
      prepare(server) {
        serveBrand(server);
        server.answer('POST /brand/preview', preview);
      },
    });
    await page.getByRole('radio', { name: 'Text message' }).click();
    await page.getByText('1 segment, 48 characters (GSM-7). Carriers charge per segment.').waitFor();
    expect(await page.getByText('standard text alphabet').count()).toBe(0);
    await close();
  });
});
