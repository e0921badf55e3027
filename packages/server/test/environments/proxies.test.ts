import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { openPhone } from '../acceptance/support/recorder.ts';
import { openChromium } from '../browser/chromium.ts';
import { openConsole } from '../console/console-client.ts';
import { openStream } from '../console/live-stream.ts';
import { createApi, isLong, sleep } from '../harness/index.ts';
import { DEPLOY, prepareNginx, readDeployFile, WITHOUT_IPV6 } from './deploy-files.ts';
import { findProgram } from './programs.ts';
import { CDN, HOST, type ProxyUnderTest, Site } from './proxy-site.ts';

const [GUESSER, OTHER] = ['127.0.0.2', '127.0.0.4'] as const;
const MB = 1_000_000;

const valuesOf = (raw: string[], name: string) =>
  raw.filter((_, n) => n % 2 === 1 && raw[n - 1]?.toLowerCase() === name);

const CADDY: ProxyUnderTest = {
  // Caddy has no such limit; Foreword's heartbeat comes every 20 seconds.
  silenceLimitMs: 20_000,
  prepare({ folder, httpPort, httpsPort, upstream, tls }) {
    // Imports the shipped file unchanged. The global options are those of a machine without a public address.
    const main = `
{
	admin off
	http_port ${httpPort}
	https_port ${httpsPort}
	default_bind 127.0.0.1
	storage file_system ${folder}/caddy
	skip_install_trust
	local_certs
	pki {
		ca local {
			root {
				cert ${tls.root}
				key ${tls.rootKey}
			}
		}
	}
}
import ${DEPLOY}/caddy/Caddyfile
`;
    const file = path.join(folder, 'Caddyfile');
    fs.writeFileSync(file, main);
    return {
      command: findProgram('caddy', 'caddy'),
      args: ['run', '--config', file, '--adapter', 'caddyfile'],
      env: { HOME: folder, FOREWORD_HOST: HOST, FOREWORD_UPSTREAM: upstream, CDN_NETWORKS: `${CDN}/32` },
    };
  },
};

const NGINX: ProxyUnderTest = {
  silenceLimitMs: 60_000,
  prepare({ folder, httpPort, httpsPort, upstream, tls }) {
    const site = readDeployFile('nginx/foreword.conf', [
      [/\/etc\/letsencrypt\/live\/intros\.example\.com\/fullchain\.pem/g, tls.certificate],
      [/\/etc\/letsencrypt\/live\/intros\.example\.com\/privkey\.pem/g, tls.key],
      [/intros\.example\.com/g, HOST],
      [/127\.0\.0\.1:3000/g, upstream],
      ['listen 80;', `listen 127.0.0.1:${httpPort};`],
      ['listen 443 ', `listen 127.0.0.1:${httpsPort} `],
      WITHOUT_IPV6,
    ]);
    return prepareNginx(folder, site);
  },
};

