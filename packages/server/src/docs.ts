import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip' | 'identity';

interface Asset {
  readonly bytes: Buffer;
  readonly etag: string;
}

// 1.07 MB in 0.15 s; the highest level takes 8.5 s for 0.94 MB, and the first reader waits for it.
const BROTLI_QUALITY = 6;
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * Nothing may be fetched from, or sent to, another host, whatever the library would like to do. It writes its own styles
 * into the page, so that inline styles have to be allowed; scripts are ours alone, and none is evaluated from a string.
 */
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

const READING = {
  url: 'openapi.json',
  documentDownloadType: 'direct',
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: Object.fromEntries(RARE_LANGUAGES.map((language) => [language, true])),
  // System fonts, and nothing that speaks to anyone: no requests from the page, usage reports, assistants or editors.
  withDefaultFonts: false,
  telemetry: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

// The status codes of an answer would hide behind a sideways scroll; they take a second line instead.
const STYLE = `
.response-card .scalar-card-header-title { overflow: visible; }
.response-card .tab-list { flex-wrap: wrap; overflow: visible; height: auto; }
/* Long paths and type names would widen the page on a phone; code scrolls within its own frame. */
#reference { overflow-x: clip; }
.scalar-card { min-width: 0; max-width: 100%; }
@media (max-width: 600px) { .scalar-card, .response-card { max-width: calc(100vw - 48px); } }
`;

// Paths are relative, so that the page also works behind a proxy that adds a prefix.
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
<noscript>This page needs JavaScript. The same description as a document: <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;

const START = `Scalar.createApiReference('#reference', ${JSON.stringify(READING)});\n`;

/** The library hands its script out through a route only: it is asked on an instance of its own, and only once needed. */
async function readLibrary(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const shelf = Fastify();
  try {
    await shelf.register(plugin, { routePrefix: '/docs', configuration: { url: READING.url } });
    const { statusCode, rawPayload } = await shelf.inject('/docs/js/scalar.js');
    if (statusCode !== 200) throw new Error(`the library for /docs answers ${statusCode} for its own script`);
    return rawPayload;
  } finally {
    await shelf.close();
  }
}

const compressions: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
  identity: async (bytes) => bytes,
};

async function makeAsset(encoding: Encoding): Promise<Asset> {
  const bytes = await compressions[encoding](await readLibrary());
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function chooseEncoding(accepted: string | undefined): Encoding {
  const offers = (accepted ?? '').toLowerCase().split(',');
  const takes = (name: string) =>
    offers.some((offer) => new RegExp(`^\\s*${name}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`).test(offer));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}

function protect(reply: FastifyReply): void {
  reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('referrer-policy', 'no-referrer');
}

/** The reference for people, made in the browser from /openapi.json. It takes memory only once somebody reads it. */
export function registerDocs(app: FastifyInstance): void {
  const assets = new Map<Encoding, Promise<Asset>>();

  function assetFor(encoding: Encoding): Promise<Asset> {
    const known = assets.get(encoding);
    if (known !== undefined) return known;
    const made = makeAsset(encoding);
    assets.set(encoding, made);
    // A failure is not kept: the next reader gets another try.
    made.catch(() => assets.delete(encoding));
    return made;
  }

  async function sendLibrary(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const { bytes, etag } = await assetFor(encoding);
    protect(reply);
    reply.type(JAVASCRIPT).header('etag', etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.send(bytes);
  }

  const config = { operation: 'docs' };
  app.get('/docs', { config }, async (_request, reply) => {
    protect(reply);
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache');
    return PAGE;
  });
  app.get('/docs/', { config }, async (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs/scalar.js', { config }, sendLibrary);
  app.get('/docs/start.js', { config }, async (_request, reply) => {
    protect(reply);
    reply.type(JAVASCRIPT).header('cache-control', 'no-cache');
    return START;
  });
}
