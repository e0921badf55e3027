import type { RecorderState } from './state.ts';

export type { Closed, RecorderState } from './state.ts';

export interface ShellParts {
  /** The address below which the recorder finds its server, such as `/r/<token>`. */
  api: string;
  /** Addresses of the built script and style sheet. */
  script: string;
  style: string;
  /** CSS that sets the brand's colours, light and dark. Ours, never a caller's text. */
  colors: string;
  /** The same nonce stands in the page's Content-Security-Policy, for the one inline style. */
  nonce: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** JSON that cannot end its own script element, whatever a name or a script holds. */
const embedJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

function renderBrand({ name, logo_url }: RecorderState['organization']): string {
  const label = escapeHtml(name);
  return logo_url === null ? label : `<img src="${escapeHtml(logo_url)}" alt="${label}" height="28">`;
}

/** What stands on the screen before the script has come: the same words in the same places as the ready room. */
function renderFirstView({ intro, organization }: RecorderState): string {
  const { first_name, last_name } = intro.recipient;
  const name = escapeHtml(last_name === null ? first_name : `${first_name} ${last_name}`);
  const why = intro.touchpoint ?? intro.title;
  const script = intro.script === null ? '' : `<section class="script"><p>${escapeHtml(intro.script)}</p></section>`;
  return `<div class="room"><header class="brand">${renderBrand(organization)}</header>
<div class="lead">${why === null ? '' : `<p class="why">${escapeHtml(why)}</p>`}<h1>For ${name}</h1></div>
${script}<noscript><p class="note">To record a video, this page needs JavaScript. Switch it on in your browser, or open the link in another one.</p></noscript></div>`;
}

/** The page at `/r/<token>`. */
export function renderShell(state: RecorderState, parts: ShellParts): string {
  const { api, script, style, colors, nonce } = parts;
  return `<!doctype html>
<html lang="en" data-api="${escapeHtml(api)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Record for ${escapeHtml(state.intro.recipient.first_name)} · ${escapeHtml(state.organization.name)}</title>
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(style)}">
<style nonce="${escapeHtml(nonce)}">${colors}</style>
<script type="module" src="${escapeHtml(script)}"></script>
</head>
<body>
<main id="app" aria-label="Record a video">${renderFirstView(state)}</main>
<script type="application/json" id="state">${embedJson(state)}</script>
</body>
</html>
`;
}
