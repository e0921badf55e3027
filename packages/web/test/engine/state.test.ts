import { afterAll, beforeAll, expect, test } from 'vitest';
import { Studio } from './studio.ts';

const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 100_000, maxBytes: 3_000_000 };
/** On a machine that does other things as well. */
const SOON = { timeout: 15_000 };

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

test('the state is told at each change, through a loss of signal, until the intro is closed', async () => {
  const intro = studio.service.intro();
  const stage = await studio.stage(await studio.context());
  await stage.openSpool(intro.api);
  const picked = await stage.pick(PICK);
  if ('problem' in picked) throw new Error(picked.problem);
  await stage.resume(picked.id);
  expect(await stage.send()).toBeNull();
  await stage.watch();
  await expect.poll(() => stage.watched(), SOON).toEqual(['checking']);
  intro.recordingStatus = 'processing';
  await expect.poll(() => stage.watched(), SOON).toEqual(['checking', 'processing']);
  await stage.context.setOffline(true);
  await expect.poll(() => stage.watched(), SOON).toEqual(['checking', 'processing', 'offline']);
  intro.closed = 'cancelled';
  await stage.context.setOffline(false);
  await expect.poll(() => stage.watched(), SOON).toEqual(['checking', 'processing', 'offline', 'cancelled']);
  const asked = intro.seen.length;
  await stage.page.waitForTimeout(2_000);
  expect(intro.seen).toHaveLength(asked);
  await stage.context.close();
});
