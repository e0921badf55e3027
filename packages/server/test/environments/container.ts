import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { eventually } from '../acceptance/support/actions.ts';
import { collectText } from '../harness/streams.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

/** The part of an image's configuration that a container runtime uses. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: string[];
  readonly Entrypoint: string[];
  readonly Cmd: string[];
  readonly WorkingDir: string;
  readonly Labels: Record<string, string>;
  readonly Volumes?: Record<string, unknown>;
  readonly Healthcheck: { Test: string[] };
}

/**
 * Starts the entry point as a container runtime does with `--read-only --cap-drop=all --security-opt=no-new-privileges
 * --network=host`: process 1 of its own process namespace, in the image's root, with the image's user and environment. Only
 * /data and /tmp are writable. A real runtime needs cgroups and a network setup, which many CI machines do not allow.
 */
const SETUP = `
root=$1 data=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount --options remount,bind,ro "$root"
mount --types proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --types tmpfs --options mode=1777,nosuid,nodev,noexec tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs \\
  --bounding-set=-all --inh-caps=-all -- env --ignore-environment --chdir="$folder" "$@"
`;

/** `unshare` stays outside of the new process namespace; its only child is process 1 in it. */
async function childOf(parent: ChildProcess, output: () => string): Promise<number> {
  const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
  const list = await eventually(
    async () => {
      if (parent.exitCode !== null) throw new Error(`the container exited at startup: ${output()}`);
      return fs.readFileSync(children, 'utf8').trim();
    },
    (pids) => pids !== '',
  );
  return Number(list.split(' ')[0]);
}

export type Container = Awaited<ReturnType<typeof startContainer>>;

export async function startContainer(
  image: { root: string; config: ImageConfig },
  options: { data: string; environment: Record<string, string>; command?: string[] },
) {
  const { root, config } = image;
  const environment = [
    ...config.Env,
    ...Object.entries(options.environment).map(([name, value]) => `${name}=${value}`),
  ];
  const command = [...config.Entrypoint, ...(options.command ?? config.Cmd)];
  const child = spawn(
    findProgram('unshare', 'util-linux'),
    [
      ...['--mount', '--pid', '--fork', '--kill-child', '--', '/bin/sh', '-euc', SETUP, 'setup'],
      ...[root, options.data, config.User, config.WorkingDir, ...environment, ...command],
    ],
    { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = collectText(child.stdout, child.stderr);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const pid = await childOf(child, output).catch(async (error) => {
    // A container that refuses its configuration may exit before it is found.
    if (child.exitCode === null) throw error;
    return -1;
  });
  const [uid = '', gid = ''] = config.User.split(':');
  return {
    /** The process id of the entry point, outside of the container. */
    pid,
    /** Everything written to stdout and stderr so far. */
    output,
    exited,
    /** Runs a command in the running container, with the image's user and environment, like `docker exec`. */
    async exec(...args: string[]) {
      const enter = ['--target', String(pid), '--mount', '--pid', '--root', '--wd', '--setuid', uid, '--setgid', gid];
      const set = ['env', '--ignore-environment', `--chdir=${config.WorkingDir}`, ...environment];
      const ran = run(findProgram('nsenter', 'util-linux'), [...enter, '--', ...set, ...args]);
      return ran.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      );
    },
    /** SIGTERM to the entry point, like `docker stop`. */
    async stop() {
      process.kill(pid, 'SIGTERM');
      return exited;
    },
  };
}
