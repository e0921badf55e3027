import { expect, test } from 'vitest';
import { openObjects, watchSpace } from '../../src/platform/objects.ts';
import { forFile } from '../harness/index.ts';
import { bytesOf, MIB } from '../platform/objects.bodies.ts';
import { startCeph } from './ceph.ts';

const TYPE = { type: 'video/mp4' };

const ceph = await forFile(startCeph(), (opened) => opened.stop());

test('a store whose quota is used up is reported as full, in one or several parts, and keeps nothing half-written', async () => {
  await ceph.createBucket('limited');
  await ceph.limitBucket('limited', 2 * MIB);
  const stored = openObjects(ceph.url('limited'), { clock: () => new Date() });
  let now = 0;
  const { objects: limited, space } = watchSpace(stored, null, () => now);
  await limited.put('small', Buffer.alloc(1_000), TYPE);
  expect(await space.state()).toBe('ok');
  for (const bytes of [3 * MIB, 20 * MIB]) {
    await expect(limited.put('large', bytesOf(bytes), TYPE)).rejects.toMatchObject({ code: 'full' });
  }
  expect(await limited.open('large')).toBeNull();
  const parts = await ceph.client.fetch(`http://${ceph.host}/limited?uploads`);
  expect(await parts.text()).not.toContain('<Upload>');
  expect(await space.state()).toBe('full');
  await expect(space.require()).rejects.toMatchObject({ code: 'full' });
  now += 15_000;
  expect(await space.state()).toBe('ok');
});
