import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';

const run = promisify(execFile);

const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool'];
const PACKAGES = 'radosgw ceph-mon ceph-osd';
const START_MS = 60_000;
const END_MS = 5_000;

/** Key of the test user; the server exists only during the tests. */
const ACCESS_KEY = 'FOREWORDTESTKEY00000';
/** Contains characters that need escaping in a URL. */
export const SECRET_KEY = 'test/secret+with@every:sign?and#20%25';

export interface Ceph {
  /** `127.0.0.1:port`, plain HTTP. */
  readonly host: string;
  /** OBJECTS_URL of a bucket, with the test user's credentials by default. */
  url(bucket: string, credentials?: { key?: string; secret?: string }): string;
  /** Signs requests to the store itself, bypassing the code under test. */
  readonly client: AwsClient;
  createBucket(name: string): Promise<void>;
  /** Call it before the bucket is used, because the server caches quotas. */
  limitBucket(name: string, bytes: number): Promise<void>;
  stop(): Promise<void>;
}

/** Reserves several at once, so that no port is returned twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function requirePrograms(): Promise<void> {
  const missing: string[] = [];
  for (const program of PROGRAMS) {
    await run(program, ['--version']).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') missing.push(program);
    });
  }
  if (missing.length > 0) {
    throw new Error(
      `${missing.join(', ')} not found: install Debian's packages ${PACKAGES} (apt-get install ${PACKAGES})`,
    );
  }
}

const configuration = (folder: string, fsid: string, monitor: number, gateway: number): string => `[global]
fsid = ${fsid}
mon_host = v2:127.0.0.1:${monitor}
mon_initial_members = a
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
keyring = ${folder}/keyring
run_dir = ${folder}/run
log_file = ${folder}/log/$name.log
admin_socket = ${folder}/run/$name.$pid.asok
pid_file = ${folder}/run/$name.pid
ms_bind_ipv4 = true
ms_bind_ipv6 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
crash_dir = ${folder}/run
[mon]
mon_data = ${folder}/mon
mon_data_avail_crit = 1
[osd]
osd_data = ${folder}/osd
keyring = ${folder}/osd/keyring
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_class_load_list = *
osd_class_default_list = *
[client.admin]
rgw_frontends = beast endpoint=127.0.0.1:${gateway}
rgw_data = ${folder}/rgw
rgw_enable_usage_log = false
keyring = ${folder}/keyring
`;

/** Starts a monitor, an in-memory OSD and the S3 gateway, all on loopback. */
export async function startCeph(): Promise<Ceph> {
  await requirePrograms();
  const folder = mkdtempSync(path.join(tmpdir(), 'fw-ceph-'));
  const daemons: ChildProcess[] = [];
  const stop = async () => {
    for (const daemon of daemons.reverse()) await end(daemon);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    const host = await startDaemons(folder, daemons);
    const client = new AwsClient({
      accessKeyId: ACCESS_KEY,
      secretAccessKey: SECRET_KEY,
      service: 's3',
      region: 'us-east-1',
    });
    return {
      host,
      client,
      async createBucket(name) {
        const created = await client.fetch(`http://${host}/${name}`, { method: 'PUT' });
        if (!created.ok) throw new Error(`cannot create bucket ${name}: ${created.status} ${await created.text()}`);
      },
      async limitBucket(name, bytes) {
        const bucket = ['--quota-scope', 'bucket', '--uid', 'test', '--bucket', name];
        const options = { cwd: folder, env: { ...process.env, CEPH_CONF: path.join(folder, 'ceph.conf') } };
        for (const change of [['set', '--max-size', `${bytes}`], ['enable']]) {
          await run('radosgw-admin', ['-k', 'keyring', 'quota', ...change, ...bucket], options);
        }
      },
      url: (bucket, { key = ACCESS_KEY, secret = SECRET_KEY } = {}) =>
        `s3://${encodeURIComponent(key)}:${encodeURIComponent(secret)}@${host}/${bucket}?tls=off&region=us-east-1`,
      stop,
    };
  } catch (error) {
    const output = readFileSync(path.join(folder, 'output'), { encoding: 'utf8', flag: 'a+' }).slice(-2_000);
    await stop();
    throw new Error(`the S3 server could not be started\n${output}`, { cause: error });
  }
}

async function startDaemons(folder: string, daemons: ChildProcess[]): Promise<string> {
  for (const name of ['mon', 'osd', 'run', 'log', 'rgw']) mkdirSync(path.join(folder, name));
  const inFolder = { cwd: folder, env: { ...process.env, CEPH_CONF: path.join(folder, 'ceph.conf') } };
  const call = (program: string, ...options: string[]) => run(program, options, { ...inFolder, timeout: START_MS });
  const start = (program: string, ...options: string[]) => {
    const output = openSync(path.join(folder, 'output'), 'a');
    daemons.push(spawn(program, [...options, '-f'], { ...inFolder, stdio: ['ignore', output, output] }));
    closeSync(output);
  };
  const [monitor = 0, gateway = 0] = await freePorts(2);
  const [fsid, store] = [crypto.randomUUID(), crypto.randomUUID()];
  writeFileSync(inFolder.env.CEPH_CONF, configuration(folder, fsid, monitor, gateway));

  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
  await call('ceph-authtool', '--create-keyring', 'keyring', '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
  await call('ceph-authtool', 'keyring', '--gen-key', '-n', 'client.admin', ...all);
  await call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, 'monmap');
  await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring');
  start('ceph-mon', '-i', 'a');

  await call('ceph', '-k', 'keyring', 'osd', 'new', store);
  const some = ['--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *'];
  await call('ceph-authtool', '--create-keyring', 'osd/keyring', '--gen-key', '-n', 'osd.0', ...some);
  await call('ceph', '-k', 'keyring', 'auth', 'import', '-i', 'osd/keyring');
  await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store);
  start('ceph-osd', '-i', '0');
  start('radosgw', '-n', 'client.admin', '-k', 'keyring');

  const user = ['--uid', 'test', '--display-name', 'test', '--access-key', ACCESS_KEY, '--secret-key', SECRET_KEY];
  await call('radosgw-admin', '-k', 'keyring', 'user', 'create', ...user);
  const host = `127.0.0.1:${gateway}`;
  await untilReady(`http://${host}/`, daemons);
  return host;
}

async function untilReady(url: string, daemons: readonly ChildProcess[]): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (daemons.some(({ exitCode }) => exitCode !== null)) throw new Error('a daemon exited at startup');
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(`no response from ${url} within ${START_MS / 1000} s`);
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null || daemon.pid === undefined) return;
  const ended = once(daemon, 'exit');
  // A graceful shutdown would take seconds and protect nothing.
  daemon.kill('SIGKILL');
  await Promise.race([ended, sleep(END_MS)]);
}
