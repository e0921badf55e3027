import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCamera, recordTake, startRecording } from '../../../web/test/acts.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { untilIntro } from '../acceptance/support/recorder.ts';
import { button, expectAccessible, type Job, openStudio, type Studio, untilHeading, videoIn } from './studio.ts';

const TAKE_MS = 3_000;
/** Two cores, and an encoder at the lowest priority. */
const SETTLED_WITHIN_MS = 30_000;

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio?.close());

const takesOf = async (job: Job) => {
  const rows = await studio.fixture.database.query<{ status: string }>(
    'select status from recordings where intro_id = $1',
    [job.id],
  );
  return rows.map(({ status }) => status);
};

const untilTake = (job: Job, wanted: (status: string | undefined) => boolean) =>
  eventually(
    () => takesOf(job),
    ([status]) => wanted(status),
    SETTLED_WITHIN_MS,
  );

const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;

async function cancel(job: Job): Promise<void> {
  expect((await studio.fixture.api.post(`/v1/intros/${job.id}/cancel`)).body.status).toBe('cancelled');
}

/** Told in the recorder that stands open, whatever the member is doing; and every way in is closed. */
async function expectTold(page: Page, job: Job, takeGone: boolean): Promise<void> {
  await untilHeading(page, 'This video is no longer needed');
  if (takeGone) await page.getByText('it is removed from this device').waitFor();
  expect(await page.evaluate(`document.querySelectorAll('video').length`)).toBe(0);
  await expectAccessible(page);
  expect(await statusOf(job.memberUrl)).toBe(410);
  expect(await (await fetch(`${job.memberUrl}/state`)).json()).toEqual({ closed: 'cancelled' });
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '10' };
  expect((await fetch(`${job.memberUrl}/uploads`, { method: 'POST', headers })).status).toBe(410);
  await page.reload();
  await untilHeading(page, 'No need to record this one');
  await expectAccessible(page);
  await page.context().close();
}

const CLOSED = { status: 'cancelled', recorded_at: null, delivery: { recipient_url: null } };

describe('a cancel wins, and the member is told,', () => {
  test('while recording', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await openCamera(page);
    await startRecording(page);
    await untilTake(job, (status) => status === 'uploading');
    await cancel(job);
    await expectTold(page, job, true);
    expect(await job.now()).toMatchObject(CLOSED);
    expect(await takesOf(job)).not.toContain('ready');
  });

  test('while looking at the take, nearly all of which is there already', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await recordTake(page, TAKE_MS);
    await untilTake(job, (status) => status === 'uploading');
    await cancel(job);
    await expectTold(page, job, true);
    expect(await job.now()).toMatchObject(CLOSED);
    expect(await takesOf(job)).not.toContain('ready');
  });

  test('while the video is being made', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await recordTake(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    await untilTake(job, (status) => status === 'uploaded' || status === 'processing');
    await cancel(job);
    await expectTold(page, job, false);
    await untilTake(job, (status) => status === 'discarded');
    expect(await job.now()).toMatchObject(CLOSED);
  });

  test('when it is ready: page, video and pictures are gone as well', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await recordTake(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    await untilHeading(page, 'Your video is ready');
    const { delivery } = await untilIntro(studio.fixture, job.id, 'ready');
    const film = videoIn(await (await fetch(delivery.recipient_url)).text(), delivery.recipient_url);
    const recipient = await studio.openPhone(delivery.recipient_url);
    await cancel(job);
    const addresses = [delivery.recipient_url, film, `${delivery.recipient_url}/card.jpg`, `${job.memberUrl}/preview`];
    for (const address of addresses) expect(await statusOf(address)).toBe(410);
    await recipient.reload();
    await recipient.getByRole('heading', { level: 1 }).waitFor();
    expect(await recipient.locator('video').count()).toBe(0);
    await expectAccessible(recipient);
    await recipient.context().close();
    // Nothing is left to do here, so that the recorder asks when somebody comes back to it.
    await page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await expectTold(page, job, false);
    expect((await job.now()).status).toBe('cancelled');
  });
});
