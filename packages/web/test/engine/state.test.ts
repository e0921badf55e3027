import { expect } from 'vitest';
import { test } from './engine-fixture.ts';

test('the state is reported at each change, through a loss of signal, until the intro is closed', async ({
  engine,
}) => {
  const { intro, phone, takeId } = await engine.openWithFile();
  await phone.resume(takeId);
  expect(await phone.send()).toBeNull();
  await phone.watch();
  await expect.poll(() => phone.watched()).toEqual(['checking']);
  intro.recordingStatus = 'processing';
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing']);
  await phone.context.setOffline(true);
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing', 'offline']);
  intro.closed = 'cancelled';
  await phone.context.setOffline(false);
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing', 'offline', 'cancelled']);
  const asked = intro.seen.length;
  await phone.page.waitForTimeout(2_000);
  expect(intro.seen).toHaveLength(asked);
});
