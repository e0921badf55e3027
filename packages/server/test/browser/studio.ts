import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { writeSound } from '../../../web/test/engine/fake-media.ts';
import { drawPortrait } from '../../../web/test/portrait.ts';
import { APPOINTMENT, introOfEvent } from '../acceptance/support/actions.ts';
import { openService, type ServiceFixture } from '../acceptance/support/service.ts';
import { type Service, sleep } from '../harness/index.ts';
import { boxTypes } from '../media/boxes.ts';
import { openChromium } from './chromium.ts';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const FFPROBE = '/usr/bin/ffprobe';
/** Half of what a phone gives: two cores have to draw, record and encode it at the same time. */
const PICTURE_SCALE = 0.5;
const PATIENCE_MS = 40_000;
const LOOK_AGAIN_MS = 50;
const TOUCHPOINT = 'new_appointment';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely, as in the harness.
type Answer = any;

/** An intro as its member and its recipient meet it: by its links. */
export interface Job {
  readonly id: string;
  readonly memberUrl: string;
  now(): Promise<Answer>;
}

/** A service with everything of its own, and a browser with a drawn member before its camera. */
export interface Studio {
  readonly fixture: ServiceFixture;
  readonly browser: Browser;
  /** A moment that the integration reports, up to the link that the member gets. */
  newJob(): Promise<Job>;
  /** A phone of somebody who has never been here, with this address opened. */
  openPhone(url: string, browser?: Browser): Promise<Page>;
  /** The service as it was before it was killed, at the same address. */
  startAgain(): Promise<Service>;
  close(): Promise<void>;
}

export async function openCameraBrowser(folder: string): Promise<Browser> {
  const draughtsman = await openChromium();
  const picture = path.join(folder, 'member.mjpeg');
  fs.writeFileSync(picture, await drawPortrait(draughtsman, 1, PICTURE_SCALE));
  await draughtsman.close();
  return openChromium(
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${picture}`,
    `--use-file-for-fake-audio-capture=${writeSound(folder, 'speech')}`,
  );
}

export async function openStudio(): Promise<Studio> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-studio-'));
  const browser = await openCameraBrowser(folder);
  const own = {
    DATA_DIR: path.join(folder, 'data'),
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
  };
  const fixture = await openService(own);
  const { id: organization } = fixture.organization;
  await fixture.run('touchpoint', 'set', '--org', organization, TOUCHPOINT, '--delivery', 'integration');
  return {
    fixture,
    browser,
    async newJob() {
      const { id } = await introOfEvent(fixture.api, { touchpoint: TOUCHPOINT, context: { appointment: APPOINTMENT } });
      const { url } = await fixture.run('intro', 'link', id);
      return {
        id,
        // The service stands on a port of its own, which the command does not know.
        memberUrl: fixture.service.url + new URL(url).pathname,
        now: async () => (await fixture.api.get(`/v1/intros/${id}`)).body,
      };
    },
    async openPhone(url, other) {
      // Firefox knows no such thing as a mobile page.
      const { isMobile, ...plain } = PHONE;
      const context = await (other ?? browser).newContext(other === undefined ? { ...plain, isMobile } : plain);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(url);
      return page;
    },
    startAgain: () => fixture.newNode({ ...own, PORT: new URL(fixture.service.url).port }),
    async close() {
      await browser.close();
      await fixture.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

export const untilHeading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** What fades in or out has, for a moment, too little contrast. Spinners go on for ever, and are not waited for. */
const STILL = `document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity)`;

export async function expectAccessible(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(STILL), { message: 'it never came to rest' }).toBe(true);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}

/** Asked again and again from here: the page's policy lets no waiting be written into it. */
async function untilVideo(page: Page, isSo: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_AGAIN_MS) {
    if (await page.evaluate(`document.querySelector('video').${isSo}`)) return;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Error(`the video never came to: ${isSo}`);
}

export async function playToTheEnd(page: Page): Promise<void> {
  await button(page, /^Play the video/).click();
  await untilVideo(page, 'ended');
}

/** The address of the video as it stands in the page, for whoever reads it without running anything. */
export function videoIn(html: string, pageUrl: string): string {
  const [, address = ''] = /src="([^"]*\.mp4)"/.exec(html) ?? [];
  expect(address).not.toBe('');
  return new URL(address, pageUrl).href;
}

export interface Film {
  readonly seconds: number;
  readonly boxes: string[];
  readonly video: Record<string, unknown>;
  readonly audio: Record<string, unknown>;
}

/** What FFmpeg says about the file that the recipient gets. */
export async function probeFilm(url: string): Promise<Film> {
  if (!fs.existsSync(FFPROBE)) throw new Error(`${FFPROBE} is missing. Install it with: apt-get install ffmpeg`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-probe-'));
  try {
    const file = path.join(folder, 'video.mp4');
    fs.writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const args = ['-v', 'error', '-of', 'json', '-show_streams', '-show_format', file];
    const { streams, format } = JSON.parse(execFileSync(FFPROBE, args, { encoding: 'utf8' }));
    const streamOf = (type: string) => streams.find((stream: Answer) => stream.codec_type === type) ?? {};
    return {
      seconds: Number(format.duration),
      boxes: boxTypes(fs.readFileSync(file)),
      video: streamOf('video'),
      audio: streamOf('audio'),
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
