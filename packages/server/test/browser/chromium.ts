import fs from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
// Without them Chromium itself asks its maker's hosts for components and updates.
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

export async function openChromium(...more: string[]): Promise<Browser> {
  if (!fs.existsSync(PROGRAM)) {
    throw new Error(`${PROGRAM} is missing. Install it with: apt-get install chromium`);
  }
  // The sandbox cannot start for root, as in most containers; only our own pages are opened here.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu', ...QUIET, ...more] });
}
