import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { type Command, Program } from './program.ts';

export { Program };

const HOST = '127.0.0.1';
const MAIN = path.join(import.meta.dirname, '../../packages/server/src/main.ts');
const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';
const DATABASE = 'foreword';
const READY_LIMIT_MS = 180_000;
const POLL_MS = 200;
const MEMBERS = [1, 2, 3] as const;
/** Node by its role. Each takes 100 MB. */
const NODES = { api1: 'api', api2: 'api', api3: 'api', worker1: 'worker', worker2: 'worker', media1: 'media' } as const;
export type NodeName = keyof typeof NODES;

export interface ClusterOptions {
  readonly folder: string;
  /** The first of 24 ports. */
  readonly basePort: number;
  /** Further settings of the nodes. Without an OBJECTS_URL, they share a folder. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Replaces the addresses of the database, for tests that break the network in between. */
  readonly reroute?: (urls: { pooled: string; direct: string }) => { pooled: string; direct: string };
}

const CONFIGURATIONS = path.join(import.meta.dirname, '../../deploy/cluster');
/** Servers are often in sbin, which only root has on its PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin'];

/** A message for the person who started the script. */
export class ClusterError extends Error {}

function findProgram(name: string): string {
  const found = FOLDERS.map((folder) => path.resolve(folder, name)).find((file) => fs.existsSync(file));
  if (found === undefined)
    throw new ClusterError(`${name} not found: docs/self-hosting/cluster.md lists the packages of Debian to install`);
  return found;
}

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** As root, the user `postgres`: PostgreSQL and PgBouncer refuse to run as root. */
function chooseIdentity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** A folder that only this user can read. */
function makeFolder(folder: string, { uid, gid }: Identity): string {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) fs.chownSync(folder, uid, gid);
  return folder;
}

function writeFile(file: string, content: string, { uid, gid }: Identity): string {
  fs.writeFileSync(file, content, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid);
  return file;
}

/** The configuration that we ship, with the words between @ signs replaced. */
function fillIn(name: string, values: Readonly<Record<string, string | number>>): string {
  const text = fs.readFileSync(path.join(CONFIGURATIONS, name), 'utf8');
  // In comments the words stay.
  return text.replaceAll(/@([A-Z_]+)@/g, (found, word) => String(values[word] ?? found));
}

/** A program with the address of its HTTP API. */
type Server = Program & { readonly url: string };

/** Created once: the data of an earlier start needs them again. */
function readSecrets(folder: string): { password: string; serverKey: string } {
  const file = path.join(folder, 'secrets.json');
  if (!fs.existsSync(file)) {
    const secrets = { password: randomBytes(20).toString('hex'), serverKey: randomBytes(32).toString('hex') };
    writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), {});
    fs.renameSync(`${file}.new`, file);
  }
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Foreword on a PostgreSQL that fails over, with everything around it, on loopback. */
export class Cluster {
  /** Through nginx. */
  readonly url: string;
  /** The settings of the nodes and of commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** HAProxy leads to the primary or to the replicas. PgBouncer pools connections. */
  readonly ports: { readonly primary: number; readonly replicas: number; readonly pooled: number };
  readonly etcds: readonly Server[];
  /** PostgreSQL, each with the API of its Patroni. */
  readonly databases: readonly Server[];
  readonly haproxy: Program;
  readonly pgbouncer: Program;
  readonly nodes: Readonly<Record<NodeName, Server>>;
  readonly nginx: Program;

