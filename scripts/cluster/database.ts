import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  ClusterError,
  fillIn,
  findProgram,
  HOST,
  type Identity,
  makeFolder,
  POSTGRES_BIN,
  writeFile,
} from './machine.ts';
import { Program } from './program.ts';

const MEMBERS = [1, 2, 3] as const;
const READY_LIMIT_MS = 120_000;
const POLL_MS = 200;

export interface DatabaseOptions {
  readonly folder: string;
  readonly identity: Identity;
  readonly newPort: () => number;
  readonly password: string;
}

/** Three PostgreSQL servers that agree on a primary, and the ways to it. */
export class DatabaseCluster {
  readonly etcds: readonly Program[];
  readonly servers: readonly Program[];
  readonly haproxy: Program;
  readonly pgbouncer: Program;
  readonly ports: { readonly primary: number; readonly replicas: number; readonly pooled: number };
  /** The addresses of Patroni's API, in the order of `servers`. */
  readonly patroniUrls: readonly string[];
  /** The addresses of etcd's API, in the order of `etcds`. */
  readonly etcdUrls: readonly string[];
  readonly #password: string;

  constructor({ folder, identity, newPort, password }: DatabaseOptions) {
    this.#password = password;
    const logs = path.join(folder, 'logs');
    fs.mkdirSync(logs, { recursive: true });
    const clients = MEMBERS.map(newPort);
    const peers = MEMBERS.map(newPort);
    const apis = MEMBERS.map(newPort);
    const servers = MEMBERS.map(newPort);
    this.ports = { primary: newPort(), replicas: newPort(), pooled: newPort() };
    this.patroniUrls = apis.map((port) => `http://${HOST}:${port}`);
    this.etcdUrls = clients.map((port) => `http://${HOST}:${port}`);

    const initial = peers.map((port, i) => `etcd${i + 1}=http://${HOST}:${port}`).join(',');
    this.etcds = MEMBERS.map((number, i) => {
      const name = `etcd${number}`;
      const data = makeFolder(path.join(folder, name), identity);
      const [client, peer] = [this.etcdUrls[i] ?? '', `http://${HOST}:${peers[i]}`];
      const args = [
        ...['--name', name, '--data-dir', path.join(data, 'data'), '--log-level', 'warn'],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', initial],
      ];
      return new Program(name, { command: findProgram('etcd'), args, cwd: data, identity, folder: logs });
    });

    const common = { HOST, PASSWORD: password, NETWORK: `${HOST}/32`, BIN: POSTGRES_BIN };
    this.servers = MEMBERS.map((number, i) => {
      const name = `postgres${number}`;
      const own = makeFolder(path.join(folder, name), identity);
      const etcd = clients.map((port) => `${HOST}:${port}`).join(',');
      const values = { ...common, NAME: name, FOLDER: own, ETCD: etcd, PORT: servers[i] ?? 0, API_PORT: apis[i] ?? 0 };
      const file = writeFile(path.join(own, 'patroni.yml'), fillIn('patroni.yml', values), identity);
      const postmasterFile = path.join(own, 'data/postmaster.pid');
      const command = findProgram('patroni');
      return new Program(name, { command, args: [file], cwd: own, identity, folder: logs, postmasterFile });
    });

    const proxies = makeFolder(path.join(folder, 'proxies'), identity);
    const backends = MEMBERS.map((n, i) => `server postgres${n} ${HOST}:${servers[i]} check port ${apis[i]}`).join(
      '\n',
    );
    const haproxy = fillIn('haproxy.cfg', {
      ...{ HOST, PRIMARY_PORT: this.ports.primary, REPLICA_PORT: this.ports.replicas, SERVERS: backends },
    });
    const haproxyFile = writeFile(path.join(proxies, 'haproxy.cfg'), haproxy, identity);
    const inProxies = { cwd: proxies, identity, folder: logs };
    this.haproxy = new Program('haproxy', {
      ...{ ...inProxies, command: findProgram('haproxy'), args: ['-db', '-f', haproxyFile] },
    });

    const users = writeFile(path.join(proxies, 'users'), `"foreword" "${password}"\n`, identity);
    const pgbouncer = fillIn('pgbouncer.ini', {
      ...{ HOST, PRIMARY_PORT: this.ports.primary, PORT: this.ports.pooled, USERS: users },
    });
    const pgbouncerFile = writeFile(path.join(proxies, 'pgbouncer.ini'), pgbouncer, identity);
    this.pgbouncer = new Program('pgbouncer', {
      ...inProxies,
      command: findProgram('pgbouncer'),
      args: [pgbouncerFile],
    });
  }

