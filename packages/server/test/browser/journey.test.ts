import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCamera, recordTake, startRecording } from '../../../web/test/acts.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { untilIntro } from '../acceptance/support/recorder.ts';
import { openFirefox } from './firefox.ts';
import {
  button,
  expectAccessible,
  type Job,
  openStudio,
  playToTheEnd,
  probeFilm,
  type Studio,
  untilHeading,
  videoIn,
} from './studio.ts';

const TAKE_MS = 4_000;
/** What start and stop of a recording may take off; and what a busy machine adds before the tap on Stop is heard. */
const LOST_S = 1.5;
const LATE_S = 8;
/** A line that nobody heals is noticed by the recorder within this. */
const CUT_MS = 1_500;
const MOST_FRAMES_PER_S = 30.5;

/** How messengers and search engines name themselves when they fetch a link to show a preview of it. */
const ROBOTS = [
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'WhatsApp/2.23.20.0 A',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio?.close());

const untilPieceArrived = (page: Page) =>
  page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.status() === 204);

async function stopAfter(page: Page, ms: number): Promise<void> {
  await page.waitForTimeout(ms);
  await button(page, 'Stop').click();
  await button(page, 'Retake').waitFor();
}

async function untilReady(page: Page, job: Job) {
  await untilHeading(page, 'Your video is ready');
  return untilIntro(studio.fixture, job.id, 'ready');
}

const untilSeen = (job: Job, what: 'opened_at' | 'watched_at') => eventually(job.now, (intro) => intro[what] !== null);

const takesOf = (job: Job) =>
  studio.fixture.database.query<{ status: string }>('select status from recordings where intro_id = $1', [job.id]);

describe('from the event to the last second of the video', () => {
  let job: Job;
  let pageUrl: string;
  let film: string;

  test('a member opens the link, records, takes it again, and sends: the intro is ready and has its page', async () => {
    job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await untilHeading(page, 'For Dana Reyes');
    await expectAccessible(page);
    await recordTake(page, TAKE_MS);
    await expectAccessible(page);
    await button(page, 'Retake').click();
    await startRecording(page);
    await stopAfter(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    const ready = await untilReady(page, job);
    expect(ready).toMatchObject({ opened_at: null, watched_at: null, sent_at: null });
    expect(Date.parse(ready.recorded_at)).toBeGreaterThan(Date.parse(ready.created_at));
    pageUrl = ready.delivery.recipient_url;
    await page.locator('iframe').scrollIntoViewIfNeeded();
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
    expect((await takesOf(job)).map(({ status }) => status).sort()).toEqual(['discarded', 'ready']);
    await page.context().close();
    expect(await job.now()).toEqual(ready);
  });

  test('the video is what every phone plays', async () => {
    film = videoIn(await (await fetch(pageUrl)).text(), pageUrl);
    const { seconds, boxes, video, audio } = await probeFilm(film);
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
    expect(frames / per).toBeLessThanOrEqual(MOST_FRAMES_PER_S);
  });

  test.each(ROBOTS)('%s fetches the page, its pictures and its video, and counts as nobody', async (agent) => {
    const before = await job.now();
    const headers = { 'user-agent': agent };
    for (const address of [pageUrl, film, `${pageUrl}/card.jpg`, `${pageUrl}/poster.jpg`]) {
      const answer = await fetch(address, { headers });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
      expect((await fetch(address, { method: 'HEAD', headers })).status).toBe(200);
    }
    expect(await job.now()).toEqual(before);
  });

  test('a recipient opens the page and plays it to the end: opened, watched, and with that sent', async () => {
    const page = await studio.openPhone(pageUrl);
    await expectAccessible(page);
    const opened = await untilSeen(job, 'opened_at');
    expect(opened).toMatchObject({ status: 'sent', watched_at: null });
    expect(opened.sent_at).not.toBeNull();
    await playToTheEnd(page);
    const watched = await untilSeen(job, 'watched_at');
    expect(watched).toMatchObject({ status: 'sent', opened_at: opened.opened_at, sent_at: opened.sent_at });
    await page.context().close();
  });

  test('Firefox plays the same page to the end', async () => {
    const browser = await openFirefox();
    try {
      await playToTheEnd(await studio.openPhone(pageUrl, browser));
    } finally {
      await browser.close();
    }
  });

  test("the member's link now says that the video is on its way, and records no more", async () => {
    const page = await studio.openPhone(job.memberUrl);
    await untilHeading(page, 'Your video is on its way');
    expect(await button(page, 'Record it again').count()).toBe(0);
    await expectAccessible(page);
    await page.context().close();
  });
});

/** Nothing of it is missing. */
function expectLength(seconds: number, recordedMs: number): void {
  expect(seconds).toBeGreaterThan(recordedMs / 1000 - LOST_S);
  expect(seconds).toBeLessThan(recordedMs / 1000 + LATE_S);
}

/** One take, and all of it. */
async function expectWhole(job: Job, ready: { delivery: { recipient_url: string } }, recordedMs: number) {
  const { recipient_url } = ready.delivery;
  const { seconds } = await probeFilm(videoIn(await (await fetch(recipient_url)).text(), recipient_url));
  expectLength(seconds, recordedMs);
  expect(await takesOf(job)).toEqual([{ status: 'ready' }]);
}

describe('a take arrives whole', () => {
  test('when the signal goes in the middle of the upload, and comes back', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await openCamera(page);
    const arrived = untilPieceArrived(page);
    await startRecording(page);
    await arrived;
    await page.context().setOffline(true);
    await stopAfter(page, TAKE_MS);
    await button(page, 'Send to Dana').click();
    await page.getByText('Your take is safe on this device').waitFor();
    expect((await job.now()).status).toBe('requested');
    await page.context().setOffline(false);
    await expectWhole(job, await untilReady(page, job), TAKE_MS);
    await page.context().close();
  });

  test('when the service is killed in the middle of the upload, and started again', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await openCamera(page);
    const arrived = untilPieceArrived(page);
    await startRecording(page);
    await arrived;
    await studio.fixture.service.kill();
    await stopAfter(page, TAKE_MS);
    await page.waitForTimeout(CUT_MS);
    await studio.startAgain();
    await button(page, 'Send to Dana').click();
    await expectWhole(job, await untilReady(page, job), TAKE_MS);
    await page.context().close();
  });

  test('when the tab is closed between Stop and Send: the link offers it when it is opened again', async () => {
    const job = await studio.newJob();
    const page = await studio.openPhone(job.memberUrl);
    await recordTake(page, TAKE_MS);
    await page.close();
    expect((await job.now()).status).toBe('requested');
    const again = await page.context().newPage();
    await again.goto(job.memberUrl);
    await untilHeading(again, 'You have a take that was not sent');
    await expectAccessible(again);
    await button(again, 'Send').click();
    await expectWhole(job, await untilReady(again, job), TAKE_MS);
    await again.context().close();
  });
});
