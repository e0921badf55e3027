import path from 'node:path';
import { HEAP_FLAGS } from '../platform/process.ts';
import { defineCommand, Option } from './command.ts';

/** In the npm package, this file and main are JavaScript. */
const MAIN = path.join(import.meta.dirname, `../main${path.extname(import.meta.filename)}`);

export const startCommand = defineCommand(
  {
    name: 'start',
    summary: 'Start the service.',
    input: {
      port: Option('The port to listen on. Default: PORT, or 3000.'),
      data_dir: Option('The folder of the embedded database and of videos. Default: DATA_DIR, or ./data.'),
      database_url: Option('Your own PostgreSQL. Default: DATABASE_URL; without it, the embedded PostgreSQL.'),
    },
    example: '--port 4200 --data-dir ./data',
  },
  async (values) => {
    for (const [field, value] of Object.entries(values)) process.env[field.toUpperCase()] = value;
    if (process.execve === undefined) throw new Error(`foreword start does not work on ${process.platform}`);
    // Replaces this process, so that signals and exit codes need no forwarding. Heap flags work only from the start.
    const parent = process.env.npm_lifecycle_event === undefined ? [] : [String(process.ppid)];
    return process.execve(process.execPath, [process.execPath, ...HEAP_FLAGS, MAIN, ...parent], process.env);
  },
);
