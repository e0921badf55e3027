import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { button, heading, openCamera, recordTake, startRecording } from '../actions.ts';
import { test } from './recorder-test.ts';

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
