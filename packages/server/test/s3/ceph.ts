import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { Program } from '../../../../scripts/cluster/index.ts';
import { freePort, sleep } from '../harness/index.ts';

const run = promisify(execFile);
const HOST = '127.0.0.1';
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw'] as const;
const START_MS = 60_000;
const POLL_MS = 100;
/** Key of the test user; the server exists only during the tests. */
const ACCESS_KEY = 'FOREWORDTESTKEY00000';
/** Contains characters that need escaping in a URL. */
export const SECRET_KEY = 'test/secret+with@every:sign?and#20%25';

/** Runs one of Ceph's commands in the folder. */
type Call = (program: string, ...args: string[]) => Promise<void>;

const capabilities = (...pairs: string[]) => pairs.flatMap((pair) => ['--cap', ...pair.split('=')]);

async function createMonitor(call: Call, fsid: string, port: number): Promise<void> {
  const admin = capabilities('mon=allow *', 'osd=allow *', 'mgr=allow *');
  const monitor = ['--create-keyring', 'keyring', '--gen-key', '-n', 'mon.', ...capabilities('mon=allow *')];
  await call('ceph-authtool', ...monitor);
  await call('ceph-authtool', 'keyring', '--gen-key', '-n', 'client.admin', ...admin);
  await call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[v2:${HOST}:${port}]`, 'monmap');
  await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring');
}

async function createDisk(call: Call): Promise<void> {
  const disk = crypto.randomUUID();
  const own = capabilities('mon=allow profile osd', 'osd=allow *');
  await call('ceph', '-k', 'keyring', 'osd', 'new', disk);
  await call('ceph-authtool', '--create-keyring', 'osd/keyring', '--gen-key', '-n', 'osd.0', ...own);
  await call('ceph', '-k', 'keyring', 'auth', 'import', '-i', 'osd/keyring');
  await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
}

async function untilReady(host: string, programs: readonly Program[]): Promise<void> {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const response = await fetch(`http://${host}/`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
    if (response?.ok === true) return;
  }
  throw new Error(`the S3 server did not start\n${programs.map((program) => program.readLog()).join('\n')}`);
}

/** A real S3 server of Debian: a Ceph monitor, one disk in memory and the gateway. */
export async function startCeph() {
  const missing = PROGRAMS.filter((name) => !fs.existsSync(`/usr/bin/${name}`));
  if (missing.length > 0) throw new Error(`these tests need more of Debian: apt-get install ${missing.join(' ')}`);
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'fw-ceph-'));
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
  const [fsid, host] = [crypto.randomUUID(), `${HOST}:${gatewayPort}`];
  for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) fs.mkdirSync(path.join(folder, name));
  const file = path.join(folder, 'ceph.conf');
  const values = { HOST, FSID: fsid, FOLDER: folder, MONITOR_PORT: monitorPort, GATEWAY_PORT: gatewayPort };
  const configuration = Object.entries(values).reduce(
    (text, [word, value]) => text.replaceAll(`@${word}@`, String(value)),
    fs.readFileSync(path.join(import.meta.dirname, 'ceph.conf'), 'utf8'),
  );
  fs.writeFileSync(file, configuration);
  const call: Call = async (program, ...args) => {
    await run(program, args, { cwd: folder, env: { ...process.env, CEPH_CONF: file }, timeout: START_MS });
  };
  const daemon = (name: (typeof PROGRAMS)[number], own: string, ...args: string[]) =>
    new Program(name, {
      ...{ command: `/usr/bin/${name}`, args: [...args, '-f'], cwd: path.join(folder, own) },
      ...{ env: { CEPH_CONF: file }, logs: path.join(folder, 'log') },
    });
  const monitor = daemon('ceph-mon', 'mon', '-i', 'a');
  const disk = daemon('ceph-osd', 'osd', '-i', '0');
  const gateway = daemon('radosgw', 'rgw', '-n', 'client.admin', '-k', path.join(folder, 'keyring'));
  const stop = async () => {
    // A graceful shutdown would take seconds and protect nothing.
    for (const program of [gateway, disk, monitor]) await program.kill({ withMachine: true });
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await createMonitor(call, fsid, monitorPort);
    monitor.start();
    await createDisk(call);
    disk.start();
    gateway.start();
    const user = ['--uid', 'foreword', '--display-name', 'Foreword', '--access-key', ACCESS_KEY];
    await call('radosgw-admin', '-k', 'keyring', 'user', 'create', ...user, '--secret-key', SECRET_KEY);
    await untilReady(host, [monitor, disk, gateway]);
  } catch (error) {
    await stop();
    throw error;
  }
  const client = new AwsClient({
    ...{ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, service: 's3', region: 'us-east-1' },
  });
  return {
    /** `127.0.0.1:port`, plain HTTP. */
    host,
    /** Signs requests to the store itself, bypassing the code under test. */
    client,
    async createBucket(name: string) {
      const created = await client.fetch(`http://${host}/${name}`, { method: 'PUT' });
      if (!created.ok) throw new Error(`cannot create bucket ${name}: ${created.status} ${await created.text()}`);
    },
    /** Call it before the bucket is used, because the server caches quotas. */
    async limitBucket(name: string, bytes: number) {
      const bucket = ['--quota-scope', 'bucket', '--uid', 'foreword', '--bucket', name];
      for (const change of [['set', '--max-size', `${bytes}`], ['enable']]) {
        await call('radosgw-admin', '-k', 'keyring', 'quota', ...change, ...bucket);
      }
    },
    /** OBJECTS_URL of a bucket, with the test user's credentials by default. */
    url(bucket: string, { key = ACCESS_KEY, secret = SECRET_KEY } = {}) {
      return `s3://${encodeURIComponent(key)}:${encodeURIComponent(secret)}@${host}/${bucket}?tls=off&region=us-east-1`;
    },
    stop,
  };
}
