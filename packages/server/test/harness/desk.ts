import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';

const NODE_COMPILE_CACHE = path.join(import.meta.dirname, '../../../../node_modules/.cache/foreword');

/**
 * Takes orders for commands and does them in one process, for the whole run: most of a command's processor time goes into
 * reading its program, and hundreds of commands only arrange what a test is about.
 */
export async function openDesk(socket: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'desk.child.ts'), socket], {
    env: { ...process.env, NODE_COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    const gone = once(child, 'exit');
    child.stdin.end();
    await gone;
  };
}

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function orderAtDesk(
  socket: string,
  environment: Record<string, string>,
  args: readonly string[],
): Promise<Ended> {
  const asking = request({ socketPath: socket, method: 'POST' });
  asking.end(JSON.stringify({ environment, args }));
  const [answer] = await once(asking, 'response');
  return (await json(answer)) as Ended;
}
