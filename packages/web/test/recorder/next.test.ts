import { describe, expect } from 'vitest';
import { button, countTaps, heading, openCamera, recordAndSend, startRecording } from '../actions.ts';
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
    const { page, server } = await visit({}, {}, (before) => {
      before.uploads = 'offline';
    });
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

  test('opens an earlier take that failed, and sends it again', async ({ visit }) => {
    const { page, server } = await visit({}, {}, (before) => {
      before.uploads = 'offline';
    });
    server.addIntro('Rosa');
    await openCamera(page);
    await recordAndSend(page);
    await button(page, 'Record').click();
    await page.getByText('For Rosa').waitFor();
    server.uploads = 'refuse';
    await page.getByText('Dana: Can’t be used').waitFor();
    await button(page, 'Back').click();
    await button(page, 'Open the video for Dana').click();
    await heading(page, 'That video didn’t work');
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
