import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';

const NODE_COMPILE_CACHE = path.join(import.meta.dirname, '../../../../node_modules/.cache/foreword');

/**
 * Runs commands in one process for the whole test run. Most of a command's CPU time goes into loading its program, and
 * hundreds of commands only set up what a test is about.
 */
export async function startCommandServer(socket: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'command-server.child.ts'), socket], {
    env: { ...process.env, NODE_COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
  };
}

export interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runOnCommandServer(
  socket: string,
  environment: Record<string, string>,
  args: readonly string[],
): Promise<CommandOutcome> {
  // A connection of its own: the server may be closing one that was idle.
  const pending = request({ socketPath: socket, method: 'POST', agent: false });
  pending.end(JSON.stringify({ environment, args }));
  const [response] = await once(pending, 'response');
  return (await json(response)) as CommandOutcome;
}
