import fs from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { languageOf } from '../../server/src/recordings/shell.ts';
import { openChromium } from '../../server/test/browser/chromium.ts';
import { buildWeb, type WebBuild } from '../build.ts';
import { expectLanguage } from './catalogs.ts';
import { MEDIA_FOLDER, SOFT, type Voice, writeSound } from './engine/fake-media.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { drawMemberVideo } from './member-video.ts';

const PHONE = { width: 390, height: 844 };

export interface Scene {
  brightness?: number;
  voice?: Voice;
  /** `two`: the browser draws its own test picture instead of the member. */
  camera?: 'works' | 'two' | 'none' | 'denied';
}

/** `scale` is of the picture; the recordings of small ones run four at once on two cores. */
export async function writeMemberVideo(brightness: number, scale: number): Promise<string> {
  const file = path.join(MEDIA_FOLDER, `member-${brightness}-${scale}.mjpeg`);
  if (!fs.existsSync(file)) fs.writeFileSync(file, await drawMemberVideo(await openChromium(), brightness, scale));
  return file;
}

/** A browser whose fake camera shows a drawn member. */
export async function openCameraBrowser(
  { brightness = 1, voice = 'speech', camera = 'works' }: Scene = {},
  scale = 0.5,
): Promise<Browser> {
  switch (camera) {
    case 'none':
      return openChromium('--use-fake-ui-for-media-stream');
    case 'denied':
      return openChromium('--use-fake-ui-for-media-stream=deny', '--use-fake-device-for-media-stream');
    case 'two':
      return openChromium('--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=device-count=2');
    case 'works':
      return openChromium(
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-video-capture=${await writeMemberVideo(brightness, scale)}`,
        `--use-file-for-fake-audio-capture=${writeSound(voice, SOFT)}`,
      );
  }
}

/** A phone and its own server, so that tests can run at the same time. */
export interface Visit {
  page: Page;
  server: FakeServer;
  close(): Promise<void>;
}

let build: Promise<WebBuild> | undefined;

/** A phone that just opened the link. `prepare` sets up its server first. */
export async function visit(
  scene: Scene = {},
  options: BrowserContextOptions = {},
  prepare: (server: FakeServer) => void = () => {},
): Promise<Visit> {
  build ??= buildWeb();
  const server = await startFakeServer(await build);
  prepare(server);
  const context = await (await openCameraBrowser(scene)).newContext({ viewport: PHONE, ...options });
  expectLanguage(context, languageOf(server.state));
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => server.received.complaints.push(error.message));
  page.on('console', (message) => {
    // Broken connections are logged to the console as well.
    const isOwnError = message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text());
    if (isOwnError) server.received.complaints.push(message.text());
  });
  await page.goto(server.url);
  const close = async () => {
    await context.close();
    await server.stop();
  };
  return { page, server, close };
}
