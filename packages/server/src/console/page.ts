import type { ConsoleSession, PendingSignIn } from '@foreword/contract';
import type { WebBuild } from '@foreword/web/build';
import { embedJson, escapeHtml } from '../platform/html.ts';

const PREFIX = '/assets/';

/** The page's scripts, by the path below `/console`: `/intros/int_…` has those of `/intros/:id`. */
const findPage = (pages: Readonly<Record<string, readonly string[]>>, path: string): readonly string[] =>
  pages[path] ?? pages[path.replace(/[^/]+$/, ':id')] ?? [];

/** The page's content: the console, or the last step of signing in. */
export type ShellContent = { readonly session: ConsoleSession } | { readonly pending: PendingSignIn };

const BACKGROUND = { light: '#faf8f4', dark: '#151412' };

/** The empty frame, shown until the script has loaded. */
const FRAME = `<div class="frame" aria-hidden="true"><div class="bar"></div><div class="side"></div>
<div class="main"><div class="page"><span class="skeleton-line skeleton-title"></span><span class="skeleton-line"></span><span class="skeleton-line"></span></div></div></div>`;
const NO_SCRIPT = `<noscript><p class="page">The console needs JavaScript. Turn it on in your browser, then reload this page.</p></noscript>`;

/** The response to one of the first requests of the page. */
export interface FirstResponse {
  /** The address below `/console/api`. */
  readonly address: string;
  readonly response: unknown;
}

export interface FirstPage {
  /** Below `/console`. */
  readonly path: string;
  readonly responses: readonly FirstResponse[];
}

export const NO_PAGE: FirstPage = { path: '', responses: [] };

/** Renders the console's page, which is the same for every path. Some controls add their own styles, with the nonce. */
export function renderConsole(
  { script, style, preload, pages, font }: WebBuild['entries'][string],
  content: ShellContent,
  { path, responses }: FirstPage,
  nonce: string,
): string {
  const [id, data, placeholder] =
    'session' in content ? ['session', content.session, FRAME] : ['pending', content.pending, ''];
  const organization = 'session' in content ? content.session.organization.name : content.pending.organization;
  const addressOf = (file: string): string => escapeHtml(PREFIX + file);
  const links = [...preload, ...findPage(pages, path)].map(
    (file) => `<link rel="modulepreload" href="${addressOf(file)}">`,
  );
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
<link rel="icon" href="data:,">
<link rel="preload" as="font" type="font/woff2" href="${addressOf(font)}" crossorigin>
<link rel="stylesheet" id="style" href="${addressOf(style)}" nonce="${escapeHtml(nonce)}">
<script type="module" src="${addressOf(script)}"></script>
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
