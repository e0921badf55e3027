import { beforeAll, describe, expect, it } from 'vitest';
import { type Objects, ObjectsError } from '../../src/platform/objects.ts';
import { digest, read, TYPE } from './objects.bodies.ts';
import { describeReading } from './objects.conformance-reading.ts';
import { describeWriting } from './objects.conformance-writing.ts';

/** What every store promises, whatever it is made of. `open` gives a new handle on the same store each time, as another process has. */
export function describeObjects(name: string, open: () => Objects): void {
  describeWriting(name, open);
  describeReading(name, open);
  describeDeleting(name, open);
  describeNames(name, open);

  it(`${name}: checks itself, from several processes at once`, async () => {
    await Promise.all([1, 2, 3].map(() => open().check()));
  });
}

function describeDeleting(name: string, open: () => Objects): void {
  let objects: Objects;
  let tests = 0;
  /** Each test has keys of its own. */
  const area = (): string => `deleting${++tests}`;
  const contentOf = async (key: string): Promise<string> => digest(await read(await open().open(key)));

  beforeAll(() => {
    objects = open();
  });

  describe(`${name}: what is deleted`, () => {
    it('is gone, its neighbours stay, and deleting it again is fine', async () => {
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

    it('is absent to begin with, below a name that is a folder or an object too', async () => {
      const at = area();
      await objects.put(`${at}/file`, Buffer.from('x'), TYPE);
      for (const key of [at, `${at}/none`, `${at}/file/below`]) expect(await objects.open(key)).toBeNull();
      await objects.delete(at);
      expect(await objects.open(`${at}/file`)).not.toBeNull();
    });

    it('may be 1,100 keys below one prefix, and not one that only begins alike', async () => {
      const at = area();
      const keys = [...Array(1_100).keys()].map((number) => `${at}/one/${number % 3}/${number}`);
      const neighbours = [`${at}/one-more`, `${at}/one.mp4`, `${at}/oneself/1`, `${at}/on/1`];
      for (let start = 0; start < keys.length; start += 50) {
        const some = keys.slice(start, start + 50);
        await Promise.all(some.map((key) => objects.put(key, Buffer.from(key), TYPE)));
      }
      for (const key of neighbours) await objects.put(key, Buffer.from(key), TYPE);
      await objects.deleteAll(`${at}/one/`);
      const left = await Promise.all(keys.map((key) => objects.open(key)));
      expect(left.filter((stored) => stored !== null)).toEqual([]);
      for (const key of neighbours) expect(await contentOf(key)).toBe(digest(Buffer.from(key)));
      await objects.deleteAll(`${at}/one/`);
      await objects.deleteAll(`${at}/one.mp4/`);
      expect(await objects.open(`${at}/one.mp4`)).not.toBeNull();
    });

    it('does not hinder a put to the same place at the same moment', async () => {
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
  /** Each test has keys of its own. */
  const area = (): string => `names${++tests}`;

  beforeAll(() => {
    objects = open();
  });

  describe(`${name}: names`, () => {
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

    it.each(bad)('refuses the key %j, whatever is asked of it', async (key) => {
      const misused = { name: 'ObjectsError', code: 'misused' };
      await expect(objects.put(key, Buffer.from('x'), TYPE)).rejects.toMatchObject(misused);
      await expect(objects.open(key)).rejects.toMatchObject(misused);
      await expect(objects.delete(key)).rejects.toMatchObject(misused);
      await expect(objects.presign(key, { seconds: 60, type: 'video/mp4' })).rejects.toMatchObject(misused);
      await expect(objects.deleteAll(`${key}/`)).rejects.toMatchObject(misused);
    });

    it('refuses a prefix that does not end in a slash, and deletes nothing', async () => {
      const at = area();
      await objects.put(`${at}/a`, Buffer.from('a'), TYPE);
      for (const prefix of [at, `${at}/a`, '', '/'])
        await expect(objects.deleteAll(prefix)).rejects.toThrow(ObjectsError);
      expect(await objects.open(`${at}/a`)).not.toBeNull();
    });
  });
}
