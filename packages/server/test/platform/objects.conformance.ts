import { beforeAll, describe, expect, test } from 'vitest';
import { type Objects, ObjectsError } from '../../src/platform/objects.ts';
import { digest, read, TYPE } from './objects.bodies.ts';
import { describeReading } from './objects.conformance-reading.ts';
import { describeWriting } from './objects.conformance-writing.ts';

/** The guarantees of every store. `open` returns a new handle on the same store, like that of another process. */
export function describeObjects(name: string, open: () => Objects): void {
  describeWriting(name, open);
  describeReading(name, open);
  describeDeleting(name, open);
  describeNames(name, open);

  test(`${name}: check passes in several processes at once`, async () => {
    await Promise.all([1, 2, 3].map(() => open().check()));
  });
}

function describeDeleting(name: string, open: () => Objects): void {
  let objects: Objects;
  let tests = 0;
  /** A key prefix for each test. */
  const area = (): string => `deleting${++tests}`;
  const contentOf = async (key: string): Promise<string> => digest(await read(await open().open(key)));

  beforeAll(() => {
    objects = open();
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
}

function describeNames(name: string, open: () => Objects): void {
  let objects: Objects;
  let tests = 0;
  /** A key prefix for each test. */
  const area = (): string => `names${++tests}`;

  beforeAll(() => {
    objects = open();
  });

  describe(`${name}: keys`, () => {
    const bad = [
      '',
      '/',
      '/etc/passwd',
      '..',
      '../x',
      'a/../x',
      'a/..',
      'a/./b',
      './a',
      'a//b',
      'a/',
      '.tmp/x',
      'a/.hidden',
      'a\\b',
      'a\0b',
      'a b',
      'a%2e%2e',
      'A',
      'ä',
      'a\n',
      'a?versionId=1',
      'a#b',
      '-rf',
      'x'.repeat(201),
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
}
