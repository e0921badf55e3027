import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/run.ts';

/** One command line, with the environment that its process would have. */
interface Ordered {
  readonly environment: Record<string, string>;
  readonly args: string[];
}

async function serve({ environment, args }: Ordered) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  return runCommandLine(args, Number.POSITIVE_INFINITY);
}

// One after the other: the environment belongs to the whole process.
let queue: Promise<unknown> = Promise.resolve();
const inTurn = (ordered: Ordered) => {
  const served = queue.then(() => serve(ordered));
  queue = served.catch(() => undefined);
  return served;
};

const server = createServer(async (request, response) => {
  const ended = await inTurn((await json(request)) as Ordered);
  response.end(JSON.stringify(ended));
});
server.listen(process.argv[2], () => process.stdout.write('open\n'));
// Whoever started it holds the other end, and has gone when that is closed.
process.stdin.resume().on('end', () => process.exit());
