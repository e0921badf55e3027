import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { checkObjects, type Objects, openObjects } from '../../src/platform/objects/index.ts';
import { isLong } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { filesIn, read } from './objects.bodies.ts';

const CHILD = path.join(import.meta.dirname, 'objects.child.ts');
const DAY_MS = 86_400_000;

const openFolder = (root: string, now = () => new Date()): Objects =>
  openObjects(pathToFileURL(root).href, { clock: now });

test('after kill -9 a folder contains only complete objects, including every acknowledged one', async () => {
  const root = path.join(temporaryFolder(), 'objects');
  const acknowledged = new Set<string>();
  let unfinished = 0;
  for (let round = 0; round < (isLong ? 12 : 4); round++) {
    const child = spawn(process.execPath, [CHILD, 'put', root], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => acknowledged.add(JSON.parse(line)));
    const drained = once(lines, 'close');
    await once(lines, 'line');
    await sleep(20 + round * 40);
    child.kill('SIGKILL');
    await ended;
    await drained;

    const objects = openFolder(root);
    const keys = filesIn(root).filter((name) => !name.startsWith('.tmp/'));
    unfinished += readdirSync(path.join(root, '.tmp')).length;
    for (const key of keys) {
      const content = await read(await objects.open(key));
      const hash = createHash('sha256').update(content.subarray(32)).digest();
      expect(hash.equals(content.subarray(0, 32)), key).toBe(true);
    }
    expect(keys).toEqual(expect.arrayContaining([...acknowledged]));
  }
  expect(acknowledged.size).toBeGreaterThan(10);
  // The kills interrupted writes; their leftovers are deleted a day later.
  expect(unfinished).toBeGreaterThan(0);
  const tomorrow = new Date(Date.now() + DAY_MS + 60_000);
  await checkObjects(openFolder(root, () => tomorrow));
  expect(existsSync(path.join(root, '.tmp'))).toBe(true);
  expect(readdirSync(path.join(root, '.tmp'))).toEqual([]);
});
