import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from '../environments/programs.ts';
import { sleep } from './service.ts';
import { collectText } from './streams.ts';

export type PoolMode = 'session' | 'transaction';

const START_LIMIT_MS = 10_000;
const POLL_MS = 20;

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/** Debian's PgBouncer on a Unix socket, in front of a PostgreSQL whose socket is in `serverSocketDir`. */
export async function startPgBouncer(options: {
  folder: string;
  serverSocketDir: string;
  mode: PoolMode;
  /** Server connections for each database. */
  poolSize: number;
}) {
  const program = findProgram('pgbouncer', 'pgbouncer');
  const { folder, serverSocketDir } = options;
  // PgBouncer refuses to run as root, and only the owner can enter the folder of PostgreSQL's socket.
  const { uid, gid } = fs.statSync(serverSocketDir);
  fs.mkdirSync(folder, { mode: 0o700 });
  const users = path.join(folder, 'users');
  const config = path.join(folder, 'pgbouncer.ini');
  fs.writeFileSync(users, '"foreword" ""\n');
  fs.writeFileSync(
    config,
    `[databases]
* = host=${serverSocketDir}
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
listen_port = 5432
auth_type = trust
auth_file = ${users}
pool_mode = ${options.mode}
default_pool_size = ${options.poolSize}
; Each transaction on another server connection, so that whatever relies on a session fails.
server_round_robin = 1
max_client_conn = 2000
log_connections = 0
log_disconnections = 0
`,
  );
  for (const file of [folder, users, config]) fs.chownSync(file, uid, gid);
  const identity = process.getuid?.() === 0 ? { uid, gid } : {};
  const child = spawn(program, [config], { ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = collectText(child.stdout, child.stderr);
  const exited = once(child, 'exit');
  for (let waited = 0; !fs.existsSync(path.join(folder, '.s.PGSQL.5432')); waited += POLL_MS) {
    if (child.exitCode !== null || waited > START_LIMIT_MS) throw new Error(`PgBouncer did not start: ${log()}`);
    await sleep(POLL_MS);
  }
  return {
    socketDir: folder,
    pid: child.pid ?? -1,
    async stop() {
      // SIGTERM disconnects clients at once; SIGINT would wait for them.
      child.kill('SIGTERM');
      await exited;
    },
  };
}
