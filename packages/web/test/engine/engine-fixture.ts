import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import { openChromium } from '../../../server/test/browser/chromium.ts';
import type { Driver } from './driver.ts';
import { type Voice, writePicture, writeSound } from './fake-media.ts';
import { type FakeIntro, startTusService, type TusService } from './tus-service.ts';

/** A host name that is not localhost: there the browser allows no camera without TLS. */
export const INSECURE_HOST = 'studio.test';
export const FILE_BYTES = 2_000_000;
const PHONE = { width: 390, height: 844 };

export interface Scene {
  brightness?: number;
  voice?: Voice;
  /** Leaves the permission prompt unanswered; by default it is accepted. */
  asks?: boolean;
  cameras?: number;
}

export type EnginePage = {
  page: Page;
  context: BrowserContext;
} & { [Name in keyof Driver]: Driver[Name] };

/** Browsers with fake cameras, a page with the engine, and the server it uploads to. */
export class EngineFixture {
  readonly service: TusService;
  readonly #folder: string;
  readonly #browsers = new Map<string, Browser>();

  private constructor(service: TusService, folder: string) {
    this.service = service;
    this.#folder = folder;
  }

  static async open(): Promise<EngineFixture> {
    const service = await startTusService(await bundleDriver());
    return new EngineFixture(service, fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-fixture-')));
  }

  /** Closes with the test. */
  async context(scene: Scene = {}): Promise<BrowserContext> {
    const key = JSON.stringify(scene);
    const browser = this.#browsers.get(key) ?? (await this.#launch(scene));
    this.#browsers.set(key, browser);
    const context = await browser.newContext({ viewport: PHONE });
    onTestFinished(() => context.close());
    return context;
  }

  async openPage(context: BrowserContext, init?: string): Promise<EnginePage> {
    const page = await context.newPage();
    if (init) await page.addInitScript(init);
    await page.goto(this.service.url);
    await page.waitForFunction('window.driver !== undefined');
    return new Proxy({ page, context } as EnginePage, {
      get: (phone, name: string) =>
        name in phone || name === 'then'
          ? Reflect.get(phone, name)
          : (...args: unknown[]) => page.evaluate(`driver.${name}(...${JSON.stringify(args)})`),
    });
  }

  /** A phone with the link open: camera, spool, and its own intro. */
  async openPhone(scene: Scene = {}, init?: string): Promise<{ intro: FakeIntro; phone: EnginePage }> {
    const intro = this.service.intro();
    const phone = await this.openPage(await this.context(scene), init);
    await phone.openCamera();
    await phone.openSpool(intro.api);
    return { intro, phone };
  }

  /** A take from a file, which needs no recording time. */
  async openWithFile(
    faults: FakeIntro['faults'] = [],
  ): Promise<{ intro: FakeIntro; phone: EnginePage; takeId: string }> {
    const intro = this.service.intro();
    intro.faults = faults;
    const phone = await this.openPage(await this.context());
    await phone.openSpool(intro.api);
    const picked = await phone.pick({ name: 'a.mp4', type: 'video/mp4', bytes: FILE_BYTES, maxBytes: FILE_BYTES });
    if ('problem' in picked) throw new Error(picked.problem);
    return { intro, phone, takeId: picked.id };
  }

  async close(): Promise<void> {
    for (const browser of this.#browsers.values()) await browser.close();
    await this.service.close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  async #launch({ brightness = 0.5, voice = 'speech', asks = false, cameras = 1 }: Scene): Promise<Browser> {
    const args = [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`];
    if (cameras > 0) {
      args.push(`--use-fake-device-for-media-stream=device-count=${cameras}`);
      // With a file there is only one camera, regardless of the count.
      if (cameras === 1) args.push(`--use-file-for-fake-video-capture=${writePicture(this.#folder, brightness)}`);
      args.push(`--use-file-for-fake-audio-capture=${writeSound(this.#folder, voice)}`);
    }
    if (!asks) args.push('--use-fake-ui-for-media-stream');
    return openChromium(...args);
  }
}

async function bundleDriver(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: path.join(import.meta.dirname, 'driver.page.ts') },
    },
  });
  const outputs = Array.isArray(built) ? built : [built];
  const chunks = outputs.flatMap((output) => ('output' in output ? output.output : []));
  const script = chunks.find((chunk) => chunk.type === 'chunk');
  if (script?.type !== 'chunk') throw new Error('the engine has no script');
  return script.code;
}