// The guarantees of each proxy configuration that we ship, with the real service behind it.
describe.each([
  ['Caddy', CADDY],
  ['nginx', NGINX],
])('behind %s', (_name, proxy) => {
  let site: Site;
  let stream: Awaited<ReturnType<typeof openStream>>;
  let openedMs: number;

  const ana = () => ({ org: site.fixture.organization.id, email: 'ana@acme.example' });
  const openAnasConsole = () => openConsole({ url: site.url, environment: site.fixture.environment }, ana());

  /** The command has no PUBLIC_URL here. */
  const newSignInLink = async () => {
    const { url } = await site.fixture.run('signin', '--org', ana().org, '--email', ana().email);
    return site.url + new URL(url).pathname;
  };

  beforeAll(async () => {
    site = await Site.open(proxy);
    vi.stubGlobal('fetch', site.createFetch());
    stream = await openStream(await openAnasConsole());
    openedMs = performance.now();
  });
  afterAll(async () => {
    await stream?.close();
    await site?.close();
    vi.unstubAllGlobals();
  });

  test('live updates of the console arrive', async () => {
    await createIntro(site.fixture.api);
    await expect.poll(() => stream.count('intros')).toBeGreaterThan(0);
  });

  test('http redirects to https, and the redirects of the service stay with it', async () => {
    const plain = await site.getWithoutTls('/console/signin?next=%2Fconsole');
    expect([301, 308]).toContain(plain.status);
    expect(plain.headers.location).toMatch(/^https:\/\/intros\.acme\.test(:\d+)?\/console\/signin\?next=%2Fconsole$/);
    const { status, headers } = await site.get('/console');
    expect(status).toBe(303);
    expect(new URL(headers.location ?? '', site.url).href).toBe(`${site.url}/console/signin`);
  });

  test('cookies are Secure and bound to this host, and HSTS is sent exactly once', async () => {
    const url = await newSignInLink();
    const headers = { origin: site.url, 'sec-fetch-site': 'same-origin' };
    const signedIn = await fetch(url, { method: 'POST', headers, redirect: 'manual' });
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.get('set-cookie')).toMatch(
      /^__Host-foreword_session=[^;]+; Path=\/; .*HttpOnly.*; Secure$/,
    );
    const page = await site.get('/console/signin');
    expect(valuesOf(page.raw, 'strict-transport-security')).toEqual(['max-age=31536000']);
  });

  test('a page is compressed once', async () => {
    const page = await site.get('/console/signin', { 'accept-encoding': 'gzip' });
    expect(valuesOf(page.raw, 'content-encoding')).toEqual(['gzip']);
    expect(gunzipSync(page.body).toString()).toMatch(/^<!doctype html>/i);
  });

  test('the API is reachable, and paths for operators are not, however they are written', async () => {
    expect((await createApi(site.url, site.fixture.organization.key).get('/v1/intros')).status).toBe(200);
    const same = [
      '/metrics?x=1',
      '/%6detrics',
      '/%6Detrics',
      '//metrics',
      '/./metrics',
      '/v1/../metrics',
      '/v1/%2e%2e/metrics',
    ];
    for (const path of ['/healthz', '/readyz', '/metrics', ...same]) {
      const { status, body } = await site.get(path);
      expect(status, path).toBeGreaterThanOrEqual(300);
      expect(status, path).toBeLessThan(500);
      expect(body.toString(), path).not.toMatch(/foreword_|"status"/);
    }
  });

  /** Follows a wrong link; an invented X-Forwarded-For differs each time. */
  let invented = 0;
  const guess = async (from: string, forwarded?: string) => {
    invented += 1;
    const spoofed = `192.0.2.${invented % 250}`;
    const headers = { 'x-forwarded-for': forwarded === undefined ? spoofed : `${spoofed}, ${forwarded}` };
    return (await site.get(`/i/${String(invented).padStart(12, 'A')}`, headers, from)).status;
  };
  const guessTooOften = async (from: string, forwarded?: string) => {
    for (let n = 0; n < 40; n += 1) await guess(from, forwarded);
    return guess(from, forwarded);
  };

  test('a client that guesses links locks out only itself, whatever address it claims to have', async () => {
    expect(await guessTooOften(GUESSER)).toBe(429);
    expect(await guess(OTHER)).toBe(404);
  });

  test('clients behind a trusted CDN are told apart', async () => {
    expect(await guessTooOften(CDN, '198.51.100.7')).toBe(429);
    expect(await guess(CDN, '198.51.100.8')).toBe(404);
  });

  test('an upload in pieces arrives, and so does one of 60 MB in one piece', async () => {
    const phone = await openPhone(site.fixture, (await createIntro(site.fixture.api)).id);
    const at = await phone.begin();
    expect((await phone.patch(at, 0, new Uint8Array(400_000))).status).toBe(204);
    expect((await phone.patch(at, 400_000, new Uint8Array(300_000))).status).toBe(204);
    expect(await phone.offset(at)).toBe(700_000);
    const large = await phone.begin({ length: 60 * MB });
    expect((await phone.patch(large, 0, new Uint8Array(60 * MB))).status).toBe(204);
    await expect.poll(async () => (await phone.state()).recording?.status).toBe('checking');
  });

  test('an upload that breaks off continues where it stopped: the proxy does not hold it back', async () => {
    const phone = await openPhone(site.fixture, (await createIntro(site.fixture.api)).id);
    const at = await phone.begin({ length: 20 * MB });
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': String(20 * MB),
    };
    const sendAndBreakOff = async () => {
      const upload = site.request(at, { method: 'PATCH', headers });
      upload.on('error', () => undefined);
      await new Promise((resolve) => upload.write(new Uint8Array(5 * MB), resolve));
      await sleep(500);
      upload.destroy();
      return phone.offset(at);
    };
    // A busy machine may break off before the proxy has passed on anything.
    await expect.poll(sendAndBreakOff).toBeGreaterThan(0);
  });

  test('a browser signs in and opens the console over HTTP/2', async () => {
    const browser = await openChromium(`--host-resolver-rules=MAP ${HOST} 127.0.0.1`);
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('requestfailed', (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
      await page.goto(await newSignInLink());
      const live = page.waitForResponse((response) => response.url().endsWith('/console/api/live'));
      await page.getByRole('button').first().click();
      await page.getByRole('navigation').first().waitFor();
      expect((await live).status()).toBe(200);
      const entry = "performance.getEntriesByType('navigation')[0].nextHopProtocol";
      expect(await page.evaluate(entry)).toBe('h2');
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test.runIf(isLong)('live updates still arrive after the proxy would have closed a silent connection', async () => {
    await sleep(Math.max(0, openedMs + proxy.silenceLimitMs + 2_000 - performance.now()));
    expect(stream.isOpen()).toBe(true);
    const before = stream.count('intros');
    await createIntro(site.fixture.api);
    await expect.poll(() => stream.count('intros')).toBeGreaterThan(before);
  });
});
