import { expect, test } from 'vitest';
import { findIsolation } from '../../src/platform/isolation.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

test('a machine on which a program takes 11 seconds to start isolates it nevertheless', async () => {
  const trial = ['/bin/sh', '-c', 'sleep 11'];
  const isolation = await findIsolation({ trial, readable: [], folder: temporaryFolder() });
  expect(isolation).toMatchObject({ isComplete: true, description: expect.not.stringContaining('failed') });
});