  constructor({ folder, basePort, settings = {}, reroute = (urls) => urls }: ClusterOptions) {
    let port = basePort;
    const newPort = () => port++;
    const newAddress = () => `${HOST}:${newPort()}`;
    const identity = chooseIdentity();
    fs.mkdirSync(path.join(folder, 'logs'), { recursive: true });
    // Another user has to reach its own folders.
    fs.chmodSync(folder, 0o711);
    const root = fs.realpathSync(folder);
    const ownFolder = (name: string) => makeFolder(path.join(root, name), identity);
    const program = (name: string, command: string, args: string[], more: Partial<Command> = {}) =>
      new Program(name, {
        ...{ command: findProgram(command), args, cwd: ownFolder(name), identity },
        ...{ logs: path.join(root, 'logs'), ...more },
      });
    const server = (address: string, ...parts: Parameters<typeof program>): Server =>
      Object.assign(program(...parts), { url: `http://${address}` });
    const configure = (folderName: string, name: string, values: Readonly<Record<string, string | number>>) =>
      writeFile(path.join(ownFolder(folderName), name), fillIn(name, { HOST, ...values }), identity);

    const { password, serverKey } = readSecrets(root);
    const publicAddress = newAddress();
    this.url = `http://${publicAddress}`;
    this.ports = { primary: newPort(), replicas: newPort(), pooled: newPort() };
    const members = MEMBERS.map((number) => ({
      ...{ etcd: `etcd${number}`, client: newAddress(), peer: newAddress() },
      ...{ postgres: `postgres${number}`, port: newPort(), apiPort: newPort() },
    }));
    const initial = members.map(({ etcd, peer }) => `${etcd}=http://${peer}`).join(',');
    this.etcds = members.map(({ etcd, client, peer }) =>
      server(client, etcd, 'etcd', [
        ...['--name', etcd, '--data-dir', 'data', '--log-level', 'warn', '--initial-cluster', initial],
        ...['--listen-client-urls', `http://${client}`, '--advertise-client-urls', `http://${client}`],
        ...['--listen-peer-urls', `http://${peer}`, '--initial-advertise-peer-urls', `http://${peer}`],
      ]),
    );
    this.databases = members.map(({ postgres, port: own, apiPort }) => {
      const file = configure(postgres, 'patroni.yml', {
        ...{
          PASSWORD: password,
          NETWORK: `${HOST}/32`,
          BIN: POSTGRES_BIN,
          NAME: postgres,
          FOLDER: ownFolder(postgres),
        },
        ...{ ETCD: members.map(({ client }) => client).join(','), PORT: own, API_PORT: apiPort },
      });
      return server(`${HOST}:${apiPort}`, postgres, 'patroni', [file]);
    });
    const SERVERS = members
      .map(({ postgres, port: own, apiPort }) => `server ${postgres} ${HOST}:${own} check port ${apiPort}`)
      .join('\n    ');
    const { primary: PRIMARY_PORT, replicas: REPLICA_PORT } = this.ports;
    const haproxy = configure('haproxy', 'haproxy.cfg', { PRIMARY_PORT, REPLICA_PORT, SERVERS });
    this.haproxy = program('haproxy', 'haproxy', ['-db', '-f', haproxy]);
    const USERS = path.join(ownFolder('pgbouncer'), 'users');
    writeFile(USERS, `"foreword" "${password}"\n`, identity);
    const pgbouncer = configure('pgbouncer', 'pgbouncer.ini', { PRIMARY_PORT, PORT: this.ports.pooled, USERS });
    this.pgbouncer = program('pgbouncer', 'pgbouncer', [pgbouncer]);

    const database = (way: keyof typeof this.ports) =>
      `postgres://foreword:${password}@${HOST}:${this.ports[way]}/${DATABASE}`;
    const { pooled, direct } = reroute({ pooled: database('pooled'), direct: database('primary') });
    this.environment = {
      ...{ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct, DATABASE_READ_URL: database('replicas') },
      ...{ PUBLIC_URL: this.url, SERVER_KEY: serverKey },
      ...{ OBJECTS_URL: pathToFileURL(path.join(root, 'objects')).href, ...settings },
    };
    const node = ([name, FOREWORD_ROLE]: [string, string]) => {
      const [address, cwd] = [newAddress(), path.join(root, name)];
      fs.mkdirSync(cwd, { recursive: true });
      const own = { DATA_DIR: cwd, FOREWORD_ROLE, PORT: new URL(`http://${address}`).port, HOST, FOREWORD_DEMO: 'off' };
      const env = { ...own, ...this.environment };
      return [name, server(address, name, process.execPath, [MAIN], { cwd, env, identity: {} })];
    };
    this.nodes = Object.fromEntries(Object.entries(NODES).map(node));
    const apis = [this.nodes.api1, this.nodes.api2, this.nodes.api3].map(({ url }) => new URL(url).host);
    const nginx = configure('nginx', 'nginx.conf', {
      ...{ FOLDER: ownFolder('nginx'), PORT: basePort },
      SERVERS: apis.map((address) => `server ${address} max_fails=1 fail_timeout=2s;`).join('\n        '),
    });
    const args = ['-e', 'stderr', '-p', ownFolder('nginx'), '-c', nginx];
    this.nginx = program('nginx', 'nginx', args, { stopSignal: 'SIGQUIT' });
  }

