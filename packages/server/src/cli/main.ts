/** The `foreword` command. */

import { DEFAULT_COLUMNS } from './print.ts';
import { runCommandLine } from './run.ts';

// For example, `foreword … | head` closes the pipe early.
process.stdout.on('error', () => process.exit());
const { exitCode, stdout, stderr } = await runCommandLine(
  process.argv.slice(2),
  process.stdout.columns ?? DEFAULT_COLUMNS,
);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
