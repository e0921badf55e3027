import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Objects, ObjectsError } from './interface.ts';

/** Checks at startup that the store can be written, read and deleted from, before a member records. */
export async function checkObjects(objects: Omit<Objects, 'check'>): Promise<void> {
  const content = randomUUID();
  // A unique key, because several nodes may start at once.
  const key = `check/${content}`;
  await objects.put(key, Buffer.from(content), { type: 'text/plain' });
  try {
    const stored = await objects.open(key);
    const read = stored === null ? null : (await buffer(await stored.stream())).toString();
    if (read !== content) throw new ObjectsError('failed', 'the store returned other content than was written');
  } finally {
    await objects.delete(key);
  }
  if ((await objects.open(key)) !== null) throw new ObjectsError('failed', 'the store still returns a deleted object');
}