  /** Every program, in the order in which they start. */
  get programs(): readonly Program[] {
    const { etcds, haproxy, databases, pgbouncer, nodes, nginx } = this;
    return [...etcds, haproxy, ...databases, pgbouncer, ...Object.values(nodes), nginx];
  }

  async start(): Promise<void> {
    // Programs that an earlier script left running when it was killed.
    for (const program of this.programs) await program.kill();
    const [first, ...others] = this.databases;
    for (const program of [...this.etcds, this.haproxy]) program.start();
    // The first one to ask initializes the database, and the others copy it.
    first?.start();
    await this.#until('no primary', () => this.#createDatabase());
    for (const program of [...others, this.pgbouncer]) program.start();
    // From now on, the cluster can lose its primary.
    await this.#until('no synchronous standby', async () => (await this.findMembers('synchronous')).length > 0);
    for (const node of Object.values(this.nodes)) node.start();
    this.nginx.start();
    await Promise.all((Object.keys(NODES) as NodeName[]).map((name) => this.untilReady(name)));
  }

  async stop(): Promise<void> {
    const groups = [
      [this.nginx],
      Object.values(this.nodes),
      [this.pgbouncer, this.haproxy],
      this.databases,
      this.etcds,
    ];
    for (const group of groups) await Promise.all(group.map((program) => program.stop()));
  }

  /** The positions in `databases` of those with a role. A synchronous standby has every acknowledged commit. */
  async findMembers(role: 'primary' | 'synchronous' | 'asynchronous'): Promise<number[]> {
    const are = await Promise.all(this.databases.map(({ url }) => isOk(`${url}/${role}`)));
    return are.flatMap((is, i) => (is ? [i] : []));
  }

  /** Until every database runs and one of the standbys is synchronous. */
  async untilComplete(): Promise<void> {
    await this.#until('the cluster is not complete', async () => {
      const counts = (['primary', 'synchronous', 'asynchronous'] as const).map(
        async (role) => (await this.findMembers(role)).length,
      );
      const [primaries = 0, synchronous = 0, others = 0] = await Promise.all(counts);
      return primaries === 1 && synchronous > 0 && synchronous + others === MEMBERS.length - 1;
    });
  }

  async untilReady(name: NodeName): Promise<void> {
    await this.#until(`${name} was not ready`, () => isOk(`${this.nodes[name].url}/readyz`));
  }

  /** False until HAProxy leads to a primary. */
  async #createDatabase(): Promise<boolean> {
    const { password } = new URL(this.environment.DATABASE_READ_URL ?? '');
    const client = new pg.Client({
      ...{ host: HOST, port: this.ports.primary, user: 'foreword', password, database: 'postgres' },
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`create database ${DATABASE}`);
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async #until(problem: string, isTrue: () => Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + READY_LIMIT_MS; performance.now() < deadline; await sleep(POLL_MS))
      if (await isTrue()) return;
    const logs = this.programs.map((program) => `${program.name}: ${program.readLog()}`);
    throw new ClusterError(`${problem} within ${READY_LIMIT_MS / 1000} s\n${logs.join('\n')}`);
  }
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
