import fs from 'node:fs';
import { firefox } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openPages } from '../pages/page-fixture.ts';
import { playToTheEnd } from './page-actions.ts';
import { makeVideo } from './video.ts';

const PROGRAM = '/usr/bin/firefox-esr';

if (!fs.existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Install it with: apt-get install firefox-esr`);
const video = makeVideo();
const fixture = await forFile(openPages());
// Debian's Firefox over WebDriver BiDi. Playwright 1.65 sends commands that it does not know yet. Playing needs permission for sound, but no sound device.
const browser = await forFile(
  firefox.launch({
    channel: 'moz-firefox',
    executablePath: PROGRAM,
    firefoxUserPrefs: { 'media.autoplay.default': 0 },
  }),
);

test('a recipient can watch the video in Firefox, and the service knows it', async () => {
  const intro = await fixture.createIntro({ ...video });
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(fixture.url + intro.path);
  await playToTheEnd(page);
  const row = await eventually(
    () => fixture.intro(intro.id),
    ({ watched_at }) => watched_at !== null,
  );
  expect(row).toMatchObject({ status: 'sent', watched_percent: 100 });
});
