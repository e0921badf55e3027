import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openService } from '../acceptance/support/service.ts';
import { startDns, type Zone } from '../delivery/dns-server.ts';
import { forFile } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { DEPLOY, prepareNginx, readDeployFile, WITHOUT_IPV6 } from './deploy-files.ts';
import { findProgram } from './programs.ts';
import { HOST } from './proxy-site.ts';
import { createTestAuthority } from './test-authority.ts';

/** Links have no port, so the proxies listen on 80 and 443, which only root may. Each has its own address of this machine. */
const [CADDY, NGINX, ELSEWHERE] = ['127.0.0.77', '127.0.0.78', '127.0.0.79'] as const;
const CHECKED_WITHIN_MS = 60_000;

const proxies: { child: ChildProcess; output: string }[] = [];

const folder = temporaryFolder();
// The proxy's workers run as another user when it is started by root.
await fs.chmod(folder, 0o755);
const authority = createTestAuthority(folder, HOST);
await fs.mkdir(path.join(folder, 'domain'));
const domainAuthority = createTestAuthority(path.join(folder, 'domain'), 'go.nginx.test');
const trusted = path.join(folder, 'trusted.pem');
await fs.writeFile(
  trusted,
  (await fs.readFile(authority.root, 'utf8')) + (await fs.readFile(domainAuthority.root, 'utf8')),
);
const zone: Zone = {};
const dns = await forFile(startDns(zone));
const fixture = await forFile(
  openService({
    PUBLIC_URL: `https://${HOST}`,
    DNS_SERVERS: dns.server,
    WEBHOOKS_ALLOW_PRIVATE: 'on',
    NODE_EXTRA_CA_CERTS: trusted,
  }),
);
afterAll(async () => {
  for (const { child } of proxies) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

function start(command: string, args: string[], env: Record<string, string> = {}): void {
  const child = spawn(command, args, { env: { PATH: process.env.PATH ?? '', ...env } });
  const proxy = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (proxy.output += chunk));
  proxies.push(proxy);
}

/** The shipped file, with the certificate authority of the test instead of a public one. */
async function startCaddy(): Promise<void> {
  const options = `{
	admin off
	default_bind ${CADDY}
	storage file_system ${folder}/caddy
	skip_install_trust
	local_certs
	pki {
		ca local {
			root {
				cert ${authority.root}
				key ${authority.rootKey}
			}
		}
	}
`;
  const file = path.join(folder, 'Caddyfile.main');
  const text = readDeployFile('caddy/LinkDomains.Caddyfile', [
    [/^\{\n/gm, options],
    ['import Caddyfile', `import ${DEPLOY}/caddy/Caddyfile`],
  ]);
  await fs.writeFile(file, text);
  const upstream = new URL(fixture.service.url).host;
  const env = { HOME: folder, FOREWORD_HOST: HOST, FOREWORD_UPSTREAM: upstream, FOREWORD_ASK: upstream };
  start(findProgram('caddy', 'caddy'), ['run', '--config', file, '--adapter', 'caddyfile'], env);
}

/** The shipped files, with the replacements that they ask for. */
async function startNginx(): Promise<void> {
  const listening: [RegExp, string][] = [[/listen (80|443)/g, `listen ${NGINX}:$1`], WITHOUT_IPV6];
  const site = readDeployFile('nginx/foreword.conf', [
    [/\/etc\/letsencrypt\/live\/intros\.example\.com\/fullchain\.pem/g, authority.certificate],
    [/\/etc\/letsencrypt\/live\/intros\.example\.com\/privkey\.pem/g, authority.key],
    [/intros\.example\.com/g, HOST],
    [/127\.0\.0\.1:3000/g, new URL(fixture.service.url).host],
    ...listening,
  ]);
  const domain = readDeployFile('nginx/link-domain.conf', [
    [/\/etc\/letsencrypt\/live\/go\.example\.com\/fullchain\.pem/g, domainAuthority.certificate],
    [/\/etc\/letsencrypt\/live\/go\.example\.com\/privkey\.pem/g, domainAuthority.key],
    [/go\.example\.com/g, 'go.nginx.test'],
    ...listening,
  ]);
  const { command, args } = prepareNginx(folder, `${site}\n${domain}`);
  start(command, args);
}

interface Response {
  readonly status: number;
  readonly body: string;
  readonly headers: http.IncomingHttpHeaders;
}

async function read(request: http.ClientRequest): Promise<Response> {
  request.end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const body = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode ?? 0, body, headers: response.headers };
}

async function get(address: string, host: string, at: string): Promise<Response> {
  const ca = [await fs.readFile(authority.root), await fs.readFile(domainAuthority.root)];
  return read(https.request({ host: address, servername: host, path: at, headers: { host }, ca, agent: false }));
}

async function add(host: string) {
  const { status, body } = await fixture.api.post('/v1/link-domains', { host });
  expect(status).toBe(201);
  return body;
}

type IsDone = (domain: { state: string; failure: { code: string } | null }) => boolean;

const find = async (id: string) => (await fixture.api.get(`/v1/link-domains/${id}`)).body;
const until = (id: string, isDone: IsDone) => eventually(() => find(id), isDone, CHECKED_WITHIN_MS);

/**
 * Does not wait until the next check is due. Moves it again and again, because a check that began before the zone changed schedules
 * the next one when it ends.
 */
const untilChecked = (id: string, isDone: IsDone) =>
  eventually(
    async () => {
      await fixture.database.sql`update link_domains set check_at = now() where id = ${id} and check_at > now()`;
      return find(id);
    },
    isDone,
    CHECKED_WITHIN_MS,
  );

describe.each([
  ['Caddy, which obtains the certificate on demand', CADDY, 'go.caddy.test', startCaddy],
  ['nginx', NGINX, 'go.nginx.test', startNginx],
])('behind %s', (_name, address, host, startProxy) => {
  test('a domain becomes active on its own, serves a page, and fails once it leads elsewhere', async () => {
    await startProxy();
    const { id, verification } = await add(host);
    zone[verification.dns.name] = [verification.dns.value];
    zone[`A:${host}`] = [address];
    await until(id, ({ state }) => state === 'active').catch((error: unknown) => {
      throw new Error(`${error}; ${proxies.map(({ output }) => output).join('\n')}`);
    });

    // Arrange: as if the other nodes had had the time to learn of it.
    await fixture.database.sql`update link_domains set active_at = now() - interval '11 seconds' where id = ${id}`;
    const intro = await createIntro(fixture.api);
    await fixture.api.post(`/v1/test_helpers/intros/${intro.id}/record`);
    const ready = await eventually(
      async () => (await fixture.api.get(`/v1/intros/${intro.id}`)).body,
      { status: 'ready' },
      CHECKED_WITHIN_MS,
    );
    const link = new URL(ready.delivery.recipient_url);
    expect(link.host).toBe(host);
    // The node itself may still have to learn of it.
    const page = await eventually(() => get(address, host, link.pathname), { status: 200 }, CHECKED_WITHIN_MS);
    expect(page.body).toContain(`<meta property="og:url" content="${link.href}">`);
    expect((await get(address, host, `${link.pathname}/poster.jpg`)).status).toBe(200);
    for (const other of ['/', '/console/signin', '/v1/intros', '/metrics', '/healthz']) {
      expect((await get(address, host, other)).status, other).toBe(404);
    }
    const plain = await read(http.request({ host: address, path: link.pathname, headers: { host }, agent: false }));
    expect([301, 308]).toContain(plain.status);
    expect(plain.headers.location).toBe(link.href);
    // The main host is still there.
    expect((await get(address, HOST, '/console/signin')).status).toBe(200);

    zone[`A:${host}`] = [ELSEWHERE];
    const failing = await untilChecked(id, ({ state }) => state === 'failing');
    expect(failing.failure).toMatchObject({ code: 'connection' });
    zone[`A:${host}`] = [address];
    await untilChecked(id, ({ state }) => state === 'active');
  }, 180_000);
});

test('Caddy obtains no certificate for a host that is no link domain', async () => {
  await expect(get(CADDY, 'go.other.test', '/')).rejects.toThrow(/SSL|TLS|socket|ECONNRESET/);
});

test('a file proves a domain, too, and another server there proves nothing', async () => {
  const host = 'file.acme.test';
  const { id, verification } = await add(host);
  const files = http.createServer((request, response) => {
    const isFile = request.headers.host === host && request.url === '/.well-known/foreword-domain';
    response.writeHead(isFile ? 200 : 404).end(isFile ? `${verification.http.value}\n` : '');
  });
  await once(files.listen(80, ELSEWHERE), 'listening');
  const tls = { key: await fs.readFile(domainAuthority.key), cert: await fs.readFile(domainAuthority.certificate) };
  const other = https.createServer(tls, (_request, response) => response.end('ok'));
  try {
    zone[`A:${host}`] = [ELSEWHERE];
    await untilChecked(id, ({ state, failure }) => state === 'verified' && failure?.code === 'connection');
    await once(other.listen(443, ELSEWHERE), 'listening');
    // Its certificate is for another host.
    await untilChecked(id, ({ failure }) => failure?.code === 'certificate');
  } finally {
    for (const server of [files, other]) server.close();
  }
}, 120_000);
