import type { Page } from 'playwright-core';
import { button, openCamera, startRecording } from '../actions.ts';
import { test } from './recorder-test.ts';

/** The camera of the test browser, with a microphone that the test turns up and down. */
const MICROPHONE = `{
  const { mediaDevices } = navigator;
  const take = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (asked) => {
    const stream = await take(asked);
    if (!asked.audio) return stream;
    const context = new AudioContext();
    const voice = new OscillatorNode(context, { type: 'sawtooth', frequency: 180 });
    window.volume = new GainNode(context, { gain: 0 });
    const out = context.createMediaStreamDestination();
    voice.connect(window.volume).connect(out);
    voice.start();
    for (const track of stream.getAudioTracks()) stream.removeTrack(track);
    stream.addTrack(out.stream.getAudioTracks()[0]);
    return stream;
  };
}`;

/** Speaks in words: a constant hum would count as the noise of the surroundings. */
const speak = (page: Page) =>
  page.evaluate(`window.words = setInterval(() => {
    window.volume.gain.value = Date.now() % 400 < 250 ? 0.3 : 0;
  }, 25); undefined`);
const fallSilent = (page: Page) =>
  page.evaluate(`clearInterval(window.words); window.volume.gain.value = 0; undefined`);

const place = (page: Page) =>
  page.evaluate<number>(`-new DOMMatrix(getComputedStyle(document.querySelector('.moving')).transform).f`);
const LONG_SCRIPT = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');

test.concurrent('the script moves while the member speaks, waits in a pause, and continues after it', async ({
  expect,
  visit,
}) => {
  const { page } = await visit({}, {}, ({ state }) => {
    state.intro.script = LONG_SCRIPT;
  });
  await page.evaluate(MICROPHONE);
  await openCamera(page);
  await startRecording(page);
  await speak(page);
  await expect.poll(() => place(page)).toBeGreaterThan(20);
  await fallSilent(page);
  // A voice that was just heard counts as speaking for a moment.
  const isStill = async () => {
    const before = await place(page);
    await page.waitForTimeout(2_000);
    return Math.abs((await place(page)) - before) < 0.5;
  };
  await expect.poll(isStill).toBe(true);
  const before = await place(page);
  await speak(page);
  await expect.poll(() => place(page)).toBeGreaterThan(before + 20);
});

test.concurrent('a voice that cannot be heard leaves the script at its pace', async ({ expect, visit }) => {
  const { page } = await visit({ voice: 'silence' }, {}, ({ state }) => {
    state.intro.script = LONG_SCRIPT;
  });
  await openCamera(page);
  await startRecording(page);
  await expect.poll(() => place(page)).toBeGreaterThan(20);
});

/** Controls that can be focused and cannot be seen. */
const UNSEEN = `[...document.querySelectorAll('button, input, a, [tabindex="0"]')]
  .filter((control) => !control.checkVisibility({ opacityProperty: true }) && (control.focus(), document.activeElement === control))
  .map(({ ariaLabel }) => ariaLabel)`;

test.concurrent('nothing but Stop can be pressed while recording', async ({ expect, visit }) => {
  const { page } = await visit();
  await openCamera(page);
  await button(page, 'Faster').waitFor();
  await startRecording(page);
  expect(await page.getByRole('button').all()).toHaveLength(1);
  expect(await page.evaluate(UNSEEN)).toEqual([]);
});

/** Counts the different positions of the script and of the ring, one sample for each frame. */
const SAMPLE = `{
  const text = document.querySelector('.moving');
  const lap = document.querySelector('.lap');
  window.seen = { places: new Set(), laps: new Set(), frames: 0 };
  const sample = () => {
    window.seen.places.add(new DOMMatrix(getComputedStyle(text).transform).f.toFixed(1));
    window.seen.laps.add(getComputedStyle(lap).strokeDashoffset);
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
