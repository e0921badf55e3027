import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCamera, recordTake, startRecording } from '../../../web/test/actions.ts';
import { openCameraBrowser } from '../../../web/test/phone.ts';
import { APPOINTMENT, eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { untilIntro } from '../acceptance/support/recorder.ts';
import { openService } from '../acceptance/support/service.ts';
import { forFile } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { boxTypes } from '../media/mp4-boxes.ts';
import { button, expectAccessible, playToTheEnd, untilHeading } from './page-actions.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FFPROBE = '/usr/bin/ffprobe';
const TIMEOUT_MS = 40_000;
const TOUCHPOINT = 'new_appointment';

// biome-ignore lint/suspicious/noExplicitAny: tests read response bodies without types, as in the harness.
type Body = any;

type RecorderFixture = Awaited<ReturnType<typeof openRecorderFixture>>;
type RecordingTask = Awaited<ReturnType<RecorderFixture['createTask']>>;

/** A service of its own, and a browser whose camera shows a drawn member. */
async function openRecorderFixture() {
  const folder = temporaryFolder();
  const browser = await openCameraBrowser();
  const own = {
    DATA_DIR: path.join(folder, 'data'),
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
  };
  const service = await openService(own);
  const { id: organization } = service.organization;
  await service.run('touchpoint', 'set', '--org', organization, TOUCHPOINT, '--delivery', 'integration');
  return {
    service,
    browser,
    /** Sends an event and returns the intro with the member's link. */
    async createTask() {
      const { id } = await introOfEvent(service.api, { touchpoint: TOUCHPOINT, context: { appointment: APPOINTMENT } });
      const { url } = await service.run('intro', 'link', id);
      return {
        id: id as string,
        // The command does not know the port of the service.
        memberUrl: service.service.url + new URL(url).pathname,
        now: async (): Promise<Body> => (await service.api.get(`/v1/intros/${id}`)).body,
      };
    },
    /** Opens the URL in a new browser context, which closes with the test. */
    async openPhone(url: string, other?: Browser): Promise<Page> {
      // Firefox does not support `isMobile`.
      const { isMobile, ...plain } = PHONE;
      const context = await (other ?? browser).newContext(other === undefined ? { ...plain, isMobile } : plain);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.goto(url);
      return page;
    },
    /** Restarts the service after a kill, at the same URL. */
    restart: () => service.newNode({ ...own, PORT: new URL(service.service.url).port }),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

/** The URL of the video of a page, from its HTML, which works without running scripts. */
async function findVideo(pageUrl: string): Promise<string> {
  const html = await (await fetch(pageUrl)).text();
  const [, url = ''] = /src="([^"]*\.mp4)"/.exec(html) ?? [];
  expect(url).not.toBe('');
  return new URL(url, pageUrl).href;
}

/** Reads the properties of the recipient's video with ffprobe. */
async function probeVideo(url: string) {
  if (!fs.existsSync(FFPROBE)) throw new Error(`${FFPROBE} is missing. Install it with: apt-get install ffmpeg`);
  const file = path.join(temporaryFolder(), 'video.mp4');
  fs.writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
  const args = ['-v', 'error', '-of', 'json', '-show_streams', '-show_format', file];
  const { streams, format } = JSON.parse(execFileSync(FFPROBE, args, { encoding: 'utf8' }));
  const streamOf = (type: string) => streams.find((stream: Body) => stream.codec_type === type) ?? {};
  return {
    seconds: Number(format.duration),
    boxes: boxTypes(fs.readFileSync(file)),
    video: streamOf('video'),
    audio: streamOf('audio'),
  };
}

const TAKE_MS = 4_000;
/** The video may be this much shorter, because of starting and stopping, or longer, because a busy machine stops late. */
const MAX_SHORTER_S = 3;
const MAX_LONGER_S = 30;
/** The recorder notices a broken connection within this time. */
const OUTAGE_MS = 1_500;
const MAX_FRAMES_PER_S = 30.5;

const recorder = await forFile(openRecorderFixture());

async function stopAfter(page: Page, ms: number): Promise<void> {
  await page.waitForTimeout(ms);
  await button(page, 'Stop').click();
  await button(page, 'Retake').waitFor();
}

async function untilReady(page: Page, task: RecordingTask) {
  await untilHeading(page, 'Your video is ready');
  return untilIntro(recorder.service, task.id, 'ready');
}

const untilSet = (task: RecordingTask, field: 'opened_at' | 'watched_at') =>
  eventually(task.now, (intro) => intro[field] !== null);

const statusesOfTakes = async (task: RecordingTask) => {
  const rows = await recorder.service.database.sql<{ status: string }>`select status from recordings
    where intro_id = ${task.id} order by status`;
  return rows.map(({ status }) => status);
};

describe('an intro from its event to the end of its video', () => {
  let task: RecordingTask;
  let pageUrl: string;
  let videoUrl: string;

  test('is ready with its page after the member records, retakes and sends', async () => {
    task = await recorder.createTask();
    const page = await recorder.openPhone(task.memberUrl);
    await untilHeading(page, 'For Dana Reyes');
    await expectAccessible(page);
    await recordTake(page, TAKE_MS);
    await expectAccessible(page);
    await button(page, 'Retake').click();
    await startRecording(page);
    await stopAfter(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    const ready = await untilReady(page, task);
    expect(ready).toMatchObject({ opened_at: null, watched_at: null, sent_at: null });
    expect(Date.parse(ready.recorded_at)).toBeGreaterThan(Date.parse(ready.created_at));
    pageUrl = ready.delivery.recipient_url;
    await page.locator('iframe').scrollIntoViewIfNeeded();
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
    expect(await statusesOfTakes(task)).toEqual(['discarded', 'ready']);
    expect(await task.now()).toEqual(ready);
  });

  test('has a video in a format that every phone plays', async () => {
    videoUrl = await findVideo(pageUrl);
    const { seconds, boxes, video, audio } = await probeVideo(videoUrl);
    expect(video).toMatchObject({ codec_name: 'h264', pix_fmt: 'yuv420p' });
    expect(video.profile).toMatch(/^(Main|High)$/);
    expect(video.level).toBeLessThanOrEqual(40);
    expect(video.width).toBeLessThanOrEqual(1_080);
    expect(video.height).toBeLessThanOrEqual(1_920);
    expect(video.height).toBeGreaterThan(Number(video.width));
    expect(video).not.toHaveProperty('side_data_list');
    expect(audio).toMatchObject({ codec_name: 'aac', profile: 'LC', sample_rate: '48000' });
    expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
    expectLength(seconds, TAKE_MS);
    const [frames = 0, per = 1] = String(video.avg_frame_rate).split('/').map(Number);
    expect(frames / per).toBeLessThanOrEqual(MAX_FRAMES_PER_S);
  });

  test('is opened, sent and watched when a recipient plays the video to the end', async () => {
    const page = await recorder.openPhone(pageUrl);
    await expectAccessible(page);
    const opened = await untilSet(task, 'opened_at');
    expect(opened).toMatchObject({ status: 'sent', watched_at: null });
    expect(opened.sent_at).not.toBeNull();
    await playToTheEnd(page);
    const watched = await untilSet(task, 'watched_at');
    expect(watched).toMatchObject({ status: 'sent', opened_at: opened.opened_at, sent_at: opened.sent_at });
  });

  test('cannot be recorded again once it is sent', async () => {
    const page = await recorder.openPhone(task.memberUrl);
    await untilHeading(page, 'Your video was opened');
    expect(await button(page, 'Record again').count()).toBe(0);
    await expectAccessible(page);
  });
});

function expectLength(seconds: number, recordedMs: number): void {
  expect(seconds).toBeGreaterThan(recordedMs / 1000 - MAX_SHORTER_S);
  expect(seconds).toBeLessThan(recordedMs / 1000 + MAX_LONGER_S);
}

test('a take is uploaded completely when the service is killed during the upload and restarted', async () => {
  const task = await recorder.createTask();
  const page = await recorder.openPhone(task.memberUrl);
  await openCamera(page);
  const uploaded = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.status() === 204,
  );
  await startRecording(page);
  await uploaded;
  await recorder.service.service.kill();
  await stopAfter(page, TAKE_MS);
  await page.waitForTimeout(OUTAGE_MS);
  await recorder.restart();
  await button(page, 'Send to Dana').click();
  const { delivery } = await untilReady(page, task);
  const { seconds } = await probeVideo(await findVideo(delivery.recipient_url));
  expectLength(seconds, TAKE_MS);
  expect(await statusesOfTakes(task)).toEqual(['ready']);
});

const CANCELLED_TAKE_MS = 3_000;
/** Generous, because the encoder runs at a low priority on two cores. */
const PROCESSED_WITHIN_MS = 60_000;

const untilTake = (task: RecordingTask, isWanted: (status: string | undefined) => boolean) =>
  eventually(
    () => statusesOfTakes(task),
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
    expect(await statusesOfTakes(task)).not.toContain('ready');
  });

  test('after the video is ready, and removes the page, the video and the pictures', async () => {
    const task = await recorder.createTask();
    const page = await recorder.openPhone(task.memberUrl);
    await recordTake(page, CANCELLED_TAKE_MS);
    await button(page, 'Send to Dana').click();
    await untilHeading(page, 'Your video is ready');
    const { delivery } = await untilIntro(recorder.service, task.id, 'ready');
    const videoUrl = await findVideo(delivery.recipient_url);
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
