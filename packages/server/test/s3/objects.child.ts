// Run by objects.test.ts: uses the store once, and prints what would keep the process alive.
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjects } from '../../src/platform/objects/index.ts';

const objects = openObjects(process.argv[2] ?? '', { clock: () => new Date() });
await objects.put('child/a', Buffer.from('x'), { type: 'text/plain' });
const stream = await (await objects.open('child/a'))?.stream();
if (stream !== undefined) await buffer(stream);
const connections = () => process.getActiveResourcesInfo().filter((kind) => /TCP|TLS/.test(kind));
// Until the last connection is idle.
for (let tries = 0; tries < 20 && connections().length > 0; tries++) await sleep(100);
process.stdout.write(`${JSON.stringify(connections())}\n`);
