import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Objects, StoredObject } from '../../src/platform/objects.ts';
import { bytesOf, digest, MIB, read, TYPE } from './objects.bodies.ts';

export function describeReading(name: string, open: () => Objects): void {
  let objects: Objects;
  let tests = 0;
  /** A key prefix for each test. */
  const area = (): string => `reading${++tests}`;
  const contentOf = async (key: string): Promise<string> => digest(await read(await open().open(key)));

  beforeAll(() => {
    objects = open();
  });

  describe(`${name}: ranges`, () => {
    const content = bytesOf(9 * MIB + 11);
    const last = content.length - 1;
    let stored: StoredObject | null = null;

    beforeAll(async () => {
      await objects.put('ranges/video', content, TYPE);
      await objects.put('ranges/empty', Buffer.alloc(0), TYPE);
      stored = await objects.open('ranges/video');
    });

    test.each([
      ['the first byte', 0, 0, 1],
      ['the last byte', last, last, 1],
      ['bytes across two parts', 8 * MIB - 3, 8 * MIB + 2, 6],
      ['everything', 0, last, content.length],
      ['the rest, when the end is past the last byte', last - 9, last + 1_000_000, 10],
      ['everything, when the end is past the last byte', 0, Number.MAX_SAFE_INTEGER, content.length],
    ])('return %s', async (_, start, end, length) => {
      const got = await read(stored, { start, end });
      expect(got.length).toBe(length);
      expect(got.equals(content.subarray(start, end + 1))).toBe(true);
    });

    test.each([
      ['that start past the last byte', last + 1, last + 1],
      ['that end before they start', 5, 4],
      ['below zero', -1, 5],
      ['with a fraction', 0.5, 5],
      ['with NaN', Number.NaN, 5],
      ['without an end', 0, Number.POSITIVE_INFINITY],
    ])('%s are rejected', async (_, start, end) => {
      await expect(read(stored, { start, end })).rejects.toThrow(RangeError);
    });

    test('are rejected for an empty object', async () => {
      const empty = await objects.open('ranges/empty');
      await expect(read(empty, { start: 0, end: 0 })).rejects.toThrow(RangeError);
      expect((await read(empty)).length).toBe(0);
    });
  });

  describe(`${name}: an object that was opened`, () => {
    test('has the same etag for all readers, and a new one when its content changes', async () => {
      const key = `${area()}/tagged`;
      const etags: (string | undefined)[] = [];
      for (const content of ['one', 'two', 'six']) {
        await objects.put(key, Buffer.from(content), TYPE);
        const [here, there] = await Promise.all([objects.open(key), open().open(key)]);
        expect(here?.etag).toBe(there?.etag);
        expect(here?.etag).toMatch(/^[\w.-]+$/);
        etags.push(here?.etag);
      }
      expect(new Set(etags).size).toBe(3);
    });

    test('is reported as changed when it is replaced or deleted before it is read', async () => {
      const key = `${area()}/replaced`;
      await objects.put(key, Buffer.from('old'), TYPE);
      const replaced = await objects.open(key);
      await objects.put(key, Buffer.from('new'), TYPE);
      await expect(read(replaced)).rejects.toMatchObject({ code: 'changed' });
      await expect(read(replaced, { start: 1, end: 2 })).rejects.toMatchObject({ code: 'changed' });
      const deleted = await objects.open(key);
      await objects.delete(key);
      await expect(read(deleted)).rejects.toMatchObject({ code: 'changed' });
    });

    test('never mixes two versions when it is replaced while it is read', async () => {
      const key = `${area()}/busy`;
      const contents = [bytesOf(3 * MIB), bytesOf(3 * MIB)];
      const [first = Buffer.alloc(0)] = contents;
      await objects.put(key, first, TYPE);
      let writing = true;
      const writer = (async () => {
        for (let round = 0; round < 20; round++) await objects.put(key, contents[round % 2] ?? first, TYPE);
        writing = false;
      })();
      const seen = new Set<string>();
      let whole = 0;
      while (writing) {
        try {
          seen.add(digest(await read(await open().open(key))));
          whole += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: 'changed' });
        }
      }
      await writer;
      seen.add(await contentOf(key));
      expect(contents.map(digest)).toEqual(expect.arrayContaining([...seen]));
      expect(whole).toBeGreaterThan(0);
    });

    test('is not read faster than its reader consumes it', async () => {
      const key = `${area()}/slow`;
      await objects.put(key, bytesOf(20 * MIB), TYPE);
      const stream = await (await objects.open(key))?.stream();
      stream?.once('readable', () => undefined);
      await sleep(300);
      expect(stream?.readableLength).toBeGreaterThan(0);
      expect(stream?.readableLength).toBeLessThan(2 * MIB);
      stream?.destroy();
    });

    test('can be abandoned while it is read, many times', async () => {
      const key = `${area()}/left`;
      await objects.put(key, bytesOf(2 * MIB), TYPE);
      const stored = await objects.open(key);
      for (let round = 0; round < 100; round++) {
        const stream = (await stored?.stream()) ?? Readable.from([]);
        for await (const _ of stream) break;
        expect(stream.destroyed).toBe(true);
      }
      expect((await read(stored)).length).toBe(2 * MIB);
    });
  });
}
