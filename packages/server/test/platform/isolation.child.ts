import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findIsolation, readableFor } from '../../src/platform/isolation.ts';

// Plays the service: finds an isolation and runs a hostile program in it. Prints what the program could do.
const [, , folder = '', port = '', hostile = ''] = process.argv;
const node = [process.execPath, '--openssl-config=/dev/null'];
const readable = await readableFor(path.dirname(hostile));
const isolation = await findIsolation({ trial: [...node, '--check', hostile], readable, folder });
await isolation.handOver(folder);
const [command = '', ...args] = isolation.wrap([...node, hostile, port, String(process.pid)]);
const { stdout } = await promisify(execFile)(command, args, { cwd: folder });
const { description, isComplete } = isolation;
process.stdout.write(JSON.stringify({ description, isComplete, attempts: JSON.parse(stdout) }));
