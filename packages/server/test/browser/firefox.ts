import fs from 'node:fs';
import { type Browser, firefox } from 'playwright-core';

const PROGRAM = '/usr/bin/firefox-esr';

/** Debian's Firefox over WebDriver BiDi: a second browser engine. */
export async function openFirefox(): Promise<Browser> {
  if (!fs.existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Install it with: apt-get install firefox-esr`);
  // Playing needs permission for sound, but no sound device.
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: PROGRAM,
    firefoxUserPrefs: { 'media.autoplay.default': 0 },
  });
}
