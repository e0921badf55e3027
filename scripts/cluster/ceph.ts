import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { ClusterError, fillIn, findProgram, HOST } from './machine.ts';
import { Program } from './program.ts';

const run = promisify(execFile);
const START_MS = 60_000;

export interface CephOptions {
  readonly folder: string;
  readonly newPort: () => number;
  /** `memstore` loses everything when it stops, for tests. */
  readonly store: 'bluestore' | 'memstore';
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A real S3 server: a Ceph monitor, one disk and the gateway. */
export class Ceph {
  /** `127.0.0.1:port`, plain HTTP. */
  readonly host: string;
  /** Signs requests to the store itself. */
  readonly client: AwsClient;
  readonly programs: readonly Program[];
  readonly #options: CephOptions;
  readonly #monitorPort: number;

  constructor(options: CephOptions) {
    const { folder, newPort, accessKey, secretKey } = options;
    this.#options = options;
    this.#monitorPort = newPort();
    this.host = `${HOST}:${newPort()}`;
    const [accessKeyId, secretAccessKey] = [accessKey, secretKey];
    this.client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
    const daemon = (name: string, program: string, ...args: string[]) =>
      new Program(name, {
        ...{ command: findProgram(program), args: [...args, '-f'], cwd: folder, env: this.#environment },
        ...{ folder: path.join(folder, 'log'), stopSignal: 'SIGTERM' as const },
      });
    this.programs = [
      daemon('ceph-mon', 'ceph-mon', '-i', 'a'),
      daemon('ceph-osd', 'ceph-osd', '-i', '0'),
      daemon('radosgw', 'radosgw', '-n', 'client.admin', '-k', 'keyring'),
    ];
  }

  get #environment(): Record<string, string> {
    return { CEPH_CONF: path.join(this.#options.folder, 'ceph.conf') };
  }

  /** Runs one of Ceph's commands. */
  async call(program: string, ...args: string[]): Promise<void> {
    const env = { ...process.env, ...this.#environment };
    await run(findProgram(program), args, { cwd: this.#options.folder, env, timeout: START_MS });
  }

  async start(): Promise<void> {
    const { folder } = this.#options;
    const isNew = !fs.existsSync(path.join(folder, 'created'));
    if (isNew) await this.#createMonitor();
    const [monitor, disk, gateway] = this.programs;
    monitor?.start();
    if (isNew) await this.#createDisk();
    disk?.start();
    gateway?.start();
    if (isNew) {
      const { accessKey, secretKey } = this.#options;
      const user = ['--uid', 'foreword', '--display-name', 'Foreword', '--access-key', accessKey];
      await this.call('radosgw-admin', '-k', 'keyring', 'user', 'create', ...user, '--secret-key', secretKey);
      fs.writeFileSync(path.join(folder, 'created'), '');
    }
    await this.#untilReady();
  }

  async #createMonitor(): Promise<void> {
    const { folder, store } = this.#options;
    // An earlier start may have been killed halfway.
    for (const name of ['mon', 'osd', 'rgw', 'run']) {
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
      fs.mkdirSync(path.join(folder, name), { recursive: true });
    }
    fs.mkdirSync(path.join(folder, 'log'), { recursive: true });
    const fsid = crypto.randomUUID();
    const [, gateway = ''] = this.host.split(':');
    const ports = { MONITOR_PORT: this.#monitorPort, GATEWAY_PORT: gateway };
    const configuration = fillIn('ceph.conf', { HOST, FSID: fsid, FOLDER: folder, STORE: store, ...ports });
    fs.writeFileSync(path.join(folder, 'ceph.conf'), configuration);
    const address = `[v2:${HOST}:${this.#monitorPort}]`;
    const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    for (const name of ['keyring', 'monmap']) fs.rmSync(path.join(folder, name), { force: true });
    await this.call(
      'ceph-authtool',
      '--create-keyring',
      'keyring',
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    );
    await this.call('ceph-authtool', 'keyring', '--gen-key', '-n', 'client.admin', ...all);
    await this.call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, 'monmap');
    await this.call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring');
  }

  async #createDisk(): Promise<void> {
    const disk = crypto.randomUUID();
    await this.call('ceph', '-k', 'keyring', 'osd', 'new', disk);
    const some = ['--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *'];
    await this.call('ceph-authtool', '--create-keyring', 'osd/keyring', '--gen-key', '-n', 'osd.0', ...some);
    await this.call('ceph', '-k', 'keyring', 'auth', 'import', '-i', 'osd/keyring');
    await this.call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
  }

  async #untilReady(): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (performance.now() < deadline) {
      const response = await fetch(`http://${this.host}/`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
      if (response?.ok === true) return;
      await sleep(100);
    }
    const tails = this.programs.map((program) => program.readLog());
    throw new ClusterError(`the S3 server did not start within ${START_MS / 1000} s\n${tails.join('\n')}`);
  }

  async createBucket(name: string): Promise<void> {
    const created = await this.client.fetch(`http://${this.host}/${name}`, { method: 'PUT' });
    if (created.ok) return;
    throw new ClusterError(`cannot create bucket ${name}: ${created.status} ${await created.text()}`);
  }

  /** OBJECTS_URL of a bucket, with the user's credentials by default. */
  url(bucket: string, credentials: { key?: string; secret?: string } = {}): string {
    const { key = this.#options.accessKey, secret = this.#options.secretKey } = credentials;
    return `s3://${encodeURIComponent(key)}:${encodeURIComponent(secret)}@${this.host}/${bucket}?tls=off&region=us-east-1`;
  }
}
