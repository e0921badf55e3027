import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Objects, ObjectsError } from './interface.ts';

/** What an operator wants to know of a store before the first member records: may we write, read and delete there? */
export async function checkObjects(objects: Omit<Objects, 'check'>): Promise<void> {
  const content = randomUUID();
  // A name of its own for each: several nodes start at once.
  const key = `check/${content}`;
  await objects.put(key, Buffer.from(content), { type: 'text/plain' });
  try {
    const stored = await objects.open(key);
    const read = stored === null ? null : (await buffer(await stored.stream())).toString();
    if (read !== content) throw new ObjectsError('failed', 'the store does not give back what was written to it');
  } finally {
    await objects.delete(key);
  }
  if ((await objects.open(key)) !== null) throw new ObjectsError('failed', 'the store keeps what was deleted from it');
}
