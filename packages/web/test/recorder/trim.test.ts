import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { button, handle, heading, offline, openCamera, recordTake, startRecording, trimTake } from '../actions.ts';
import { test } from './recorder-test.ts';

const RECORDED_MS = 5_000;
const readMs = async (page: Page, end: 'Start' | 'End') => Number(await handle(page, end).inputValue());
const seconds = (page: Page) => page.evaluate<number>(`document.querySelector('.playback video').currentTime`);

async function drag(page: Page, end: 'Start' | 'End', byPixels: number): Promise<void> {
  const box = await page.locator('.strip').boundingBox();
  if (box === null) throw new Error('the strip is missing');
  // The handles lie outside of the part.
  const x = end === 'Start' ? box.x - 8 : box.x + box.width + 8;
  const y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + byPixels / 2, y, { steps: 4 });
  await page.mouse.move(x + byPixels, y, { steps: 4 });
  await page.mouse.up();
}

describe.concurrent('the start and the end of a take', () => {
  test('are cut by dragging: the picture shows the cut, and only the kept part plays', async ({ expect, visit }) => {
    const { page, server } = await visit();
    await recordTake(page, RECORDED_MS);
    const takeMs = await readMs(page, 'End');
    await drag(page, 'End', -80);
    const endMs = await readMs(page, 'End');
    expect(endMs).toBeLessThan(takeMs - 500);
    await expect.poll(() => seconds(page)).toBeCloseTo(endMs / 1000, 0);
    await drag(page, 'Start', 80);
    const startMs = await readMs(page, 'Start');
    expect(startMs).toBeGreaterThan(500);
    await page.getByText(/^Keeps 0:0\d of 0:0\d/).waitFor();

    await button(page, /^Play your video/).click();
    await button(page, /^Pause your video/).waitFor();
    expect(await seconds(page)).toBeGreaterThan(startMs / 1000 - 0.3);
    await button(page, /^Play your video/).waitFor();
    // It stops at the first picture after the cut, before the end of the take.
    expect(await seconds(page)).toBeGreaterThan(endMs / 1000 - 0.3);
    expect(await seconds(page)).toBeLessThan(takeMs / 1000);

    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready');
    expect(server.received).toMatchObject({
      takes: 1,
      trims: [`start_ms=${startMs}, end_ms=${endMs}`],
      complaints: [],
    });
  });

  test('are cut with the keyboard, which says the length, and come back with Reset', async ({ expect, visit }) => {
    const { page, server } = await visit();
    await recordTake(page, RECORDED_MS);
    await trimTake(page, { start: 1, end: 1 });
    expect(await handle(page, 'Start').getAttribute('aria-valuetext')).toMatch(/^Starts at 1 second, keeps \d/);
    await page.keyboard.press('Home');
    expect(await readMs(page, 'End')).toBe(2_000);
    await page.getByText(/^Keeps 0:01 of 0:0\d/).waitFor();
    await button(page, 'Reset').click();
    await page.getByText('Drag the ends to trim.').waitFor();
    expect(await readMs(page, 'Start')).toBe(0);
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready');
    expect(server.received.trims).toEqual([undefined]);
  });

  test('are cut without signal, stay cut after a reload, and are sent like that', async ({ expect, visit }) => {
    const { page, server } = await visit({}, {}, offline);
    await recordTake(page, RECORDED_MS);
    await trimTake(page, { start: 0.5, end: 0 });
    // The write follows the last movement at once.
    await page.waitForTimeout(500);
    await page.reload();
    await button(page, 'Watch').click();
    await page.getByText(/^Keeps 0:0\d of 0:0\d/).waitFor();
    expect(await readMs(page, 'Start')).toBe(500);
    expect(await page.locator('.wave path').getAttribute('d')).toMatch(/ [0-3]?\d(\.\d+)?V/);
    server.uploads = 'open';
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready');
    const [trim] = server.received.trims;
    expect(trim).toMatch(/^start_ms=500, end_ms=\d{4,5}$/);
  });
});

test('the kept length is compared with 15 seconds', async ({ visit }) => {
  const { page } = await visit({}, {}, ({ state }) => {
    state.limits = { ...state.limits, soft_s: 2 };
  });
  await recordTake(page, RECORDED_MS);
  await page.getByText('Longer than 2 seconds.').waitFor();
  await trimTake(page, { start: 1.5, end: 1.5 });
  await page.getByText('Fits in 2 seconds.').waitFor();
  expect(await page.getByText('Longer than').count()).toBe(0);
});

const sent = async (page: Page) => {
  await button(page, 'Send to Dana').click();
  await heading(page, 'Your video is ready');
};

describe.concurrent('the captions', () => {
  test('are off when the voice does not fit the script, and are what the member confirms', async ({ visit }) => {
    const { page, server } = await visit();
    await recordTake(page, 2_000);
    await page.getByText('Captions: off').waitFor();
    await page.getByText('What you said may differ from your script.').waitFor();
    await button(page, 'Use script').click();
    await page.getByText('Captions: from your script').waitFor();
    await sent(page);
    expect(server.received.captions).toEqual([server.state.intro.script]);
  });

  test('are the script that the voice fits, until they are turned off', async ({ visit }) => {
    const { page, server } = await visit({ voice: 'endless' }, {}, ({ state }) => {
      state.intro.script = 'Hi Dana, see you on Tuesday at two.';
      // A busy machine must not record for longer.
      state.limits = { ...state.limits, hard_s: 4 };
    });
    await openCamera(page);
    await startRecording(page);
    await button(page, 'Retake').waitFor();
    await page.getByText('Captions: from your script').waitFor();
    await button(page, 'Off').click();
    await page.getByText('Captions: off').waitFor();
    await sent(page);
    expect(server.received.captions).toEqual(['']);
  });

  test('are the words that the member types, also after the page was closed', async ({ visit }) => {
    const { page, server } = await visit({}, {}, ({ state }) => {
      state.intro.script = null;
    });
    await recordTake(page, 2_000);
    await button(page, 'Edit').click();
    await page.getByLabel('What did you say?').fill(' Hola, Dana 👋 ');
    await button(page, 'Save').click();
    await page.getByText('Captions: your own words').waitFor();
    await page.waitForTimeout(500);
    await page.reload();
    await button(page, 'Send').click();
    await heading(page, 'Your video is ready');
    expect(server.received.captions).toEqual(['Hola, Dana 👋']);
  });
});
