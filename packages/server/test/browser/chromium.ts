import fs from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium without its windows and menus, which would take half of the processor time. */
const PROGRAM = '/usr/bin/chromium-headless-shell';
// Keeps Chromium from downloading components and updates.
const NO_BACKGROUND_REQUESTS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
/** Asking for it crashes the page in this program. */
const NO_SPEECH_RECOGNITION = '--disable-blink-features=OnDeviceWebSpeechAvailable';

// The default user agent of headless Chromium counts as a bot, whose views are ignored.
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

/** By arguments. */
const browsers = new Map<string, Promise<Browser>>();
const ends: (() => Promise<void>)[] = [];

async function launch(more: readonly string[]): Promise<Browser> {
  if (!fs.existsSync(PROGRAM)) {
    throw new Error(`${PROGRAM} is missing. Install it with: apt-get install chromium-headless-shell`);
  }
  // The sandbox cannot start as root, which most containers use. Only our own pages are opened.
  const args = [
    ...['--no-sandbox', '--disable-gpu', `--user-agent=${USER_AGENT}`, NO_SPEECH_RECOGNITION],
    ...NO_BACKGROUND_REQUESTS,
    ...more,
  ];
  const browser = await chromium.launch({ executablePath: PROGRAM, args });
  ends.push(browser.close.bind(browser));
  browser.close = async () => {
    for (const context of browser.contexts()) await context.close();
  };
  return browser;
}

/**
 * A browser that all test files of a process share, because a start takes as much CPU time as several tests. It ends with the
 * process, or with `endChromium`; its `close` closes its pages.
 */
export function openChromium(...more: string[]): Promise<Browser> {
  const key = more.join(' ');
  const browser = browsers.get(key) ?? launch(more);
  browsers.set(key, browser);
  return browser;
}

/** For scripts, which would not end otherwise. */
export async function endChromium(): Promise<void> {
  for (const end of ends) await end();
}
