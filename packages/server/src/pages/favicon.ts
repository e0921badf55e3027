import { brandColors } from '../organizations/index.ts';
import { html } from '../platform/html.ts';
import { initials } from './format.ts';
import type { Brand } from './view.ts';

/** The brand's initial in its color, for the browser tab. */
export function renderFavicon({ name, accent }: Brand): string {
  const { light } = brandColors(accent);
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${light.accent}"/><text x="16" y="22.5" font-family="Georgia,serif" font-size="19" text-anchor="middle" fill="${light.onAccent}">${initials(name, '')}</text></svg>`
    .text;
}
