import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AddressRefusedError, createLookup, isPublicAddress } from '../../src/platform/outbound/addresses.ts';
import { createOutbound, explainUrl, type Outbound, type OutboundOptions } from '../../src/platform/outbound.ts';
import { listenLocally } from '../harness/streams.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
});

function client(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowPrivate: true, connectionsPerOrigin: 8, ...options });
  open.push(outbound);
  return outbound;
}

async function receive(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  open.push(receiver);
  return receiver;
}

const post = (outbound: Outbound, url: string, timeoutMs = 30_000) =>
  outbound.request({ method: 'POST', url, headers: {}, body: '{}', timeoutMs, keepBytes: 1_024 });

describe('an address', () => {
  test.each([
    ...['127.0.0.1', '127.255.0.1', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'],
    ...['255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:10.1.1.1', '::ffff:a9fe:a9fe'],
    ...['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::808:808', '2002:7f00:1::', '2002:808:808::1'],
    ...['fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%lo', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '100::1'],
    ...['4000::1', 'nonsense', ''],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    ...['8.8.8.8', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '64:ff9b::808:808', '2600::1', '2a00:1450:4001::1'],
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a url', () => {
  const PRIVATE =
    'must not point to this machine or a private network (WEBHOOKS_ALLOW_PRIVATE=on allows it, for development only)';
  test.each([
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/'],
    ...['http://0/', 'http://0xa9fea9fe/', 'http://①②⑦.0.0.1/', 'http://127.0.0.1./', 'https://10.0.0.1:8443/x'],
    ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[64:ff9b::7f00:1]/'],
    ...['http://[fd00::1]/', 'http://[fe80::1]/', 'http://localhost/', 'http://LOCALHOST:80/', 'http://localhost./'],
    ...['http://a.b.localhost/', 'http://169.254.169.254/latest/meta-data'],
    ...['http://168.63.129.16/machine?comp=goalstate', 'http://0xa83f8110/'],
  ])('%s is rejected unless private networks are allowed', (url) => {
    expect(explainUrl(url, { allowPrivate: false })).toBe(PRIVATE);
    expect(explainUrl(url, { allowPrivate: true })).toBeNull();
  });

  test.each([
    ...['ftp://a.example/', 'javascript:alert(1)', 'file:///etc/passwd', 'a.example', '', 'http:', '//a.example'],
    ...['http://user@a.example/', 'http://user:word@a.example/', 'https://:word@a.example/', 'http://256.1.1.1/'],
  ])('%s is always rejected', (url) => {
    for (const allowPrivate of [true, false]) expect(explainUrl(url, { allowPrivate })).not.toBeNull();
  });

  test.each(['https://a.example/x?y=z', 'http://a.example:8080', 'https://8.8.8.8/', 'https://localhost.example/'])(
    '%s is accepted',
    (url) => {
      expect(explainUrl(url, { allowPrivate: false })).toBeNull();
    },
  );
});

describe('a connection', () => {
  test('is never made to this machine, by name or by address', async () => {
    const receiver = await receive();
    const outbound = client({ allowPrivate: false, resolve: async () => ['127.0.0.1', '::1'] });
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'inside.example'];
    for (const host of hosts) {
      const { response, fault } = await post(outbound, `http://${host}:${receiver.port}/`);
      expect([host, response, fault?.step]).toEqual([host, null, 'address']);
    }
    expect(receiver.received).toHaveLength(0);
  });

  test('is not made to a name that resolves to a private address only the second time', async () => {
    const results = [['8.8.8.8', '2600::1'], ['127.0.0.1'], ['10.0.0.1', '8.8.4.4']];
    const lookup = createLookup(async () => results.shift() ?? [], false);
    const resolveName = () =>
      new Promise((resolve) => lookup('rebind.example', { all: true }, (...found) => resolve(found)));
    const both = [
      { address: '8.8.8.8', family: 4 },
      { address: '2600::1', family: 6 },
    ];
    expect(await resolveName()).toEqual([null, both]);
    expect(await resolveName()).toEqual([expect.any(AddressRefusedError), []]);
    expect(await resolveName()).toEqual([null, [{ address: '8.8.4.4', family: 4 }]]);
  });

  test('uses exactly the addresses that were checked: the name is resolved only once', async () => {
    const receiver = await receive();
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return ['127.0.0.1'];
    };
    const outbound = client({ resolve });
    expect((await post(outbound, `http://once.example:${receiver.port}/`)).response?.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await post(outbound, `http://once.example:${receiver.port}/`)).response?.status).toBe(200);
    expect(lookups).toBe(1);
    expect(receiver.received[0]?.headers.host).toBe(`once.example:${receiver.port}`);
  });

  test('fails at step "name" for an unknown name, and at step "connection" for a closed port', async () => {
    const noName = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const unresolvable = client({ resolve: () => Promise.reject(noName) });
    expect((await post(unresolvable, 'http://nowhere.example/')).fault?.step).toBe('name');
    expect((await post(client(), 'http://127.0.0.1:1/')).fault).toEqual({
      step: 'connection',
      message: 'The connection was refused.',
    });
  });

  test('that is made after the timeout sends nothing', async () => {
    const receiver = await receive();
    const late = Promise.withResolvers<string[]>();
    const outbound = client({ resolve: () => late.promise });
    const { fault } = await post(outbound, `http://late.example:${receiver.port}/`, 100);
    expect(fault?.step).toBe('timeout');
    late.resolve(['127.0.0.1']);
    await outbound.close();
    expect(receiver.received).toHaveLength(0);
  });
});

