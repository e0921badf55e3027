import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectBody, Objects } from '../../src/platform/objects.ts';
import { breakingStream, bytesOf, digest, MIB, read, streamOf, TYPE } from './objects.bodies.ts';

export function describeWriting(name: string, open: () => Objects): void {
  let objects: Objects;
  let folder: string;
  let tests = 0;
  /** A key prefix for each test. */
  const area = (): string => `writing${++tests}`;
  const contentOf = async (key: string): Promise<string> => digest(await read(await open().open(key)));

  beforeAll(async () => {
    objects = open();
    folder = await mkdtemp(path.join(tmpdir(), 'fw-objects-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

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
}
