import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { DatabaseCluster } from './database.ts';
import {
  ClusterError,
  chooseIdentity,
  fillIn,
  findProgram,
  HOST,
  type Identity,
  makeFolder,
  requirePrograms,
  writeFile,
} from './machine.ts';
import { Program } from './program.ts';

export { ClusterError, Program };

const MAIN = path.join(import.meta.dirname, '../../packages/server/src/main.ts');
const DATABASE = 'foreword';
const READY_LIMIT_MS = 180_000;
const POLL_MS = 100;
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
  readonly report?: (line: string) => void;
}

interface Node extends Program {
  readonly url: string;
}

interface Secrets {
  readonly database: string;
  readonly serverKey: string;
}

/** Created once: the data of an earlier start needs them again. */
function readSecrets(folder: string): Secrets {
  const file = path.join(folder, 'secrets.json');
  if (!fs.existsSync(file)) {
    const secrets: Secrets = { database: randomBytes(20).toString('hex'), serverKey: randomBytes(32).toString('hex') };
    writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), {});
    fs.renameSync(`${file}.new`, file);
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Secrets;
}

/** Foreword on a PostgreSQL that fails over, with everything around it, on loopback. */
export class Cluster {
  /** Through nginx. */
  readonly url: string;
  /** The settings of the nodes and of commands. */
  readonly environment: Readonly<Record<string, string>>;
  readonly database: DatabaseCluster;
  readonly nginx: Program;
  readonly nodes: Readonly<Record<NodeName, Node>>;
  readonly folder: string;
  readonly #report: (line: string) => void;

  constructor({ folder, basePort, settings = {}, reroute = (urls) => urls, report = () => undefined }: ClusterOptions) {
    requirePrograms();
    let port = basePort;
    const newPort = () => port++;
    const identity = chooseIdentity();
    this.folder = folder;
    this.#report = report;
    fs.mkdirSync(folder, { recursive: true });
    // Another user has to reach its own folders.
    fs.chmodSync(folder, 0o711);
    const logs = path.join(folder, 'logs');
    fs.mkdirSync(logs, { recursive: true });
    const secrets = readSecrets(folder);
    const publicPort = newPort();
    this.url = `http://${HOST}:${publicPort}`;
    this.database = new DatabaseCluster({
      ...{ folder, identity, newPort, password: secrets.database },
    });
    const urls = { pooled: this.database.url('pooled', DATABASE), direct: this.database.url('primary', DATABASE) };
    const { pooled, direct } = reroute(urls);
    this.environment = {
      ...{ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct, PUBLIC_URL: this.url, SERVER_KEY: secrets.serverKey },
      ...{
        DATABASE_READ_URL: this.database.url('replicas', DATABASE),
        OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
        ...settings,
      },
    };
    const nodes = Object.entries(NODES).map(([name, role]) => [name, this.#node(name, role, newPort(), logs)] as const);
    this.nodes = Object.fromEntries(nodes) as typeof this.nodes;
    this.nginx = this.#proxy(publicPort, identity, logs);
  }

  #node(name: string, role: string, port: number, logs: string): Node {
    const cwd = path.join(this.folder, name);
    fs.mkdirSync(cwd, { recursive: true });
    const own = { DATA_DIR: cwd, FOREWORD_ROLE: role, PORT: String(port), HOST, FOREWORD_DEMO: 'off' };
    const program = new Program(name, {
      ...{ command: process.execPath, args: [MAIN], cwd, folder: logs, env: { ...own, ...this.environment } },
    });
    return Object.assign(program, { url: `http://${HOST}:${port}` });
  }

  #proxy(port: number, identity: Identity, logs: string): Program {
    const cwd = makeFolder(path.join(this.folder, 'nginx'), identity);
    const { api1, api2, api3 } = this.nodes;
    const servers = [api1, api2, api3].map(({ url }) => `server ${new URL(url).host} max_fails=1 fail_timeout=2s;`);
    const values = { FOLDER: cwd, HOST, PORT: port, SERVERS: servers.join('\n') };
    const file = writeFile(path.join(cwd, 'nginx.conf'), fillIn('nginx.conf', values), identity);
    const args = ['-e', 'stderr', '-p', cwd, '-c', file];
    return new Program('nginx', {
      command: findProgram('nginx'),
      args,
      cwd,
      identity,
      folder: logs,
      stopSignal: 'SIGQUIT',
    });
  }

  /** Every program, in the order in which they start. */
  get programs(): readonly Program[] {
    return [...this.database.programs, ...Object.values(this.nodes), this.nginx];
  }

  async start(): Promise<void> {
    for (const program of this.programs) await program.removeLeftovers();
    this.#report('Starting etcd, three PostgreSQL servers, HAProxy and PgBouncer');
    await this.database.start();
    await this.#createDatabase();
    this.#report('Starting Foreword: three API nodes, two workers and a media node');
    for (const node of Object.values(this.nodes)) node.start();
    this.nginx.start();
    await Promise.all((Object.keys(NODES) as NodeName[]).map((name) => this.untilReady(name)));
  }

  async #createDatabase(): Promise<void> {
    const client = new pg.Client({ connectionString: this.database.url('primary', 'postgres') });
    await client.connect();
    try {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`create database ${DATABASE}`);
    } finally {
      await client.end();
    }
  }

  async untilReady(name: NodeName): Promise<void> {
    const node = this.nodes[name];
    for (const deadline = performance.now() + READY_LIMIT_MS; performance.now() < deadline; await sleep(POLL_MS)) {
      const response = await fetch(`${node.url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      if (response?.ok === true) return;
    }
    throw new ClusterError(`${name} was not ready within ${READY_LIMIT_MS / 1000} s:\n${node.readLog()}`);
  }

  async stop(): Promise<void> {
    await this.nginx.stop();
    await Promise.all(Object.values(this.nodes).map((node) => node.stop()));
    await this.database.stop();
  }
}
