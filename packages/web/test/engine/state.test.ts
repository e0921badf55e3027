import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineFixture } from './engine-fixture.ts';

const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 100_000, maxBytes: 3_000_000 };
/** Generous, because the machine may be busy. */
const SOON = { timeout: 15_000 };

let fixture: EngineFixture;

beforeAll(async () => {
  fixture = await EngineFixture.open();
});

afterAll(async () => {
  await fixture?.close();
});

test('the state is reported at each change, through a loss of signal, until the intro is closed', async () => {
  const intro = fixture.service.intro();
  const phone = await fixture.openPage(await fixture.context());
  await phone.openSpool(intro.api);
  const picked = await phone.pick(PICK);
  if ('problem' in picked) throw new Error(picked.problem);
  await phone.resume(picked.id);
  expect(await phone.send()).toBeNull();
  await phone.watch();
  await expect.poll(() => phone.watched(), SOON).toEqual(['checking']);
  intro.recordingStatus = 'processing';
  await expect.poll(() => phone.watched(), SOON).toEqual(['checking', 'processing']);
  await phone.context.setOffline(true);
  await expect.poll(() => phone.watched(), SOON).toEqual(['checking', 'processing', 'offline']);
  intro.closed = 'cancelled';
  await phone.context.setOffline(false);
  await expect.poll(() => phone.watched(), SOON).toEqual(['checking', 'processing', 'offline', 'cancelled']);
  const asked = intro.seen.length;
  await phone.page.waitForTimeout(2_000);
  expect(intro.seen).toHaveLength(asked);
  await phone.context.close();
});