  get programs(): readonly Program[] {
    return [...this.etcds, ...this.servers, this.haproxy, this.pgbouncer];
  }

  /** Through HAProxy, or through PgBouncer. */
  url(way: 'primary' | 'replicas' | 'pooled', database: string): string {
    return `postgres://foreword:${encodeURIComponent(this.#password)}@${HOST}:${this.ports[way]}/${database}`;
  }

  async start(): Promise<void> {
    for (const program of [...this.etcds, this.haproxy]) program.start();
    const [first, ...others] = this.servers;
    first?.start();
    // The first one to ask initializes the database, and the others copy it.
    await this.untilPrimary();
    for (const server of others) server.start();
    this.pgbouncer.start();
    await this.#untilSynchronous();
  }

  async stop(): Promise<void> {
    await this.pgbouncer.stop();
    await this.haproxy.stop();
    await Promise.all(this.servers.map((server) => server.stop()));
    await Promise.all(this.etcds.map((etcd) => etcd.stop()));
  }

  /** The position of the primary in `servers`, or -1. */
  async findPrimary(): Promise<number> {
    const isPrimary = async (url: string) => {
      const response = await fetch(`${url}/primary`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
      return response?.status === 200;
    };
    return (await Promise.all(this.patroniUrls.map(isPrimary))).indexOf(true);
  }

  /** The positions of standbys with one role: `sync` has every acknowledged commit, `replica` may lag. */
  async findStandbys(role: 'sync' | 'replica'): Promise<number[]> {
    const path = role === 'sync' ? 'synchronous' : 'asynchronous';
    const statuses = await Promise.all(
      this.patroniUrls.map(async (url) => {
        const response = await fetch(`${url}/${path}`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
        return response?.status;
      }),
    );
    return statuses.flatMap((status, i) => (status === 200 ? [i] : []));
  }

  /** Until HAProxy leads to a primary. */
  async untilPrimary(): Promise<void> {
    await this.#until('no primary', async () => {
      const client = new pg.Client({
        connectionString: this.url('primary', 'postgres'),
        connectionTimeoutMillis: 2_000,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query('select pg_is_in_recovery() as is_standby');
        return rows[0]?.is_standby === false;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  }

  /** Until the cluster can lose its primary again: a synchronous standby follows. */
  async #untilSynchronous(): Promise<void> {
    await this.#until('no synchronous standby', async () => (await this.findStandbys('sync')).length > 0);
  }

  /** Until every server runs and one of the standbys is synchronous. */
  async untilComplete(): Promise<void> {
    await this.#until('the cluster is not complete', async () => {
      const [sync, other] = await Promise.all([this.findStandbys('sync'), this.findStandbys('replica')]);
      return (await this.findPrimary()) >= 0 && sync.length > 0 && sync.length + other.length === MEMBERS.length - 1;
    });
  }

  async #until(problem: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!(await isTrue())) {
      if (performance.now() > deadline)
        throw new ClusterError(`${problem} within ${READY_LIMIT_MS / 1000} s\n${this.#tails()}`);
      await sleep(POLL_MS);
    }
  }

  #tails(): string {
    return this.programs.map((program) => `${program.name}: ${program.readLog()}`).join('\n');
  }
}
