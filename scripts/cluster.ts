import fs from 'node:fs';
import path from 'node:path';
import { Cluster, ClusterError } from './cluster/index.ts';

// `npm run cluster`: everything of docs/self-hosting/cluster.md on this machine. Ctrl-C stops it, and the next start
// continues with the same data.

const BASE_PORT = 4400;
const folder = path.resolve(process.argv[2] ?? 'cluster');
const say = (line: string) => process.stdout.write(`${line}\n`);
const show = (name: string) => path.relative(process.cwd(), path.join(folder, name));

async function run(): Promise<void> {
  const { OBJECTS_URL } = process.env;
  const cluster = new Cluster({ folder, basePort: BASE_PORT, ...(OBJECTS_URL && { settings: { OBJECTS_URL } }) });
  let stopping: Promise<never> | undefined;
  const stop = (code: number) => {
    stopping ??= cluster.stop().then(() => process.exit(code));
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
  try {
    say('Starting three PostgreSQL servers with their proxies, three API nodes, two workers and a media node');
    await cluster.start();
  } catch (error) {
    if (stopping === undefined) say(error instanceof Error ? error.message : String(error));
    await stop(1);
  }
  // For `node --env-file`, so that commands use the same database.
  const settings = Object.entries(cluster.environment).map(([name, value]) => `${name}="${value}"\n`);
  fs.writeFileSync(path.join(folder, 'cluster.env'), settings.join(''), { mode: 0o600 });
  say(`
Foreword listens on ${cluster.url}.

Commands     node --env-file=${show('cluster.env')} packages/server/bin/foreword.mjs org list
PostgreSQL   patronictl -c ${show('postgres1/patroni.yml')} list
Replicas     127.0.0.1:${cluster.ports.replicas}, for reads that may be stale
Logs         ${show('logs')}

Ctrl-C stops everything. The next start continues with the same data.`);
}

run().catch((error) => {
  say(error instanceof ClusterError ? error.message : error.stack);
  process.exit(1);
});
