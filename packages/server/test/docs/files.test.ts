import http from 'node:http';
import { expect, test } from 'vitest';
import { forFile, openService } from '../harness/index.ts';

const fixture = await forFile(openService({ DOCS_SITE: 'on' }));
const url = fixture.service.url;

const read = async (address: string) => (await fetch(url + address)).text();
const listLinks = (text: string): string[] =>
  [...text.matchAll(/\]\((https?:\/\/[^)\s]+)\)/g)].map(([, address = '']) => address);

/** Without fetch, which always asks for compression and decompresses the response. */
const head = (address: string, headers: Record<string, string> = {}): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    http
      .request(url + address, { headers }, (response) => resolve(response.resume()))
      .on('error', reject)
      .end();
  });

test('/llms.txt lists every page, each link in it answers, and /llms-full.txt contains all of them', async () => {
  const home = await read('/docs');
  const pages = [...home.matchAll(/href="(\/docs\/[^"#]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !/^\/docs\/(_astro|reference|icon)|\.md$/.test(address));
  expect(pages.length).toBeGreaterThan(10);
  // Few installations need these: other pages link to them.
  const [sidebar = ''] = /<nav class="sidebar[\s\S]*?<\/nav>/.exec(home) ?? [];
  expect(sidebar).toContain('/docs/self-hosting/install"');
  expect(sidebar).not.toMatch(/\/(cells|cluster|map|decisions)\b/);
  const index = await read('/llms.txt');
  const links = listLinks(index);
  expect(pages.filter((address) => !links.includes(`${url}${address}.md`))).toEqual([]);
  const full = await read('/llms-full.txt');
  for (const link of links) {
    const response = await fetch(link);
    expect({ link, status: response.status }).toEqual({ link, status: 200 });
    const text = await response.text();
    if (link.endsWith('.md')) expect(full).toContain(text);
  }
  expect(full).not.toContain('foreword.invalid');
});

test('every page is Markdown at its address plus .md, and its links lead to this service', async () => {
  const response = await fetch(`${url}/docs/guides/quickstart.md`);
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^# Quickstart\n/);
  expect(text).not.toContain('<');
  const own = listLinks(text).filter((link) => link.startsWith(url));
  expect(own.length).toBeGreaterThan(0);
  for (const link of own) expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
  expect(await read('/docs.md')).toBe(await read('/docs/index.md'));
  const page = await read('/docs/guides/quickstart');
  expect(page).toContain('href="/docs/guides/quickstart.md"');
});

test('pages are revalidated, files with a hash are kept for a year, and both are compressed', async () => {
  const page = await head('/docs', { 'accept-encoding': 'br' });
  expect(page.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-encoding': 'br',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  });
  const again = await head('/docs', { 'accept-encoding': 'br', 'if-none-match': page.headers.etag ?? '' });
  expect(again.statusCode).toBe(304);
  const html = await read('/docs');
  const styles = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, style = '']) => style);
  const isKept = { 'cache-control': 'public, max-age=31536000, immutable' };
  expect((await head(styles[0] ?? '', { 'accept-encoding': 'gzip' })).headers).toMatchObject({
    ...isKept,
    'content-encoding': 'gzip',
    'content-type': 'text/css; charset=utf-8',
  });
  // The style sheets use the typeface from the address that is preloaded.
  const [, font = ''] = /<link rel="preload" as="font" type="font\/woff2" href="([^"]+)" crossorigin>/.exec(html) ?? [];
  expect((await Promise.all(styles.map(read))).join('')).toContain(font);
  expect((await head(font)).headers).toMatchObject({ ...isKept, 'content-type': 'font/woff2' });
});

test('the policy allows only scripts of the build and no frames', async () => {
  const policy = (await head('/docs')).headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval'( 'sha256-[^']+')+;/);
  expect(policy).not.toMatch(/(script-src|style-src) [^;]*'unsafe-(inline|eval)'/);
  expect(policy).toContain("frame-ancestors 'none'");
});

test('a trailing slash redirects, and the API reference stays where it is', async () => {
  for (const [address, target] of [
    ['/docs/', '/docs'],
    ['/docs/guides/quickstart/', '/docs/guides/quickstart'],
  ] as const) {
    const response = await fetch(url + address);
    expect([response.status, response.redirected, response.url]).toEqual([200, true, url + target]);
  }
  expect(await read('/docs/reference')).toContain('<title>Foreword API reference</title>');
});

test('behind a proxy with a path, every link, script and style has that path', async () => {
  const node = await fixture.newNode({ DOCS_SITE: 'on', PUBLIC_URL: 'https://example.com/foreword' });
  const page = await (await fetch(`${node.url}/docs/guides/quickstart`)).text();
  const addresses = [...page.matchAll(/\s(?:href|src)="(\/[^"]*)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(20);
  expect(addresses.filter((address) => !address.startsWith('/foreword/'))).toEqual([]);
  const scripts = [...page.matchAll(/src="\/foreword(\/docs\/_astro\/[^"]*\.js)"/g)].map(([, address = '']) => address);
  const texts = await Promise.all(scripts.map(async (address) => (await fetch(node.url + address)).text()));
  // The search loads its index from there.
  expect(texts.join()).toMatch(/[`'"]\/foreword\/docs[`'"/]/);
  expect(await (await fetch(`${node.url}/llms.txt`)).text()).toContain('https://example.com/foreword/docs/guides/');
});

test('DOCS_SITE=off leads to the API reference, and the service explains errors itself', async () => {
  const node = await fixture.newNode({ DOCS_SITE: 'off' });
  for (const address of ['/docs', '/docs/']) {
    const response = await fetch(node.url + address, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(new URL(response.headers.get('location') ?? '', node.url + address).pathname).toBe('/docs/reference');
  }
  expect(await (await fetch(`${node.url}/docs/errors`)).text()).toContain('id="validation_failed"');
  expect((await fetch(`${node.url}/llms.txt`)).status).toBe(404);
});
