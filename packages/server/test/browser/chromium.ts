import fs from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
// Keeps Chromium from downloading components and updates.
const NO_BACKGROUND_REQUESTS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

// The default user agent of headless Chromium counts as a bot, whose views are ignored.
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

export async function openChromium(...more: string[]): Promise<Browser> {
  if (!fs.existsSync(PROGRAM)) {
    throw new Error(`${PROGRAM} is missing. Install it with: apt-get install chromium`);
  }
  // The sandbox cannot start as root, which most containers use. Only our own pages are opened.
  const args = ['--no-sandbox', '--disable-gpu', `--user-agent=${USER_AGENT}`, ...NO_BACKGROUND_REQUESTS, ...more];
  return chromium.launch({ executablePath: PROGRAM, args });
}
