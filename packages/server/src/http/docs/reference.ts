import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { WebBuild } from '@foreword/web/build';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createCachedDocument } from '../../platform/encoding.ts';
import { MARK, REFERENCE_STYLE } from './reference-style.ts';

// 1.07 MB in 0.15 s. The highest level takes 8.5 s for 0.94 MB, while the first reader waits.
const BROTLI_QUALITY = 6;
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Blocks requests to other hosts, other scripts and eval. The library adds inline styles, so these are allowed. */
const CONTENT_SECURITY_POLICY = [
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
  url: '../openapi.json',
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
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Foreword API reference</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">
<style>${REFERENCE_STYLE}</style>
<script src="scalar.js" defer></script>
<script src="start.js" defer></script>
</head>
<body>
<header id="site"><a href="../docs">${MARK}Foreword</a><a href="../docs">Docs</a><a href="../openapi.json">OpenAPI</a></header>
<div id="reference"></div>
<noscript>This page needs JavaScript. You can also read the OpenAPI document: <a href="../openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;

// The servers of the document have the public address; test requests go to the address that the page was opened with.
const START = `const servers = [{ url: location.href.replace(/\\/docs\\/reference.*$/, '') }];
Scalar.createApiReference('#reference', { ...${JSON.stringify(CONFIGURATION)}, servers });
`;

function protect(reply: FastifyReply): void {
  reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
  reply.header('referrer-policy', 'no-referrer');
}

/** The API reference, rendered in the browser from /openapi.json. The library is loaded with the first request. */
export function registerDocs(app: FastifyInstance, { folder }: WebBuild): void {
  const read = () => readFile(path.join(folder, 'reference/scalar.js'));
  const sendLibrary = createCachedDocument({ type: JAVASCRIPT, quality: BROTLI_QUALITY, read });
  const config = { operation: 'docs' };
  app.get('/docs/reference', { config }, async (_request, reply) => {
    protect(reply);
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache');
    return PAGE;
  });
  app.get('/docs/reference/', { config }, async (_request, reply) => reply.redirect('../reference', 308));
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
