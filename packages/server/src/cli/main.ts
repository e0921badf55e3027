/** The `foreword` command. */

import { DEFAULT_COLUMNS } from './print.ts';
import { complaint, EXIT_FAILED, runCommandLine } from './run.ts';

const args = process.argv.slice(2);
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // For example, `foreword … | head` closes the pipe early.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(complaint(`The output was not written: ${code}.`, EXIT_FAILED, args.includes('--json')));
  process.exit(EXIT_FAILED);
});
const { exitCode, stdout, stderr } = await runCommandLine(args, process.stdout.columns ?? DEFAULT_COLUMNS);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
