import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** The problems that axe finds, of all rules or of one, on the whole page or in the part that a selector names. */
export async function findViolations(page: Page, only: { rule?: string; part?: string } = {}): Promise<string[]> {
  // Its newer mode opens a second page each time, to include frames of other origins. Those have tests of their own.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).include(only.part ?? 'html');
  const { violations } = await (only.rule === undefined ? axe : axe.withRules(only.rule)).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
