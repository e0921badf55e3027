import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { createCachedDocument } from './platform/cached-document.ts';

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

const RARE_LANGUAGES = [
  'c',
  'clojure',
  'dart',
  'fsharp',
  'http',
  'kotlin',
  'objc',
  'ocaml',
  'powershell',
  'r',
  'swift',
];

const CONFIGURATION = {
  url: 'openapi.json',
  documentDownloadType: 'direct',
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: Object.fromEntries(RARE_LANGUAGES.map((language) => [language, true])),
  // System fonts, and no features that contact other services: test requests, telemetry, assistants, editors.
  withDefaultFonts: false,
  telemetry: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

// Wraps the status codes of a response onto a second line instead of hiding them behind a horizontal scroll.
const STYLE = `
.response-card .scalar-card-header-title { overflow: visible; }
.response-card .tab-list { flex-wrap: wrap; overflow: visible; height: auto; }
/* Long paths and type names would widen the page on a phone; code scrolls in its own box. */
#reference { overflow-x: clip; }
.scalar-card { min-width: 0; max-width: 100%; }
@media (max-width: 600px) { .scalar-card, .response-card { max-width: calc(100vw - 48px); } }
`;

// Relative paths also work behind a proxy that adds a prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Foreword API reference</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<script src="docs/scalar.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. You can also read the OpenAPI document: <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;

const START = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)});\n`;

/** The library offers its script only as a route, so this registers it on a temporary Fastify instance. */
async function readLibrary(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const library = Fastify();
  try {
    await library.register(plugin, { routePrefix: '/docs', configuration: { url: CONFIGURATION.url } });
    const { statusCode, rawPayload } = await library.inject('/docs/js/scalar.js');
    if (statusCode !== 200) throw new Error(`the library for /docs responds ${statusCode} for its own script`);
    return rawPayload;
  } finally {
    await library.close();
  }
}

function protect(reply: FastifyReply): void {
  reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
  reply.header('referrer-policy', 'no-referrer');
}

/** The API reference, rendered in the browser from /openapi.json. The library is loaded with the first request. */
export function registerDocs(app: FastifyInstance): void {
  const sendLibrary = createCachedDocument({ type: JAVASCRIPT, quality: BROTLI_QUALITY, read: readLibrary });
  const config = { operation: 'docs' };
  app.get('/docs', { config }, async (_request, reply) => {
    protect(reply);
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache');
    return PAGE;
  });
  app.get('/docs/', { config }, async (_request, reply) => reply.redirect('../docs', 308));
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
