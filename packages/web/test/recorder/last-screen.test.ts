import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { button, heading } from '../actions.ts';
import { asTexted } from '../done-stories.ts';
import { test } from './recorder-test.ts';

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

test('a script that takes longer than 15 seconds at the member’s pace is marked', async ({ visit }) => {
  const { page } = await visit({}, {}, ({ state }) => {
    state.intro.script = Array(37).fill('word').join(' ');
    state.member.words_per_minute = 120;
  });
  await page.getByText('37 words, about').waitFor();
  await page.getByText('Longer than 15 seconds at your pace.').waitFor();
});
