/** The icon of the console as SVG, for a browser tab and the header. */
export const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="28" height="28" aria-hidden="true"><rect width="100" height="100" rx="22" fill="#2c6652"/><path fill="#faf8f4" d="M35 27h30a10 10 0 0 1 10 10v17a10 10 0 0 1-10 10H50L36 76V64h-1a10 10 0 0 1-10-10V37a10 10 0 0 1 10-10z"/><path fill="#2c6652" d="M44.5 36.5v18l15.5-9z"/></svg>';

/** The colors of packages/web/kit/tokens.css, under the names of the library. */
const colors = (
  [paper, surface, raised, ink, soft, faint, line, accent, onAccent]: readonly string[],
  scheme: 'light' | 'dark',
): string => `
.${scheme}-mode {
  color-scheme: ${scheme};
  --scalar-background-1: ${paper}; --scalar-background-2: ${surface}; --scalar-background-3: ${raised};
  --scalar-color-1: ${ink}; --scalar-color-2: ${soft}; --scalar-color-3: ${faint};
  --scalar-border-color: ${line}; --scalar-color-accent: ${accent}; --scalar-link-color: ${accent};
  --scalar-link-color-hover: ${accent}; --scalar-background-accent: color-mix(in srgb, ${accent} 12%, transparent);
  --scalar-button-1: ${accent}; --scalar-button-1-color: ${onAccent}; --scalar-button-1-hover: ${accent};
  --scalar-sidebar-background-1: ${paper}; --scalar-sidebar-border-color: ${line};
  --scalar-sidebar-color-1: ${ink}; --scalar-sidebar-color-2: ${soft}; --scalar-sidebar-color-active: ${accent};
  --scalar-sidebar-item-hover-background: ${raised};
  --scalar-sidebar-item-active-background: color-mix(in srgb, ${accent} 12%, transparent);
}`;

const LIGHT = ['#faf8f4', '#ffffff', '#efebe3', '#1d1b18', '#4c4841', '#625d55', '#e5e0d6', '#2c6652', '#ffffff'];
const DARK = ['#151412', '#1f1d1a', '#2a2723', '#f4f1ea', '#cfc9bd', '#aea89d', '#37332d', '#8ccbb2', '#10231b'];

export const REFERENCE_STYLE = `
:root {
  --scalar-custom-header-height: 52px;
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
body { margin: 0; background: #faf8f4; }
@media (prefers-color-scheme: dark) { body { background: #151412; } }
${colors(LIGHT, 'light')}
${colors(DARK, 'dark')}
#site { position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 52px; padding: 0 20px; display: flex; gap: 20px;
  align-items: center; font: 400 15px/1 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; background: #faf8f4; color: #1d1b18;
  border-bottom: 1px solid #e5e0d6; }
#site a { display: flex; align-items: center; gap: 10px; min-height: 44px; color: inherit; text-decoration: none; }
#site a:hover { text-decoration: underline; }
#site a:focus-visible { outline: 3px solid #2c6652; outline-offset: -3px; }
#site a:first-child { font: 500 20px/1 ui-serif, "New York", Georgia, "Times New Roman", serif; margin-right: auto; }
.dark-mode #site { background: #151412; color: #f4f1ea; border-color: #37332d; }
/* Wraps the status codes of a response onto a second line instead of hiding them behind a horizontal scroll. */
.response-card .scalar-card-header-title { overflow: visible; }
.response-card .tab-list { flex-wrap: wrap; overflow: visible; height: auto; }
/* Long paths and type names would widen the page on a phone; code scrolls in its own box. */
#reference { overflow-x: clip; }
.scalar-card { min-width: 0; max-width: 100%; }
@media (max-width: 600px) { .scalar-card, .response-card { max-width: calc(100vw - 48px); } }
`;
