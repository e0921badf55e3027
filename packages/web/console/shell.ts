import type { ConsoleSession } from '@foreword/contract';

export interface ConsoleShellParts {
  session: ConsoleSession;
  /** Addresses of the built script, its style sheet, and of what the script imports first. */
  script: string;
  style: string;
  preload: readonly string[];
  /** The one in the page's Content-Security-Policy: some of the controls bring a style of their own. */
  nonce: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** JSON that cannot end its own script element, whatever a name holds. */
const embedJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const PAPER = { light: '#faf8f4', dark: '#151412' };

/** What stands on the screen before the script has come: the frame, with nothing in it yet. */
const FIRST_VIEW = `<div class="frame" aria-hidden="true"><div class="bar"></div><div class="side"></div>
<div class="main"><div class="page"><span class="bone bone-title"></span><span class="bone"></span><span class="bone"></span></div></div></div>
<noscript><p class="page">The console needs JavaScript. Switch it on in your browser, then load this page again.</p></noscript>`;

/** The one page of the console, whatever its path. */
export function renderConsole({ session, script, style, preload, nonce }: ConsoleShellParts): string {
  const links = preload.map((address) => `<link rel="modulepreload" href="${escapeHtml(address)}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(session.organization.name)} · Foreword</title>
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${PAPER.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${PAPER.dark}" media="(prefers-color-scheme: dark)">
<link rel="manifest" href="/console/manifest.webmanifest" crossorigin="use-credentials">
<link rel="icon" href="data:,">
<link rel="stylesheet" id="style" href="${escapeHtml(style)}" nonce="${escapeHtml(nonce)}">
<script type="module" src="${escapeHtml(script)}"></script>
${links.join('\n')}
</head>
<body>
<div id="app">${FIRST_VIEW}</div>
<script type="application/json" id="session">${embedJson(session)}</script>
</body>
</html>
`;
}
