import type { Cluster, NodeName, Program } from '../../../../scripts/cluster/index.ts';
import { isLong, sleep } from '../harness/index.ts';
import type { SilentProxy } from '../harness/silent-proxy.ts';

/** Longer than the cluster waits for a sign of life before it elects again. */
const LOST_MS = 15_000;

export interface Site {
  readonly cluster: Cluster;
  /** Between the nodes and PgBouncer, and between the nodes and HAProxy. */
  readonly network: readonly SilentProxy[];
  /** Until an event that is sent from now on is accepted. */
  untilAccepted(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** Causes the fault, and repairs what does not repair itself. */
  run(site: Site): Promise<void>;
}

const memberAt = <T>(members: readonly T[], index = -1): T => {
  const found = members[index];
  if (found === undefined) throw new Error('the cluster has no such member');
  return found;
};

/** Events are accepted again before the machine is back. */
async function loseMachine(server: Program, { untilAccepted }: Site, lostMs = 0): Promise<void> {
  await server.kill({ withMachine: true });
  await sleep(lostMs);
  await untilAccepted();
  server.start();
}

async function pause(program: Program, seconds: number): Promise<void> {
  program.pause();
  await sleep(seconds * 1_000);
  program.resume();
}

/** The position of the leader in `etcds`. */
async function findEtcdLeader({ etcds }: Cluster): Promise<number> {
  for (const { url } of etcds) {
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

const findPrimary = async (cluster: Cluster) => memberAt(cluster.databases, (await cluster.findMembers('primary'))[0]);

/** Moves the primary's role to the synchronous standby, as before maintenance. */
async function switchOver(cluster: Cluster): Promise<void> {
  const { name, url } = await findPrimary(cluster);
  const response = await fetch(`${url}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: name }),
  });
  if (!response.ok) throw new Error(`the switchover failed: ${response.status} ${await response.text()}`);
}

const killNode = (name: NodeName): Fault => ({
  name: `kill -9 of ${name}`,
  async run({ cluster, untilAccepted }) {
    await cluster.nodes[name].kill();
    await untilAccepted();
    await cluster.untilReady(name);
  },
});

/**
 * Its machine starts again, as with a watchdog. Debian 12 has Patroni 3.0.2: if it continues after another primary got its lock, it may
 * take the lock back, and the commits of the other one are lost. Patroni 3.0.3 checks who has it.
 */
const hangPrimary = (seconds: number): Fault => ({
  name: `a primary that hangs for ${seconds} s`,
  async run({ cluster }) {
    const primary = await findPrimary(cluster);
    primary.pause();
    await sleep(seconds * 1_000);
    await primary.kill();
  },
});

const killProxy = (name: 'haproxy' | 'pgbouncer'): Fault => ({
  name: `kill -9 of ${name}`,
  run: ({ cluster }) => cluster[name].kill(),
});

const KILLED_PRIMARY: Fault = {
  name: 'the loss of the machine of the primary',
  async run(site) {
    await loseMachine(await findPrimary(site.cluster), site);
  },
};

/** The faults that `.ci/run` tests. */
const SHORT: readonly Fault[] = [KILLED_PRIMARY, killProxy('pgbouncer'), killNode('api1'), killNode('worker1')];

const LONG: readonly Fault[] = [
  ...SHORT,
  {
    name: 'a planned switchover',
    run: ({ cluster }) => switchOver(cluster),
  },
  killProxy('haproxy'),
  {
    name: 'a rolling restart of all nodes',
    async run({ cluster }) {
      for (const [name, node] of Object.entries(cluster.nodes)) {
        await node.restart();
        await cluster.untilReady(name as NodeName);
      }
    },
  },
  killNode('media1'),
  {
    name: 'the loss of the machine of the synchronous standby',
    async run(site) {
      const [synchronous] = await site.cluster.findMembers('synchronous');
      await loseMachine(memberAt(site.cluster.databases, synchronous), site);
    },
  },
  {
    name: `the loss of the machine of etcd's leader`,
    async run(site) {
      await loseMachine(memberAt(site.cluster.etcds, await findEtcdLeader(site.cluster)), site, LOST_MS);
    },
  },
  hangPrimary(10),
  hangPrimary(40),
  {
    name: 'a PgBouncer that hangs for 10 s',
    run: ({ cluster }) => pause(cluster.pgbouncer, 10),
  },
  {
    name: 'no packets between database and nodes for 10 s',
    async run({ network }) {
      for (const proxy of network) proxy.silenceAll();
      await sleep(10_000);
      for (const proxy of network) proxy.restore();
    },
  },
  KILLED_PRIMARY,
];

export const FAULTS = isLong ? LONG : SHORT;
