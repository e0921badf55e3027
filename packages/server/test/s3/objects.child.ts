// Run by objects.test.ts: uses the store once, and prints what would keep the process alive.
import { buffer } from 'node:stream/consumers';
import { openObjects } from '../../src/platform/objects.ts';

const objects = openObjects(process.argv[2] ?? '', { clock: () => new Date() });
await objects.put('child/a', Buffer.from('x'), { type: 'text/plain' });
const stream = await (await objects.open('child/a'))?.stream();
if (stream !== undefined) await buffer(stream);
const active = process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Timeout/.test(kind));
process.stdout.write(`${JSON.stringify(active)}\n`);
