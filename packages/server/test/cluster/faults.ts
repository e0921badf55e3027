import type { Cluster, NodeName, Program } from '../../../../scripts/cluster/index.ts';
import { isLong, sleep } from '../harness/index.ts';
import type { SilentProxy } from '../harness/silent-proxy.ts';

/** The primary is elected again after ten seconds without a sign of life; the rest is the election. */
const FAILOVER_S = 15;
const SWITCHOVER_S = 5;

export interface Site {
  readonly cluster: Cluster;
  /** Between the nodes and PgBouncer, and between the nodes and HAProxy. */
  readonly network: readonly SilentProxy[];
}

export interface Fault {
  readonly name: string;
  /** Accepting events may be interrupted for this long. */
  readonly limitS: number;
  /** Causes the fault, and repairs what does not repair itself. */
  run(site: Site): Promise<void>;
}

const memberAt = (programs: readonly Program[], index: number): Program => {
  const found = programs[index];
  if (found === undefined) throw new Error('the cluster has no such member');
  return found;
};

async function loseMachine(server: Program, seconds: number): Promise<void> {
  await server.kill({ withMachine: true });
  await sleep(seconds * 1_000);
  server.start();
}

/** The position of the leader in `etcds`. */
async function findEtcdLeader({ etcds, etcdUrls }: Cluster['database']): Promise<number> {
  for (const url of etcdUrls) {
    const body = { method: 'POST', body: '{}', signal: AbortSignal.timeout(1_000) };
    const response = await fetch(`${url}/v3/maintenance/status`, body).catch(() => null);
    if (response?.ok !== true) continue;
    const { leader } = (await response.json()) as { leader: string };
    const members = (await (await fetch(`${url}/v3/cluster/member/list`, { method: 'POST', body: '{}' })).json()) as {
      members: { ID: string; name: string }[];
    };
    const name = members.members.find(({ ID }) => ID === leader)?.name;
    return etcds.findIndex((etcd) => etcd.name === name);
  }
  return -1;
}

/** Moves the primary's role to the synchronous standby, as before maintenance. */
async function switchOver(database: Cluster['database']): Promise<void> {
  const primary = await database.findPrimary();
  const response = await fetch(`${database.patroniUrls[primary]}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: database.servers[primary]?.name }),
  });
  if (!response.ok) throw new Error(`the switchover failed: ${response.status} ${await response.text()}`);
}

const killNode = (name: NodeName): Fault => ({
  name: `kill -9 of ${name}`,
  limitS: SWITCHOVER_S,
  async run({ cluster }) {
    await cluster.nodes[name].kill();
    await cluster.untilReady(name);
  },
});

const pausePrimary = (seconds: number): Fault => ({
  name: `a primary that hangs for ${seconds} s`,
  limitS: FAILOVER_S,
  async run({ cluster: { database } }) {
    const primary = memberAt(database.servers, await database.findPrimary());
    primary.pause();
    await sleep(seconds * 1_000);
    primary.resume();
  },
});

const partition = (seconds: number): Fault => ({
  name: `no packets between database and nodes for ${seconds} s`,
  limitS: seconds + SWITCHOVER_S,
  async run({ network }) {
    for (const proxy of network) proxy.silenceAll();
    await sleep(seconds * 1_000);
    for (const proxy of network) proxy.restore();
  },
});

const KILLED_PRIMARY: Fault = {
  name: 'the machine of the primary is lost',
  limitS: FAILOVER_S,
  async run({ cluster: { database } }) {
    const primary = memberAt(database.servers, await database.findPrimary());
    await loseMachine(primary, FAILOVER_S);
  },
};

const SWITCHOVER: Fault = {
  name: 'planned switchover',
  limitS: SWITCHOVER_S,
  run: ({ cluster: { database } }) => switchOver(database),
};

const killProxy = (name: 'haproxy' | 'pgbouncer'): Fault => ({
  name: `kill -9 of ${name}`,
  limitS: SWITCHOVER_S,
  run: ({ cluster: { database } }) => database[name].kill(),
});

const ROLLING_RESTART: Fault = {
  name: 'rolling restart of all nodes',
  limitS: SWITCHOVER_S,
  async run({ cluster }) {
    for (const [name, node] of Object.entries(cluster.nodes)) {
      await node.restart();
      await cluster.untilReady(name as NodeName);
    }
  },
};

/** The faults that `.ci/run` tests. */
const SHORT: readonly Fault[] = [
  KILLED_PRIMARY,
  SWITCHOVER,
  killProxy('haproxy'),
  killProxy('pgbouncer'),
  killNode('api1'),
  killNode('worker1'),
  ROLLING_RESTART,
];

const FULL: readonly Fault[] = [
  ...SHORT,
  killNode('media1'),
  {
    name: 'the machine of the synchronous standby is lost',
    limitS: FAILOVER_S,
    async run({ cluster: { database } }) {
      const [synchronous = -1] = await database.findStandbys('sync');
      await loseMachine(memberAt(database.servers, synchronous), FAILOVER_S);
    },
  },
  {
    name: `the machine of etcd's leader is lost`,
    limitS: FAILOVER_S,
    async run({ cluster: { database } }) {
      await loseMachine(memberAt(database.etcds, await findEtcdLeader(database)), FAILOVER_S);
    },
  },
  pausePrimary(10),
  pausePrimary(40),
  {
    name: 'PgBouncer hangs for 10 s',
    limitS: FAILOVER_S,
    async run({ cluster: { database } }) {
      database.pgbouncer.pause();
      await sleep(10_000);
      database.pgbouncer.resume();
    },
  },
  partition(10),
  KILLED_PRIMARY,
];

export const FAULTS = isLong ? FULL : SHORT;
