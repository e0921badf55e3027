import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Agent, fetch as fetchWith } from 'undici';
import { eventually } from '../acceptance/support/actions.ts';
import { openService, type ServiceFixture } from '../acceptance/support/service.ts';
import { freePort } from '../harness/index.ts';
import { createTestAuthority, type TestAuthority } from './test-authority.ts';

export const HOST = 'intros.acme.test';
/** All of 127.0.0.0/8 is this machine, which gives each client an address of its own. */
export const CDN = '127.0.0.3';
const READY_WITHIN_MS = 30_000;

/** The values that the shipped proxy configuration needs. */
export interface ProxySetup {
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** `127.0.0.1:port` of the service. */
  readonly upstream: string;
  readonly tls: TestAuthority;
}

export interface ProxyUnderTest {
  /** How long the proxy lets a connection be silent by default. */
  readonly silenceLimitMs: number;
  /** Writes the configuration, and returns the command that runs the proxy in the foreground. */
  prepare(setup: ProxySetup): { command: string; args: string[]; env?: Record<string, string> };
}

/** Resolves every host to this machine. */
const toLoopback: net.LookupFunction = (_host, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);

/** The proxy with the service behind it. */
export class Site {
  readonly url: string;
  readonly fixture: ServiceFixture;
  readonly #setup: ProxySetup;
  readonly #ca: string;
  readonly #proxy: ChildProcess;
  output = '';

  constructor(fixture: ServiceFixture, setup: ProxySetup, ca: string, proxy: ChildProcess) {
    this.url = `https://${HOST}:${setup.httpsPort}`;
    this.fixture = { ...fixture, service: { ...fixture.service, url: this.url } };
    this.#setup = setup;
    this.#ca = ca;
    this.#proxy = proxy;
    for (const stream of [proxy.stdout, proxy.stderr]) stream?.on('data', (chunk) => (this.output += chunk));
  }

  static async open(proxy: ProxyUnderTest): Promise<Site> {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-proxy-'));
    // The proxy's workers run as another user when it is started by root.
    await fs.chmod(folder, 0o755);
    const [httpPort, httpsPort] = [await freePort(), await freePort()];
    const tls = createTestAuthority(folder, HOST);
    const fixture = await openService({
      FOREWORD_ROLE: 'api,worker',
      PUBLIC_URL: `https://${HOST}:${httpsPort}`,
      TRUSTED_PROXIES: `127.0.0.1, ${CDN}`,
    });
    const setup = { folder, httpPort, httpsPort, upstream: new URL(fixture.service.url).host, tls };
    const { command, args, env } = proxy.prepare(setup);
    const child = spawn(command, args, { env: { PATH: process.env.PATH ?? '', ...env } });
    const site = new Site(fixture, setup, await fs.readFile(tls.root, 'utf8'), child);
    await site.#untilReady();
    return site;
  }

  async #untilReady(): Promise<void> {
    const isReady = async () => {
      if (this.#proxy.exitCode !== null) throw new Error(`the proxy exited: ${this.output}`);
      return this.get('/console/signin').then(
        ({ status }) => status === 200,
        () => false,
      );
    };
    await eventually(isReady, (ready) => ready, READY_WITHIN_MS);
  }

  /** Options of a TLS connection to the proxy from one of this machine's addresses. */
  #from(localAddress: string) {
    return { ca: this.#ca, localAddress, lookup: toLoopback };
  }

  /** Replaces the global fetch, so that all helpers of the tests go through the proxy. */
  createFetch(): typeof fetch {
    const dispatcher = new Agent({ connect: this.#from('127.0.0.1') });
    return ((url: string, init: object) => fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch;
  }

  /** Opens a request with exactly this path: fetch would resolve `..` in it. */
  request(path: string, options: https.RequestOptions = {}, from = '127.0.0.1') {
    const { httpsPort: port } = this.#setup;
    return https.request({ host: HOST, port, path, servername: HOST, agent: false, ...this.#from(from), ...options });
  }

  async #read(request: http.ClientRequest) {
    request.end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      raw: response.rawHeaders,
      body: Buffer.concat(chunks),
    };
  }

  get = (path: string, headers: Record<string, string> = {}, from?: string) =>
    this.#read(this.request(path, { headers }, from));

  getWithoutTls(path: string) {
    const { httpPort: port } = this.#setup;
    return this.#read(http.request({ host: '127.0.0.1', port, path, agent: false, headers: { host: HOST } }));
  }

  async close(): Promise<void> {
    if (this.#proxy.exitCode === null) {
      this.#proxy.kill('SIGTERM');
      await once(this.#proxy, 'exit');
    }
    await this.fixture.close();
    await fs.rm(this.#setup.folder, { recursive: true, force: true });
  }
}
