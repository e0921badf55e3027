import net from 'node:net';
import { type Service, startService } from './service.ts';
import { listenLocally } from './streams.ts';

/** Distributes connections over the nodes in turn, like a load balancer. */
async function balance(nodes: readonly Service[]): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0;
  const server = net.createServer((incoming) => {
    const node = nodes[turn++ % nodes.length];
    const outgoing = net.connect(Number(new URL(node?.url ?? '').port), '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  return listenLocally(server);
}

/** Two API processes and two workers, which also encode videos, on one database behind one address. */
export async function startCluster(environment: Record<string, string>): Promise<Service> {
  const roles = ['api', 'api', 'worker,media', 'worker,media'];
  // The shared address comes first, because every node uses it in links and webhooks.
  const apis: Service[] = [];
  const balancer = await balance(apis);
  const shared = { PUBLIC_URL: balancer.url, ...environment };
  const nodes = await Promise.all(roles.map((role) => startService({ ...shared, FOREWORD_ROLE: role })));
  apis.push(...nodes.slice(0, 2));
  const [first] = nodes;
  if (first === undefined) throw new Error('a cluster needs a node');
  const end = async (how: 'stop' | 'kill') => {
    await balancer.close();
    return Promise.all(nodes.map((node) => node[how]()));
  };
  return {
    url: balancer.url,
    pid: first.pid,
    output: () => nodes.map((node) => node.output()).join('\n'),
    exited: first.exited,
    async stop() {
      return (await end('stop')).every((code) => code === 0) ? 0 : 1;
    },
    async kill() {
      await end('kill');
    },
  };
}
