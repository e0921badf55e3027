import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { test as base } from 'vitest';
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
  /** Refuses permission; by default it is given. */
  refuses?: boolean;
  cameras?: number;
}

export type EnginePage = {
  page: Page;
  context: BrowserContext;
} & { [Name in keyof Driver]: Driver[Name] };

/** Opens pages with the engine in browsers with fake cameras. */
export class Engine {
  readonly service: TusService;
  readonly #contexts: BrowserContext[] = [];

  constructor(service: TusService) {
    this.service = service;
  }

  async context(scene: Scene = {}): Promise<BrowserContext> {
    const context = await (await openCameras(scene)).newContext({ viewport: PHONE });
    this.#contexts.push(context);
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
  async openPhone(scene: Scene = {}, init?: string) {
    const intro = this.service.intro();
    const phone = await this.openPage(await this.context(scene), init);
    await phone.openCamera();
    await phone.openSpool(intro.api);
    return { intro, phone };
  }

  /** A page without a camera that has the link of an intro open. */
  async openLink(intro = this.service.intro(), context?: BrowserContext) {
    const phone = await this.openPage(context ?? (await this.context()));
    await phone.openSpool(intro.api);
    return { intro, phone };
  }

  /** A take from a file, which needs no recording time. */
  async openWithFile(faults: FakeIntro['faults'] = []) {
    const { intro, phone } = await this.openLink();
    intro.faults = faults;
    const picked = await phone.pick({ name: 'a.mp4', type: 'video/mp4', bytes: FILE_BYTES, maxBytes: FILE_BYTES });
    if ('problem' in picked) throw new Error(picked.problem);
    return { intro, phone, takeId: picked.id };
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}

function openCameras({ brightness = 0.5, voice = 'speech', refuses = false, cameras = 1 }: Scene): Promise<Browser> {
  const args = [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`];
  if (cameras > 0) {
    args.push(`--use-fake-device-for-media-stream=device-count=${cameras}`);
    // With a file there is only one camera, regardless of the count.
    if (cameras === 1) args.push(`--use-file-for-fake-video-capture=${writePicture(brightness)}`);
    args.push(`--use-file-for-fake-audio-capture=${writeSound(voice)}`);
  }
  args.push(`--use-fake-ui-for-media-stream${refuses ? '=deny' : ''}`);
  return openChromium(...args);
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

/** One for all files of a process. */
let driver: Promise<string> | undefined;

/** `engine` has a server for all tests of a file. Its pages close with the test. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern.
  .extend('service', { scope: 'file' }, async ({}, { onCleanup }) => {
    driver ??= bundleDriver();
    const service = await startTusService(await driver);
    onCleanup(() => service.close());
    return service;
  })
  .extend('engine', ({ service }, { onCleanup }) => {
    const engine = new Engine(service);
    onCleanup(() => engine.close());
    return engine;
  });
