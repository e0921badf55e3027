import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCamera, startRecording } from '../actions.ts';
import { Phones } from '../phone.ts';

let phones: Phones;
beforeAll(async () => {
  phones = await Phones.open();
});
afterAll(() => phones?.close());

const SAMPLE = `new Promise((resolve) => {
  const text = document.querySelector('.moving');
  const lap = document.querySelector('.lap');
  const places = new Set();
  const laps = new Set();
  const until = performance.now() + 5000;
  const sample = () => {
    places.add(new DOMMatrix(getComputedStyle(text).transform).f.toFixed(1));
    laps.add(lap.style.strokeDashoffset);
    if (performance.now() < until) requestAnimationFrame(sample);
    else resolve({ places: places.size, laps: laps.size });
  };
  sample();
})`;

interface Seen {
  places: number;
  laps: number;
}

async function watchRecording(page: Page): Promise<Seen> {
  await openCamera(page);
  await startRecording(page);
  return (await page.evaluate(SAMPLE)) as Seen;
}

test('the script scrolls at the member’s speed, and the ring fills', async () => {
  const { page, close } = await phones.visit();
  const { places, laps } = await watchRecording(page);
  expect(places).toBeGreaterThan(10);
  expect(laps).toBeGreaterThan(10);
  await close();
});

test('with reduced motion the script moves line by line, and the ring does not animate', async () => {
  const { page, close } = await phones.visit({}, { reducedMotion: 'reduce' });
  const { places, laps } = await watchRecording(page);
  expect(places).toBeGreaterThan(1);
  expect(places).toBeLessThan(6);
  expect(laps).toBeLessThanOrEqual(2);
  await close();
});
