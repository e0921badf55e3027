import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  checkObjects,
  type ObjectBody,
  type Objects,
  ObjectsError,
  type StoredObject,
} from '../../src/platform/objects/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { breakingStream, bytesOf, digest, MIB, read, streamOf, TYPE } from './objects.bodies.ts';

/** The guarantees of every store. `open` returns a new handle on the same store, like that of another process. */
export function describeObjects(name: string, open: () => Objects): void {
  let objects: Objects;
  const folder = temporaryFolder();
  let tests = 0;
  /** A key prefix for each test. */
  const area = (): string => `area${++tests}`;
  const contentOf = async (key: string): Promise<string> => digest(await read(await open().open(key)));

  beforeAll(() => {
    objects = open();
  });

  describe(`${name}: an object that was put`, () => {
    test.each([0, 1, 100_000, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 20_000_003])(
      'has the same bytes after a put from a buffer, a stream and a file of %i bytes',
      async (size) => {
        const [at, content] = [area(), bytesOf(size)];
        const file = path.join(folder, 'source');
        await writeFile(file, content);
        const bodies: Record<string, ObjectBody> = { buffer: content, stream: streamOf(content), file: { file } };
        for (const [kind, body] of Object.entries(bodies)) {
          await objects.put(`${at}/${kind}`, body, TYPE);
          const stored = await open().open(`${at}/${kind}`);
          expect(stored?.size).toBe(size);
          expect(digest(await read(stored))).toBe(digest(content));
        }
      },
    );

    test('is complete after a put from a stream of strings or single bytes', async () => {
      const at = area();
      await objects.put(`${at}/text`, Readable.from(['Grüße', '', ' an ', 'alle']), { type: 'text/plain' });
      await objects.put(`${at}/single`, streamOf(Buffer.from('one by one'), 1), { type: 'text/plain' });
      expect((await read(await objects.open(`${at}/text`))).toString()).toBe('Grüße an alle');
      expect((await read(await objects.open(`${at}/single`))).toString()).toBe('one by one');
    });

    test('replaces a shorter or longer one', async () => {
      const key = `${area()}/replaced`;
      for (const size of [50, 5_000, 9 * MIB, 7]) {
        const content = bytesOf(size);
        await objects.put(key, content, TYPE);
        expect(await contentOf(key)).toBe(digest(content));
      }
    });

    test('is exactly one of the versions that are put at the same time', async () => {
      const key = `${area()}/contested`;
      const contents = [...Array(8).keys()].map((number) => bytesOf(number % 2 === 0 ? 9 * MIB : 300_000));
      await Promise.all(contents.map((content) => open().put(key, streamOf(content), TYPE)));
      expect(contents.map(digest)).toContain(await contentOf(key));
    });

    test('can have a key without folders, or with many', async () => {
      const at = area();
      for (const key of [`${at}-alone`, `${at}/a/b/c/d/e/f/g.h_i-j`]) {
        await objects.put(key, Buffer.from(key), TYPE);
        expect((await read(await objects.open(key))).toString()).toBe(key);
      }
    });
  });

  describe(`${name}: a put that fails`, () => {
    test.each([
      ['immediately', 0],
      ['after 100 kB', 100_000],
      ['after more than one part', 9 * MIB],
    ])('rejects with the error of a stream that fails %s, and stores nothing', async (_, size) => {
      const key = `${area()}/broken`;
      const fault = new Error('the member went into a tunnel');
      await expect(objects.put(key, breakingStream(bytesOf(size), fault), TYPE)).rejects.toBe(fault);
      expect(await objects.open(key)).toBeNull();
    });

    test.each(['ECONNRESET', 'ENOSPC'])(
      'rethrows the error of a stream that fails with %s, because it is not an error of the store',
      async (code) => {
        const fault = Object.assign(new Error('theirs'), { code });
        await expect(objects.put(`${area()}/theirs`, breakingStream(bytesOf(100), fault), TYPE)).rejects.toBe(fault);
      },
    );

    test('keeps the previous object', async () => {
      const key = `${area()}/kept`;
      await objects.put(key, Buffer.from('the first'), TYPE);
      const etag = (await objects.open(key))?.etag;
      await expect(objects.put(key, breakingStream(bytesOf(9 * MIB), new Error('gone')), TYPE)).rejects.toThrow('gone');
      expect((await read(await objects.open(key))).toString()).toBe('the first');
      expect((await objects.open(key))?.etag).toBe(etag);
    });

    test('rejects a stream that is destroyed before or while it is read', async () => {
      const key = `${area()}/destroyed`;
      const closing = new Readable({ read() {} });
      closing.push(bytesOf(1_000));
      setTimeout(() => closing.destroy(), 50);
      await expect(objects.put(key, closing, TYPE)).rejects.toThrow(/premature|closed/i);
      const closed = streamOf(bytesOf(1_000));
      closed.destroy();
      await expect(objects.put(key, closed, TYPE)).rejects.toThrow('already read or closed');
      expect(await objects.open(key)).toBeNull();
    });

    test('rejects a stream that was already read, instead of storing an empty object', async () => {
      const key = `${area()}/spent`;
      const spent = streamOf(bytesOf(1_000));
      await buffer(spent);
      await expect(objects.put(key, spent, TYPE)).rejects.toMatchObject({ code: 'misused' });
      expect(await objects.open(key)).toBeNull();
    });

    test('rejects a missing file and stores nothing', async () => {
      const key = `${area()}/missing`;
      await expect(objects.put(key, { file: path.join(folder, 'none') }, TYPE)).rejects.toThrow('ENOENT');
      expect(await objects.open(key)).toBeNull();
    });
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

  describe(`${name}: a deleted object`, () => {
    test('does not exist, other objects remain, and deleting it again is allowed', async () => {
      const at = area();
      for (const key of ['a', 'ab', 'b/a']) await objects.put(`${at}/${key}`, Buffer.from(key), TYPE);
      for (let round = 0; round < 2; round++) {
        await objects.delete(`${at}/a`);
        expect(await objects.open(`${at}/a`)).toBeNull();
      }
      await objects.delete(`${at}/none/at/all`);
      await objects.delete(`${at}/ab/below`);
      expect(await contentOf(`${at}/ab`)).toBe(digest(Buffer.from('ab')));
      expect(await contentOf(`${at}/b/a`)).toBe(digest(Buffer.from('b/a')));
    });

    test('may never have existed, even below the name of a folder or an object', async () => {
      const at = area();
      await objects.put(`${at}/file`, Buffer.from('x'), TYPE);
      for (const key of [at, `${at}/none`, `${at}/file/below`]) expect(await objects.open(key)).toBeNull();
      await objects.delete(at);
      expect(await objects.open(`${at}/file`)).not.toBeNull();
    });

    test('may be one of 1,100 with a prefix, and objects with a similar prefix remain', async () => {
      const at = area();
      const keys = [...Array(1_100).keys()].map((number) => `${at}/one/${number % 3}/${number}`);
      const others = [`${at}/one-more`, `${at}/one.mp4`, `${at}/oneself/1`, `${at}/on/1`];
      for (let start = 0; start < keys.length; start += 50) {
        const some = keys.slice(start, start + 50);
        await Promise.all(some.map((key) => objects.put(key, Buffer.from(key), TYPE)));
      }
      for (const key of others) await objects.put(key, Buffer.from(key), TYPE);
      await objects.deleteAll(`${at}/one/`);
      const left = await Promise.all(keys.map((key) => objects.open(key)));
      expect(left.filter((stored) => stored !== null)).toEqual([]);
      for (const key of others) expect(await contentOf(key)).toBe(digest(Buffer.from(key)));
      await objects.deleteAll(`${at}/one/`);
      await objects.deleteAll(`${at}/one.mp4/`);
      expect(await objects.open(`${at}/one.mp4`)).not.toBeNull();
    });

    test('does not interfere with a concurrent put to the same folder', async () => {
      const at = area();
      for (let round = 0; round < 15; round++) {
        await objects.put(`${at}/x/y/old`, Buffer.from('old'), TYPE);
        await Promise.all([
          objects.deleteAll(`${at}/x/`),
          objects.delete(`${at}/x/y/old`),
          ...[1, 2, 3].map((number) => open().put(`${at}/z/y/${round}-${number}`, Buffer.from('new'), TYPE)),
          objects.put(`${at}/x/y/new`, Buffer.from('new'), TYPE),
        ]);
        for (const number of [1, 2, 3]) expect(await objects.open(`${at}/z/y/${round}-${number}`)).not.toBeNull();
        await objects.deleteAll(`${at}/z/`);
      }
    });
  });

  describe(`${name}: keys`, () => {
    const bad = [
      ...['', '/', '/etc/passwd', '..', '../x', 'a/../x', 'a/..', 'a/./b', './a', 'a//b', 'a/', '.tmp/x', 'a/.hidden'],
      ...['a\\b', 'a\0b', 'a b', 'a%2e%2e', 'A', 'ä', 'a\n', 'a?versionId=1', 'a#b', '-rf', 'x'.repeat(201)],
      `${'x/'.repeat(300)}x`,
    ];

    test.each(bad)('the key %j is rejected by every operation', async (key) => {
      const misused = { name: 'ObjectsError', code: 'misused' };
      await expect(objects.put(key, Buffer.from('x'), TYPE)).rejects.toMatchObject(misused);
      await expect(objects.open(key)).rejects.toMatchObject(misused);
      await expect(objects.delete(key)).rejects.toMatchObject(misused);
      await expect(objects.presign(key, { seconds: 60, type: 'video/mp4' })).rejects.toMatchObject(misused);
      await expect(objects.deleteAll(`${key}/`)).rejects.toMatchObject(misused);
    });

    test('a prefix that does not end with a slash is rejected and nothing is deleted', async () => {
      const at = area();
      await objects.put(`${at}/a`, Buffer.from('a'), TYPE);
      for (const prefix of [at, `${at}/a`, '', '/'])
        await expect(objects.deleteAll(prefix)).rejects.toThrow(ObjectsError);
      expect(await objects.open(`${at}/a`)).not.toBeNull();
    });
  });

  test(`${name}: check passes in several processes at once`, async () => {
    await Promise.all([1, 2, 3].map(() => checkObjects(open())));
  });
}
