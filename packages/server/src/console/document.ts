import type { ConsoleSession, PendingSignIn } from '@foreword/contract';
import { embedJson, escapeHtml } from '../platform/html.ts';

/** The page's content: the console, or the last step of signing in. */
export type ShellContent = { readonly session: ConsoleSession } | { readonly pending: PendingSignIn };

/** The response to one of the first requests of the page. */
export interface FirstResponse {
  /** The address below `/console/api`. */
  readonly address: string;
  readonly response: unknown;
}

export interface ConsoleShellParts {
  content: ShellContent;
  responses?: readonly FirstResponse[];
  /** Paths of the built script, its style sheet, the other scripts that load with it, and the typeface. */
  script: string;
  style: string;
  preload: readonly string[];
  font: string;
  /** The nonce of the Content-Security-Policy: some controls add their own styles. */
  nonce: string;
}

const BACKGROUND = { light: '#faf8f4', dark: '#151412' };

/** The empty frame, shown until the script has loaded. */
const FRAME = `<div class="frame" aria-hidden="true"><div class="bar"></div><div class="side"></div>
<div class="main"><div class="page"><span class="skeleton-line skeleton-title"></span><span class="skeleton-line"></span><span class="skeleton-line"></span></div></div></div>`;
const NO_SCRIPT = `<noscript><p class="page">The console needs JavaScript. Turn it on in your browser, then reload this page.</p></noscript>`;

/** Every path of the console serves this page. */
export function renderConsole(parts: ConsoleShellParts): string {
  const { content, responses = [], script, style, preload, font, nonce } = parts;
  const [id, data, placeholder] =
    'session' in content ? ['session', content.session, FRAME] : ['pending', content.pending, ''];
  const organization = 'session' in content ? content.session.organization.name : content.pending.organization;
  const links = preload.map((address) => `<link rel="modulepreload" href="${escapeHtml(address)}">`);
  const embedded = responses.map(
    ({ address, response }) =>
      `<script type="application/json" data-request="${escapeHtml(address)}">${embedJson(response)}</script>\n`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(organization)} · Foreword</title>
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${BACKGROUND.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${BACKGROUND.dark}" media="(prefers-color-scheme: dark)">
<link rel="manifest" href="/console/manifest.webmanifest" crossorigin="use-credentials">
<link rel="icon" href="data:,">
<link rel="preload" as="font" type="font/woff2" href="${escapeHtml(font)}" crossorigin>
<link rel="stylesheet" id="style" href="${escapeHtml(style)}" nonce="${escapeHtml(nonce)}">
<script type="module" src="${escapeHtml(script)}"></script>
${links.join('\n')}
</head>
<body>
<div id="app">${placeholder}
${NO_SCRIPT}</div>
<script type="application/json" id="${id}">${embedJson(data)}</script>
${embedded.join('')}</body>
</html>
`;
}
