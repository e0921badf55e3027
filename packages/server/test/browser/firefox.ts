import fs from 'node:fs';
import { type Browser, firefox } from 'playwright-core';

const PROGRAM = '/usr/bin/firefox-esr';

/** Debian's own build, over WebDriver BiDi: another engine for what has to work in every browser. */
export async function openFirefox(): Promise<Browser> {
  if (!fs.existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Install it with: apt-get install firefox-esr`);
  // No sound device is needed to play, only the leave to make sound.
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: PROGRAM,
    firefoxUserPrefs: { 'media.autoplay.default': 0 },
  });
}
