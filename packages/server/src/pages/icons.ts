import { brandColors } from '../organizations/index.ts';
import { html, trusted } from '../platform/html.ts';
import { initials } from './format.ts';
import type { Brand } from './view.ts';

const draw = (shapes: string, name = '') =>
  trusted(`<svg viewBox="0 0 24 24" aria-hidden="true"${name === '' ? '' : ` class="${name}"`}>${shapes}</svg>`);

export const ICONS = {
  play: draw('<path d="M7 4.5v15l12-7.5z"/>'),
  calendar: draw('<rect x="3.5" y="5" width="17" height="15.5" rx="2.5"/><path d="M3.5 10h17M8 2.8V7M16 2.8V7"/>'),
  phone: draw(
    '<path d="M5 3.5h3.2l1.6 4.3-2.1 1.6a12 12 0 0 0 6.9 6.9l1.6-2.1 4.3 1.6V19a1.6 1.6 0 0 1-1.7 1.6A16.6 16.6 0 0 1 3.4 5.2 1.6 1.6 0 0 1 5 3.5z"/>',
  ),
  message: draw(
    '<path d="M4.5 4.5h15a1.5 1.5 0 0 1 1.5 1.5v9.5a1.5 1.5 0 0 1-1.5 1.5H11l-5 4v-4H4.5A1.5 1.5 0 0 1 3 15.5V6a1.5 1.5 0 0 1 1.5-1.5z"/>',
  ),
  shield: draw(
    '<path d="M12 2.8l7.5 2.7v6c0 4.5-3.2 7.9-7.5 9.7-4.3-1.8-7.5-5.2-7.5-9.7v-6z"/><path d="M8.7 11.8l2.4 2.4 4.3-4.5"/>',
  ),
  check: draw('<path d="M4.5 12.5l5 5 10-11"/>'),
  replay: draw('<path d="M4.5 12a7.5 7.5 0 1 0 2.6-5.7"/><path d="M4.2 3.6v4h4"/>'),
  chevron: draw('<path d="M5 9l7 7 7-7"/>', 'chevron'),
} as const;

/** The brand's initial in its color, for the browser tab. */
export function renderFavicon({ name, accent }: Brand): string {
  const { light } = brandColors(accent);
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x=".5" y=".5" width="31" height="31" rx="8" fill="${light.accent}" stroke="${light.edge}"/><text x="16" y="22.5" font-family="Georgia,serif" font-size="19" text-anchor="middle" fill="${light.onAccent}">${initials(name, '')}</text></svg>`
    .text;
}
