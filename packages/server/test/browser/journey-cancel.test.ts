import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openCamera, recordTake, startRecording } from '../../../web/test/actions.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { untilIntro } from '../acceptance/support/recorder.ts';
import { forFile } from '../harness/index.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';
import { openRecorderFixture, type RecordingTask, videoUrlIn } from './recorder-fixture.ts';

const TAKE_MS = 3_000;
/** Generous, because the encoder runs at a low priority on two cores. */
const PROCESSED_WITHIN_MS = 60_000;

const recorder = await forFile(openRecorderFixture());

const takesOf = async (task: RecordingTask) => {
  const rows = await recorder.service.database.sql<{ status: string }>`select status from recordings
    where intro_id = ${task.id}`;
  return rows.map(({ status }) => status);
};

const untilTake = (task: RecordingTask, isWanted: (status: string | undefined) => boolean) =>
  eventually(
    () => takesOf(task),
    ([status]) => isWanted(status),
    PROCESSED_WITHIN_MS,
  );

const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;

async function cancel(task: RecordingTask): Promise<void> {
  expect((await recorder.service.api.post(`/v1/intros/${task.id}/cancel`)).body.status).toBe('cancelled');
}

/** The open recorder shows the cancellation, and all of the member's links are closed. */
async function expectCancelled(page: Page, task: RecordingTask, isTakeRemoved: boolean): Promise<void> {
  await untilHeading(page, 'This video is no longer needed');
  if (isTakeRemoved) await page.getByText('It was deleted from this device').waitFor();
  expect(await page.evaluate(`document.querySelectorAll('video').length`)).toBe(0);
  await expectAccessible(page);
  expect(await statusOf(task.memberUrl)).toBe(410);
  expect(await (await fetch(`${task.memberUrl}/state`)).json()).toEqual({ closed: 'cancelled' });
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '10' };
  expect((await fetch(`${task.memberUrl}/uploads`, { method: 'POST', headers })).status).toBe(410);
  await page.reload();
  await untilHeading(page, 'No need to record this one');
  await expectAccessible(page);
}

const CLOSED = { status: 'cancelled', recorded_at: null, delivery: { recipient_url: null } };

describe('cancelling an intro closes it and notifies the member', () => {
  test('while the member records', async () => {
    const task = await recorder.createTask();
    const page = await recorder.openPhone(task.memberUrl);
    await openCamera(page);
    await startRecording(page);
    await untilTake(task, (status) => status === 'uploading');
    await cancel(task);
    await expectCancelled(page, task, true);
    expect(await task.now()).toMatchObject(CLOSED);
    expect(await takesOf(task)).not.toContain('ready');
  });

  test('after the video is ready, and removes the page, the video and the pictures', async () => {
    const task = await recorder.createTask();
    const page = await recorder.openPhone(task.memberUrl);
    await recordTake(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    await untilHeading(page, 'Your video is ready');
    const { delivery } = await untilIntro(recorder.service, task.id, 'ready');
    const videoUrl = videoUrlIn(await (await fetch(delivery.recipient_url)).text(), delivery.recipient_url);
    const recipient = await recorder.openPhone(delivery.recipient_url);
    await cancel(task);
    const urls = [delivery.recipient_url, videoUrl, `${delivery.recipient_url}/card.jpg`, `${task.memberUrl}/preview`];
    for (const url of urls) expect(await statusOf(url)).toBe(410);
    await recipient.reload();
    await recipient.getByRole('heading', { level: 1 }).waitFor();
    expect(await recipient.locator('video').count()).toBe(0);
    await expectAccessible(recipient);
    // The recorder has nothing left to do, so it checks again only when the member comes back.
    await page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await expectCancelled(page, task, false);
    expect((await task.now()).status).toBe('cancelled');
  });
});
