import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { WebBuild } from '@foreword/web/build';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createCachedDocument } from '../../platform/encoding.ts';
import { readOpenApi } from './openapi.ts';
import { renderReference } from './reference-page.ts';

/** The icon of the console as SVG, for a browser tab and the header. */
const MARK =
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

const TRY_STYLE = `
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

// 1.07 MB in 0.15 s. The highest level takes 8.5 s for 0.94 MB, while the first reader waits.
const BROTLI_QUALITY = 6;
const PAGE_BROTLI_QUALITY = 9;
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

/** Blocks requests to other hosts, other scripts and eval. The library adds inline styles, so these are allowed. */
const TRY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONFIGURATION = {
  url: '../../openapi.json',
  documentDownloadType: 'direct',
  defaultOpenAllTags: true,
  // Only the samples of the document, which are tested; the library would generate others.
  hiddenClients: true,
  // As the contract lists them: the most important ones first.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  // Test requests go to this service; without a value, they would go through a proxy of the library's vendor.
  proxyUrl: '',
  // The reader's key stays in the page's memory.
  persistAuth: false,
  // Our colors and system fonts, and no features that contact other services: telemetry, assistants, editors.
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

// Relative paths also work behind a proxy that adds a prefix.
const TRY_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Try the Foreword API</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">
<style>${TRY_STYLE}</style>
<script src="../scalar.js" defer></script>
<script src="../start.js" defer></script>
</head>
<body>
<header id="site"><a href="../../docs">${MARK}Foreword</a><a href="../reference">API reference</a></header>
<div id="reference"></div>
<noscript>Trying operations needs JavaScript. The <a href="../reference">API reference</a> does not.</noscript>
</body>
</html>
`;

// The servers of the document have the public address; test requests go to the address that the page was opened with.
const START = `const servers = [{ url: location.href.replace(/\\/docs\\/reference.*$/, '') }];
Scalar.createApiReference('#reference', { ...${JSON.stringify(CONFIGURATION)}, servers });
`;

function protect(reply: FastifyReply, policy = TRY_POLICY): void {
  reply.header('content-security-policy', policy);
  reply.header('referrer-policy', 'no-referrer');
}

/**
 * `/docs/reference`, rendered here, and `/docs/reference/try`, where the reader sends requests with a library of 1 MB. It is
 * loaded with the first request for it.
 */
export function registerDocs(app: FastifyInstance, { folder }: WebBuild, publicUrl: string): void {
  const config = { operation: 'docs' };
  let reference: ReturnType<typeof renderReference> | undefined;
  const render = () => {
    reference ??= renderReference(readOpenApi(publicUrl));
    return reference;
  };
  const sendReference = createCachedDocument({
    type: HTML,
    quality: PAGE_BROTLI_QUALITY,
    read: () => Buffer.from(render().html),
  });
  app.get('/docs/reference', { config }, (request, reply) => {
    protect(reply, render().policy);
    return sendReference(request, reply);
  });
  app.get('/docs/reference/', { config }, async (_request, reply) => reply.redirect('../reference', 308));
  app.get('/docs/reference/try', { config }, async (_request, reply) => {
    protect(reply);
    reply.type(HTML).header('cache-control', 'no-cache');
    return TRY_PAGE;
  });
  const read = () => readFile(path.join(folder, 'reference/scalar.js'));
  const sendLibrary = createCachedDocument({ type: JAVASCRIPT, quality: BROTLI_QUALITY, read });
  app.get('/docs/scalar.js', { config }, (request, reply) => {
    protect(reply);
    return sendLibrary(request, reply);
  });
  app.get('/docs/start.js', { config }, async (_request, reply) => {
    protect(reply);
    reply.type(JAVASCRIPT).header('cache-control', 'no-cache');
    return START;
  });
}
