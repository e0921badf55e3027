import fs from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const { resolve } = createRequire(import.meta.resolve('@axe-core/playwright'));
const AXE = fs.readFileSync(resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for animations: an element that is still fading in has too little contrast. A spinner never ends. */
const SETTLED = `Promise.race([
  Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  new Promise((resolve) => setTimeout(resolve, 500)),
]).then(() => undefined)`;

/** The problems that axe finds, of all rules or of one, on the whole page or in the part that a selector names. */
export async function findViolations(page: Page, only: { rule?: string; part?: string } = {}): Promise<string[]> {
  // Once for each page: the builder would load it three times for each check, which takes longer than the check.
  for (const frame of page.frames()) {
    await frame.evaluate(SETTLED);
    if ((await frame.evaluate('typeof axe')) === 'undefined') await frame.evaluate(AXE);
  }
  const axe = new AxeBuilder({ page, axeSource: '0' })
    // Its newer mode opens a second page each time, to include frames of other origins. Those have tests of their own.
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'], selectors: false })
    .include(only.part ?? 'html');
  const { violations } = await (only.rule === undefined ? axe : axe.withRules(only.rule)).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
