import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { DEFAULT_COLUMNS } from '../../src/cli/print.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** One command line, with the environment its process would have. */
interface Command {
  readonly environment: Record<string, string>;
  readonly args: string[];
}

async function run({ environment, args }: Command) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  return runCommandLine(args, DEFAULT_COLUMNS);
}

// One at a time: the environment belongs to the whole process.
let queue: Promise<unknown> = Promise.resolve();
const enqueue = (command: Command) => {
  const outcome = queue.then(() => run(command));
  queue = outcome.catch(() => undefined);
  return outcome;
};

const server = createServer(async (request, response) => {
  const outcome = await enqueue((await json(request)) as Command);
  response.end(JSON.stringify(outcome));
});
server.listen(process.argv[2], () => process.stdout.write('open\n'));
// The parent holds the other end of stdin; it closes when the parent exits.
process.stdin.resume().on('end', () => process.exit());
