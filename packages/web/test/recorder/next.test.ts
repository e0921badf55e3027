import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  asReady,
  button,
  countTaps,
  heading,
  offline,
  openCamera,
  recordAndSend,
  SLOW_PERMISSION,
  startRecording,
} from '../actions.ts';
import { asTexted } from '../done-stories.ts';
import { test } from './recorder-test.ts';

/** Keeps every stream that the page gets. */
const WATCH = `{
  const { mediaDevices } = navigator;
  const take = mediaDevices.getUserMedia.bind(mediaDevices);
  window.isSameLoad = true;
  window.streams = [];
  mediaDevices.getUserMedia = async (asked) => {
    const stream = await take(asked);
    window.streams.push(stream);
    return stream;
  };
}`;
const IS_SAME_CAMERA = `window.streams.length === 1 && document.querySelector('video').srcObject === window.streams[0]
  && window.streams[0].getTracks().every(({ readyState, enabled }) => readyState === 'live' && enabled)`;
const IS_PAUSED = `window.streams[0].getTracks().every(({ readyState, enabled }) => readyState === 'live' && !enabled)`;
const IS_OFF = `window.streams[0].getTracks().every(({ readyState }) => readyState === 'ended')`;

describe.concurrent('a member with several intros', () => {
  test('records three in one page with one camera, four taps each; all arrive', async ({ expect, visit }) => {
    const { page, server } = await visit();
    const others = [server.addIntro('Rosa'), server.addIntro('Ben')];
    await page.evaluate(WATCH);
    const tapsOf = await countTaps(page);
    const start = async () => {
      await openCamera(page);
      await recordAndSend(page);
    };
    expect(await tapsOf(start)).toBe(4);
    for (const [index, name] of ['Rosa', 'Ben'].entries()) {
      await heading(page, `Next: ${name}`);
      await page.getByText(`${2 - index} left`).waitFor();
      expect(await page.evaluate(IS_PAUSED)).toBe(true);
      const next = async () => {
        await button(page, 'Record').click();
        await page.getByText(`For ${name}`).waitFor();
        await expect.poll(() => page.evaluate(IS_SAME_CAMERA)).toBe(true);
        expect(page.url()).toBe(others[index]?.url);
        await recordAndSend(page);
      };
      expect(await tapsOf(next)).toBe(4);
    }
    await heading(page, 'Nothing left to record');
    // The console needs a sign-in, which the link is not.
    expect(await page.getByRole('link', { name: 'Home' }).count()).toBe(0);
    expect(await page.evaluate('window.isSameLoad && window.streams.length === 1')).toBe(true);
    await expect.poll(() => page.evaluate(IS_OFF)).toBe(true);
    await expect.poll(() => [server, ...others].map(({ received }) => received.takes)).toEqual([1, 1, 1]);
  });

  test('sees the earlier take wait for signal and arrive while recording the next', async ({ expect, visit }) => {
    const { page, server } = await visit({}, {}, offline);
    const rosa = server.addIntro('Rosa');
    await openCamera(page);
    await recordAndSend(page);
    await button(page, 'Record').click();
    await page.getByText('Dana: Waiting for the server').waitFor();
    await startRecording(page);
    await page.waitForTimeout(1_200);
    await button(page, 'Stop').click();
    const earlier = page.getByRole('region', { name: 'Earlier videos' });
    await earlier.getByText('Waiting for the server').waitFor();
    server.uploads = 'open';
    await earlier.getByText('Your video is ready').waitFor();
    await button(page, 'Send to Rosa').click();
    await heading(page, 'Your video is ready');
    expect([server.received.takes, rosa.received.takes]).toEqual([1, 1]);
  });

  test('opens an earlier take that failed before the camera is on, and sends it again', async ({ expect, visit }) => {
    const { page, server } = await visit({}, {}, offline);
    server.addIntro('Rosa');
    await openCamera(page);
    await recordAndSend(page);
    await button(page, 'Record').click();
    await page.getByText('For Rosa').waitFor();
    server.uploads = 'refuse';
    await page.getByText('Dana: Can’t be used').waitFor();
    await button(page, 'Back').click();
    await page.evaluate(SLOW_PERMISSION);
    await button(page, 'Start the camera').click();
    await button(page, 'Open the video for Dana').click();
    await page.evaluate('window.permit()');
    await expect.poll(() => page.evaluate('window.streams.map(({ active }) => active)')).toEqual([false]);
    await heading(page, 'That video didn’t work');
    await page.getByText('You reached the daily limit for videos').waitFor();
    expect(page.url()).toBe(server.url);
    server.uploads = 'open';
    await button(page, /^Send$/).click();
    await heading(page, 'Your video is ready');
    await heading(page, 'Next: Rosa');
    expect(server.received.takes).toBe(1);
  });

  test('is led from a cancelled intro to the next one', async ({ visit }) => {
    const { page, server } = await visit();
    server.addIntro('Rosa');
    await openCamera(page);
    server.closed = 'cancelled';
    await page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await heading(page, 'This video is no longer needed');
    await heading(page, 'Next: Rosa');
    await button(page, 'Record').click();
    await page.getByText('For Rosa').waitFor();
  });
});