describe('a certificate', () => {
  const folder = temporaryFolder();
  let certificate: { key: string; cert: string };
  const trusted = tls.getCACertificates();

  beforeAll(() => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string];
    const subject = ['-subj', '/CN=hook.example', '-addext', 'subjectAltName=DNS:hook.example', '-days', '2'];
    const fresh = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', [...fresh, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    certificate = { key: fs.readFileSync(key, 'utf8'), cert: fs.readFileSync(cert, 'utf8') };
  });
  afterAll(() => {
    tls.setDefaultCACertificates(trusted);
  });

  const resolve = async () => ['127.0.0.1'];

  test('that is not trusted is rejected, and nothing is sent', async () => {
    const receiver = await receive(status(200), { tls: certificate });
    const { response, fault } = await post(client({ resolve }), `https://hook.example:${receiver.port}/`);
    expect([response, fault?.step]).toEqual([null, 'certificate']);
    expect(receiver.received).toHaveLength(0);
  });

  test('that is trusted is accepted for its own name and rejected for another', async () => {
    tls.setDefaultCACertificates([...trusted, certificate.cert]);
    const receiver = await receive(status(200), { tls: certificate });
    const outbound = client({ resolve });
    expect((await post(outbound, `https://hook.example:${receiver.port}/`)).response?.status).toBe(200);
    expect((await post(outbound, `https://other.example:${receiver.port}/`)).fault?.step).toBe('certificate');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a response', () => {
  test('is returned with its status and the first KB of its body', async () => {
    const receiver = await receive(status(418, 'x'.repeat(5_000)));
    const { response, fault } = await post(client(), receiver.url);
    expect([response?.status, response?.body.length, fault]).toEqual([418, 1_024, null]);
  });

  test('that is not HTTP is a fault', async () => {
    const server = net.createServer((socket) => socket.on('error', () => socket.destroy()).end('hello\r\n\r\n'));
    const listening = await listenLocally(server);
    open.push(listening);
    expect((await post(client(), listening.url)).fault?.step).toBe('response');
  });

  test('that follows a 100 that was not asked for is returned', async () => {
    const receiver = await receive((response) => {
      response.writeContinue();
      setTimeout(() => response.writeHead(201).end(), 20);
    });
    expect((await post(client(), receiver.url)).response?.status).toBe(201);
  });

  test('that arrives byte by byte ends at the timeout', async () => {
    const receiver = await receive((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { response, fault } = await post(client(), receiver.url, 2_000);
    expect([response?.status, fault?.step]).toEqual([200, 'timeout']);
  });

  test('that redirects is returned as it is, without another request', async () => {
    const target = await receive();
    const receiver = await receive(status(307, '', { location: target.url }));
    expect((await post(client(), receiver.url)).response?.status).toBe(307);
    expect(target.received).toHaveLength(0);
  });

  test('is not awaited after the client is closed', async () => {
    const receiver = await receive(() => undefined);
    const outbound = client();
    const waiting = post(outbound, receiver.url, 10_000);
    await receiver.until(1);
    await outbound.close();
    expect((await waiting).fault?.step).toBe('stopped');
  });
});
