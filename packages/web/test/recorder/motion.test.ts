import type { Page } from 'playwright-core';
import { openCamera, startRecording } from '../actions.ts';
import { test } from './recorder-test.ts';

/** Counts the different positions of the script and of the ring, one sample for each frame. */
const SAMPLE = `{
  const text = document.querySelector('.moving');
  const lap = document.querySelector('.lap');
  window.seen = { places: new Set(), laps: new Set(), frames: 0 };
  const sample = () => {
    window.seen.places.add(new DOMMatrix(getComputedStyle(text).transform).f.toFixed(1));
    window.seen.laps.add(lap.style.strokeDashoffset);
    window.seen.frames += 1;
    requestAnimationFrame(sample);
  };
  sample();
}`;

async function watchRecording(page: Page) {
  await openCamera(page);
  await startRecording(page);
  await page.evaluate(SAMPLE);
  return (what: 'places' | 'laps') => page.evaluate<number>(`window.seen.${what}.size`);
}

test.concurrent('the script scrolls at the member’s speed, and the ring fills', async ({ expect, visit }) => {
  const { page } = await visit();
  const count = await watchRecording(page);
  await expect.poll(() => count('places')).toBeGreaterThan(10);
  await expect.poll(() => count('laps')).toBeGreaterThan(10);
});

test.concurrent('with reduced motion the script moves line by line, and the ring does not animate', async ({
  expect,
  visit,
}) => {
  const { page } = await visit({}, { reducedMotion: 'reduce' });
  const count = await watchRecording(page);
  await expect.poll(() => count('places')).toBeGreaterThan(1);
  // Smooth scrolling would have shown many places by now.
  expect(await count('places')).toBeLessThan(6);
  expect(await page.evaluate('window.seen.frames')).toBeGreaterThan(10);
  expect(await count('laps')).toBeLessThanOrEqual(2);
});