const ask = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('online'))`);
const NO_PROVIDER = { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' };
const RECORD_SHARES = `navigator.share = async (message) => { window.shared = message; }`;

describe.concurrent('the last screen', () => {
  test('follows the text: queued, sent, delivered', async ({ visit }) => {
    const { page, server } = await visit({}, {}, (before) => asTexted(before, { status: 'queued' }));
    await page.getByText('Dana will get the link by text message in a moment.').waitFor();
    asTexted(server, { status: 'sent' });
    server.state.intro.status = 'sent';
    await heading(page, 'Your video was sent');
    asTexted(server, { status: 'delivered' });
    server.state.intro.status = 'sent';
    await ask(page);
    await heading(page, 'Your video was delivered');
  });

  test('of a text that was not sent says why, and offers the link to copy and to share', async ({ visit }) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, server } = await visit({}, { permissions }, (before) => {
      asTexted(before, { status: 'queued' });
    });
    await page.addInitScript(RECORD_SHARES);
    await page.reload();
    expect(await button(page, 'Share').count()).toBe(0);
    asTexted(server, { status: 'not_sent', problem: NO_PROVIDER });
    await heading(page, 'Your video was not sent');
    await page.getByText('no text provider is connected').waitFor();
    expect(await page.getByText('You’re done').count()).toBe(0);
    await button(page, 'Copy link').click();
    await button(page, 'Copied').waitFor();
    const url = server.state.intro.recipient_url;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
    await button(page, 'Share').click();
    expect(await page.evaluate('window.shared')).toEqual({
      text: 'Ana from Acme Exteriors recorded a short video for you:',
      url,
    });
  });
});

test('the last screen for a recipient who opted out offers neither the link nor another recording', async ({
  visit,
}) => {
  const problem = { code: 'recipient_opted_out', message: 'The recipient has opted out of text messages.' };
  const { page } = await visit({}, {}, (server) => asTexted(server, { status: 'not_sent', problem }));
  await page.getByText('has opted out').waitFor();
  for (const name of ['Record again', 'Copy link']) expect(await button(page, name).count()).toBe(0);
});

describe.concurrent('on a phone in landscape', () => {
  test.for([
    [844, 390],
    [667, 375],
  ] as const)('%i × %i: “Start the camera” is visible without scrolling', async ([width, height], { visit }) => {
    const { page } = await visit({}, { viewport: { width, height } });
    const start = button(page, 'Start the camera');
    const box = await start.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    // The script is visible above the button, too.
    expect(await page.evaluate('window.scrollY')).toBe(0);
    const script = await page.getByRole('region', { name: 'Your script' }).boundingBox();
    expect(script?.y).toBeLessThan((box?.y ?? 0) - 40);
  });
});

test('on the smallest phone in landscape, the last screen keeps its margins', async ({ expect, visit }) => {
  const { page } = await visit({}, { viewport: { width: 568, height: 320 } }, asReady);
  await heading(page, 'Your video is ready');
  const edges = await page
    .locator('.done-words, figure')
    .evaluateAll((parts) =>
      parts.flatMap((part) => [part.getBoundingClientRect().left, part.getBoundingClientRect().right]),
    );
  expect(Math.min(...edges)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...edges)).toBeLessThanOrEqual(548);
});

test('a script that takes longer than 15 seconds at the member’s pace is marked', async ({ visit }) => {
  const { page } = await visit({}, {}, ({ state }) => {
    state.intro.script = Array(37).fill('word').join(' ');
    state.member.words_per_minute = 120;
  });
  await page.getByText('37 words, about').waitFor();
  await page.getByText('Longer than 15 seconds at your pace.').waitFor();
});
