import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { languageOf } from '../../server/src/recordings/shell.ts';
import { openChromium } from '../../server/test/browser/chromium.ts';
import { buildWeb, type WebBuild } from '../build.ts';
import { expectLanguage } from './catalogs.ts';
import { type Voice, writeSound } from './engine/fake-media.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { drawMemberVideo } from './member-video.ts';

const PHONE = { width: 390, height: 844 };

export interface Scene {
  brightness?: number;
  voice?: Voice;
  /** `two`: the browser draws its own test picture instead of the member. */
  camera?: 'works' | 'two' | 'none' | 'denied';
}

const WAV_HEADER_BYTES = 44;
/** The browser adds gain: at full loudness the recorder would ask the member to move back. */
const SOFT = 0.25;

export function soften(file: string): string {
  const sound = fs.readFileSync(file);
  for (let at = WAV_HEADER_BYTES; at + 1 < sound.length; at += 2) {
    sound.writeInt16LE(Math.round(sound.readInt16LE(at) * SOFT), at);
  }
  fs.writeFileSync(file, sound);
  return file;
}

/** A phone and its own server, so that tests can run at the same time. */
export interface Visit {
  page: Page;
  server: FakeServer;
  close(): Promise<void>;
}

/** Browsers whose fake camera shows a drawn member. */
export class Phones {
  readonly #build: WebBuild;
  readonly #scale: number;
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-phones-'));
  readonly #browsers = new Map<string, Promise<Browser>>();

  private constructor(build: WebBuild, scale: number) {
    this.#build = build;
    this.#scale = scale;
  }

  /** `small` lets four recordings run at once on two cores; `sharp` is for pictures. */
  static async open(picture: 'small' | 'sharp' = 'small'): Promise<Phones> {
    return new Phones(await buildWeb(), picture === 'sharp' ? 1 : 0.5);
  }

  /** A phone that just opened the link. `prepare` sets up the server first. */
  async visit(
    scene: Scene = {},
    options: BrowserContextOptions = {},
    prepare: (server: FakeServer) => void = () => {},
  ): Promise<Visit> {
    const server = await startFakeServer(this.#build);
    prepare(server);
    const context = await (await this.#browser(scene)).newContext({ viewport: PHONE, ...options });
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

  async close(): Promise<void> {
    for (const browser of this.#browsers.values()) await (await browser).close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #browser({ brightness = 1, voice = 'speech', camera = 'works' }: Scene): Promise<Browser> {
    const key = `${brightness} ${voice} ${camera}`;
    const browser =
      this.#browsers.get(key) ?? this.#cameraArgs(brightness, voice, camera).then((args) => openChromium(...args));
    this.#browsers.set(key, browser);
    return browser;
  }

  async #cameraArgs(brightness: number, voice: Voice, camera: Scene['camera']): Promise<string[]> {
    if (camera === 'none') return ['--use-fake-ui-for-media-stream'];
    if (camera === 'denied') return ['--use-fake-device-for-media-stream', '--deny-permission-prompts'];
    if (camera === 'two') {
      return ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=device-count=2'];
    }
    return [
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${await this.#picture(brightness)}`,
      `--use-file-for-fake-audio-capture=${soften(writeSound(this.#folder, voice))}`,
    ];
  }

  async #picture(brightness: number): Promise<string> {
    const file = path.join(this.#folder, `member-${brightness}.mjpeg`);
    if (fs.existsSync(file)) return file;
    const browser = await openChromium();
    fs.writeFileSync(file, await drawMemberVideo(browser, brightness, this.#scale));
    await browser.close();
    return file;
  }
}
