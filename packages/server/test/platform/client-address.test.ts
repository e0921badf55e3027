import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { shownSettings } from '../../src/app/shown-settings.ts';
import { createServer } from '../../src/http/server.ts';
import { networkOf } from '../../src/intros/links/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { ConfigError } from '../../src/platform/process.ts';

const log = createLogger('silent');
const metrics = createMetrics();

/** A server that responds with the client's address, as rate limits see it. */
function serve(settings: Record<string, string>) {
  const config = readConfig({ DATA_DIR: '/nowhere', ...settings });
  const app = createServer({ ...config, log, clock: systemClock, metrics });
  app.get('/', async (request) => networkOf(request.ip));
  return (peer: string, forwarded?: string) =>
    app.inject({
      url: '/',
      remoteAddress: peer,
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    });
}

const addressOf = async (proxies: string | undefined, peer: string, forwarded?: string) =>
  (await serve(proxies === undefined ? {} : { TRUSTED_PROXIES: proxies })(peer, forwarded)).body;

const CLIENT = '198.51.100.7';
const CDN = '203.0.113.0/24';

test('without TRUSTED_PROXIES, a proxy on a private network reports the client, and nobody else does', async () => {
  for (const peer of ['127.0.0.1', '::1', '::ffff:10.1.2.3', '10.1.2.3', '172.31.0.1', '192.168.9.9', '169.254.1.1']) {
    expect(await addressOf(undefined, peer, CLIENT), peer).toBe(CLIENT);
  }
  expect(await addressOf(undefined, 'fd00::5', CLIENT)).toBe(CLIENT);
  expect(await addressOf(undefined, '203.0.113.9', CLIENT)).toBe('203.0.113.9');
  expect(await addressOf(undefined, '172.32.0.1', CLIENT)).toBe('172.32.0.1');
  expect(await addressOf(undefined, '100.64.0.1', CLIENT)).toBe('100.64.0.1');
});

test('with the networks of a CDN, its clients are told apart, even behind a second proxy', async () => {
  expect(await addressOf(undefined, '127.0.0.1', `${CLIENT}, 203.0.113.9`)).toBe('203.0.113.9');
  const behind = (forwarded: string) => addressOf(`private, ${CDN}`, '127.0.0.1', forwarded);
  expect(await behind(`${CLIENT}, 203.0.113.9`)).toBe(CLIENT);
  expect(await behind(`${CLIENT}, 203.0.113.9, 10.0.0.8`)).toBe(CLIENT);
  expect(await behind('198.51.100.8, 203.0.113.9')).toBe('198.51.100.8');
});

test('a client cannot choose its address: entries to the left of its own are ignored', async () => {
  const behind = (forwarded: string) => addressOf(`private,${CDN}`, '127.0.0.1', forwarded);
  expect(await behind(`192.0.2.1, ${CLIENT}, 203.0.113.9`)).toBe(CLIENT);
  expect(await behind(`10.0.0.1, 203.0.113.50, ${CLIENT}, 203.0.113.9`)).toBe(CLIENT);
  expect(await behind(`x, ${CLIENT}`)).toBe(CLIENT);
});

test('off trusts nobody, and a list without private does not trust this machine', async () => {
  expect(await addressOf('off', '127.0.0.1', CLIENT)).toBe('127.0.0.1');
  expect(await addressOf(CDN, '127.0.0.1', CLIENT)).toBe('127.0.0.1');
  expect(await addressOf(CDN, '203.0.113.9', CLIENT)).toBe(CLIENT);
});

test('entries may be separated by commas, spaces and newlines, as CDNs publish them', async () => {
  for (const list of [`private,${CDN}`, `private, ${CDN},`, `private 192.0.2.0/24\n${CDN}\n`]) {
    expect(await addressOf(list, '203.0.113.9', CLIENT), list).toBe(CLIENT);
  }
});

test('single addresses, IPv6 networks and IPv4 addresses in IPv6 notation are understood', async () => {
  expect(await addressOf('203.0.113.9', '203.0.113.9', CLIENT)).toBe(CLIENT);
  expect(await addressOf('203.0.113.9', '203.0.113.10', CLIENT)).toBe('203.0.113.10');
  expect(await addressOf('203.0.113.9', '::ffff:203.0.113.9', CLIENT)).toBe(CLIENT);
  expect(await addressOf('::ffff:203.0.113.0/120', '203.0.113.9', CLIENT)).toBe(CLIENT);
  expect(await addressOf('2001:db8:1::/48', '2001:db8:1:2::3', CLIENT)).toBe(CLIENT);
  expect(await addressOf('2001:db8:1::/48', '2001:db8:2::3', CLIENT)).toBe('20010db800020000');
});

test('ports are not part of an address, and whatever is not an address shares one limit', async () => {
  expect(await addressOf('private', '127.0.0.1', `${CLIENT}:50123`)).toBe(CLIENT);
  expect(await addressOf('private', '127.0.0.1', '[2001:db8:1:2::3]:50123')).toBe('20010db800010002');
  expect(await addressOf('private', '127.0.0.1', `${CLIENT}, 10.0.0.8:443`)).toBe(CLIENT);
  for (const nonsense of ['unknown', '_hidden', '1', '0x7f000001', '999.1.1.1', 'x'.repeat(4000)]) {
    expect(await addressOf('private', '127.0.0.1', nonsense), nonsense).toBe('unknown');
  }
});

test('invalid entries are rejected with one line that names the variable and the entry', () => {
  const invalid = ['cloudflare', '10', '10.0.0.0/33', '10.0.0.0/', '0.0.0.0/0', '::/0', '::ffff:0:0/96', '10.0.0.1:80'];
  for (const entry of [...invalid, 'fe80::1%eth0', '[::1]', 'off', '10.0.0.0/8;::1']) {
    const read = () => readConfig({ TRUSTED_PROXIES: `127.0.0.1,${entry}` });
    expect(read, entry).toThrow(ConfigError);
    expect(read, entry).toThrow(/^TRUSTED_PROXIES must be [^\n]*$/);
  }
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, proxy.example' })).toThrow('not "proxy.example"');
  const shown = shownSettings(readConfig({ TRUSTED_PROXIES: 'private\n10.0.0.0/8' }));
  expect(shown.TRUSTED_PROXIES).toBe('private, 10.0.0.0/8');
});

test('browsers are told to stay with https when PUBLIC_URL is https, except on localhost', async () => {
  const header = async (url: string) =>
    (await serve({ PUBLIC_URL: url })('203.0.113.9')).headers['strict-transport-security'];
  expect(await header('https://intros.acme.example')).toBe('max-age=31536000');
  expect(await header('http://intros.acme.example')).toBeUndefined();
  expect(await header('https://localhost:8443')).toBeUndefined();
  expect(await header('https://foreword.localhost')).toBeUndefined();
});
