import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openCameraBrowser } from '../../../web/test/phone.ts';
import { APPOINTMENT, introOfEvent } from '../acceptance/support/actions.ts';
import { openService } from '../acceptance/support/service.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { boxTypes } from '../media/mp4-boxes.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FFPROBE = '/usr/bin/ffprobe';
const TIMEOUT_MS = 40_000;
const TOUCHPOINT = 'new_appointment';

// biome-ignore lint/suspicious/noExplicitAny: tests read response bodies without types, as in the harness.
type Body = any;

type RecorderFixture = Awaited<ReturnType<typeof openRecorderFixture>>;
export type RecordingTask = Awaited<ReturnType<RecorderFixture['createTask']>>;

/** A service of its own, and a browser whose camera shows a drawn member. */
export async function openRecorderFixture() {
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

/** The video's URL in the page's HTML, which works without running scripts. */
export function videoUrlIn(html: string, pageUrl: string): string {
  const [, url = ''] = /src="([^"]*\.mp4)"/.exec(html) ?? [];
  expect(url).not.toBe('');
  return new URL(url, pageUrl).href;
}

/** Reads the properties of the recipient's video with ffprobe. */
export async function probeVideo(url: string) {
  if (!fs.existsSync(FFPROBE)) throw new Error(`${FFPROBE} is missing. Install it with: apt-get install ffmpeg`);
  const folder = temporaryFolder();
  try {
    const file = path.join(folder, 'video.mp4');
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
  } finally {
  }
}
