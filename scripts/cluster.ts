import fs from 'node:fs';
import path from 'node:path';
import { Cluster, ClusterError } from './cluster/index.ts';

// `npm run cluster`: everything of docs/self-hosting/cluster.md on this machine. Ctrl-C stops it, and the next start
// continues with the same data.

const BASE_PORT = 4400;
const folder = path.resolve(process.argv[2] ?? 'cluster');
const say = (line: string) => process.stdout.write(`${line}\n`);

/** For `node --env-file`, so that commands use the same database. */
function writeSettings({ environment }: Cluster): string {
  const file = path.join(folder, 'cluster.env');
  const lines = Object.entries(environment).map(([name, value]) => `${name}="${value}"`);
  fs.writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}

async function run(): Promise<void> {
  const { OBJECTS_URL } = process.env;
  const settings = OBJECTS_URL === undefined ? {} : { OBJECTS_URL };
  const cluster = new Cluster({ folder, basePort: BASE_PORT, settings, report: say });
  let isStopping = false;
  const stop = async (code: number) => {
    if (isStopping) return;
    isStopping = true;
    say('Stopping');
    await cluster.stop();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
  try {
    await cluster.start();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    await stop(1);
    return;
  }
  const file = path.relative(process.cwd(), writeSettings(cluster));
  const patroni = path.relative(process.cwd(), path.join(folder, 'postgres1/patroni.yml'));
  say(`
Foreword listens on ${cluster.url}.

Commands     node --env-file=${file} packages/server/bin/foreword.mjs org list
PostgreSQL   patronictl -c ${patroni} list
Replicas     127.0.0.1:${cluster.database.ports.replicas}, for reads that may be stale
Logs         ${path.relative(process.cwd(), path.join(folder, 'logs'))}

Ctrl-C stops everything. The next start continues with the same data.`);
}

run().catch((error) => {
  process.stderr.write(`${error instanceof ClusterError ? error.message : (error?.stack ?? error)}\n`);
  process.exit(1);
});
