import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, Studio } from './studio.ts';
import type { FakeIntro } from './tus-service.ts';

const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 2_000_000, maxBytes: 3_000_000 };
/** On a machine that does other things as well. */
const SOON = { timeout: 15_000 };
const UNKNOWN = { status: 404, body: { error: { code: 'not_found', message: 'This link does not exist.' } } };

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

async function setWithFile(faults: FakeIntro['faults']): Promise<{ intro: FakeIntro; stage: Stage; takeId: string }> {
  const intro = studio.service.intro();
  intro.faults = faults;
  const stage = await studio.stage(await studio.context());
  await stage.openSpool(intro.api);
  const picked = await stage.pick(PICK);
  if ('problem' in picked) throw new Error(picked.problem);
  return { intro, stage, takeId: picked.id };
}

describe('a 404 of a wall in between, while the service is being replaced,', () => {
  test('lets an upload go on where it was', async () => {
    const { intro, stage, takeId } = await setWithFile([
      { method: 'POST', status: 404 },
      { method: 'PATCH', status: 404 },
      { method: 'HEAD', status: 404 },
    ]);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ handedIn: true, digest: await stage.digest(takeId) }]);
    expect(intro.faults).toEqual([]);
    await stage.context.close();
  });

  test('is no word about the link', async () => {
    const { intro, stage } = await setWithFile([{ method: 'GET', status: 404 }]);
    await stage.watch();
    await expect.poll(() => stage.watched(), SOON).toEqual(['offline', 'requested']);
    expect(intro.faults).toEqual([]);
    await stage.context.close();
  });
});

describe('the 404 of the service itself', () => {
  test('ends an upload in words, and the take stays', async () => {
    const { stage, takeId } = await setWithFile([{ method: 'POST', ...UNKNOWN }]);
    await stage.resume(takeId);
    expect(await stage.send()).toEqual({ message: expect.stringMatching(/no longer works/), closed: null });
    expect(await stage.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
    await stage.context.close();
  });

  test('says that the link leads nowhere, once', async () => {
    const { intro, stage } = await setWithFile([{ method: 'GET', ...UNKNOWN }]);
    await stage.watch();
    await expect.poll(() => stage.watched(), SOON).toEqual(['unknown']);
    const asked = intro.seen.length;
    await stage.page.waitForTimeout(2_000);
    expect(intro.seen).toHaveLength(asked);
    await stage.context.close();
  });
});
