import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { writeSound } from '../packages/web/test/engine/fake-media.ts';
import { drawMemberVideo } from '../packages/web/test/member-video.ts';
import { makeFolder, stop } from './children.ts';
import { atMost, type Finding, info, median, ms, print } from './figures.ts';
import { readMemberLink, requestIntro } from './intros.ts';
import { SLOW_4G } from './page/first-load.ts';
import { prepareDataDir, startService } from './service.ts';

const CHROMIUM = '/usr/bin/chromium';
const MAX_READY_MS = 1_300;
const POLL_MS = 20;
const VISIT_LIMIT_MS = 60_000;
const SLOW_CPU = 4;
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/** Injected into the page: records when the button is enabled and when the camera preview plays. */
const WATCH = `(() => {
  const marks = (globalThis.marks = {});
  const check = () => {
    if (!marks.button) {
      const button = document.querySelector('.actions button:not(:disabled)');
      if (button) { marks.button = performance.now(); button.click(); }
    } else {
      const video = document.querySelector('video');
      if (video && video.videoWidth > 0 && video.currentTime > 0) { marks.preview = performance.now(); return; }
    }
    requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
})()`;

interface Marks {
  readonly button: number;
  readonly preview: number;
}

async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Install it with: apt-get install chromium`);
  const folder = makeFolder();
  // The sandbox does not work as root, as in most containers. Only our own page is opened.
  const options = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  const painter = await chromium.launch({ executablePath: CHROMIUM, args: options });
  const picture = join(folder, 'member.mjpeg');
  writeFileSync(picture, await drawMemberVideo(painter, 1, 1));
  await painter.close();
  const camera = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${picture}`,
    `--use-file-for-fake-audio-capture=${writeSound(folder, 'speech')}`,
  ];
  return chromium.launch({ executablePath: CHROMIUM, args: [...options, ...camera] });
}

async function visit(browser: Browser, url: string, slowCpu: boolean): Promise<Marks> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  if (slowCpu) await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU });
  await page.addInitScript(WATCH);
  await page.goto(url);
  for (let waited = 0; waited < VISIT_LIMIT_MS; waited += POLL_MS) {
    const marks = await page.evaluate<Partial<Marks>>('globalThis.marks');
    if (marks.button !== undefined && marks.preview !== undefined) {
      await context.close();
      return { button: marks.button, preview: marks.preview };
    }
    await sleep(POLL_MS);
  }
  throw new Error('the recorder never showed the camera');
}

/** Measures a member's wait on a slow connection: from opening the link to the camera preview, with an empty cache. */
export async function measureRecorder(quick: boolean): Promise<Finding[]> {
  const visits = quick ? 1 : 3;
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const browser = await openBrowser();
  try {
    const target = { service, dataDir, key };
    const url = await readMemberLink(target, await requestIntro(target));
    const measured: Record<'plain' | 'slow', Marks[]> = { plain: [], slow: [] };
    for (let n = 1; n <= visits; n++) {
      measured.plain.push(await visit(browser, url, false));
      measured.slow.push(await visit(browser, url, true));
      const [plain, slow] = [measured.plain.at(-1), measured.slow.at(-1)];
      print(`  visit ${n} of ${visits}: ${ms(plain?.preview ?? Number.NaN)}; slow: ${ms(slow?.preview ?? Number.NaN)}`);
    }
    const medianOf = (marks: readonly Marks[], name: keyof Marks) => median(marks.map((each) => each[name]));
    return [
      atMost(
        `recorder on slow 4G: button enabled, median of ${visits}`,
        medianOf(measured.plain, 'button'),
        MAX_READY_MS,
        ms,
      ),
      atMost('  camera preview', medianOf(measured.plain, 'preview'), MAX_READY_MS, ms),
      info(`  with a ${SLOW_CPU} times slower CPU: button enabled`, ms(medianOf(measured.slow, 'button'))),
      info('  camera preview', ms(medianOf(measured.slow, 'preview'))),
    ];
  } finally {
    await browser.close();
    await stop(service.child);
  }
}
