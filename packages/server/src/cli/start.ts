import path from 'node:path';
import { Type } from 'typebox';
import { HEAP_FLAGS } from '../platform/heap-flags.ts';
import { type Command, checkValues } from './command.ts';

/** In the npm package, this file and main are JavaScript. */
const MAIN = path.join(import.meta.dirname, `../main${path.extname(import.meta.filename)}`);

const input = Type.Object({
  port: Type.Optional(Type.String({ description: 'The port to listen on. Default: PORT, or 3000.' })),
  'data-dir': Type.Optional(
    Type.String({ description: 'The folder of the embedded database and of videos. Default: DATA_DIR, or ./data.' }),
  ),
  'database-url': Type.Optional(
    Type.String({ description: 'Your own PostgreSQL. Default: DATABASE_URL; without it, the embedded PostgreSQL.' }),
  ),
});

const VARIABLES: Readonly<Record<string, string>> = {
  port: 'PORT',
  'data-dir': 'DATA_DIR',
  'database-url': 'DATABASE_URL',
};

export const startCommand: Command = {
  path: ['start'],
  summary: 'Start the service.',
  operand: undefined,
  input,
  example: 'foreword start --port 4200 --data-dir ./data',
  async perform(values) {
    checkValues(startCommand, input, values);
    for (const [option, value] of Object.entries(values)) process.env[VARIABLES[option] ?? ''] = String(value);
    if (process.execve === undefined) throw new Error(`foreword start does not work on ${process.platform}`);
    // Replaces this process, so that signals and exit codes need no forwarding. Heap flags work only from the start.
    const parent = process.env.npm_lifecycle_event === undefined ? [] : [String(process.ppid)];
    return process.execve(process.execPath, [process.execPath, ...HEAP_FLAGS, MAIN, ...parent], process.env);
  },
};
