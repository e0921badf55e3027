import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { collectText, forFile, freePort, sleep } from '../harness/index.ts';
import { openConsoleFixture } from './console-fixture.ts';
import { containing, named, openSession } from './webdriver.ts';

const PROGRAMS = { driver: '/usr/bin/WebKitWebDriver', display: '/usr/bin/Xvfb' };
const PACKAGES =
  'webkit2gtk-driver xvfb gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav';
const START_LIMIT_MS = 20_000;
const POLL_MS = 50;

/** WebKitGTK's small browser: prints the console, and has a simulated camera and microphone. */
const OPTIONS = [
  '--automation',
  '--enable-write-console-messages-to-stdout=true',
  '--enable-mock-capture-devices=true',
];

/** In a process group of its own, so that its children end with it. */
function start(program: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  return spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** An X server that picks a free display, which it prints. */
async function openDisplay(): Promise<{ name: string; close: () => void }> {
  const child = start(PROGRAMS.display, ['-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1400x1000x24'], {});
  const printed = collectText(child.stdout);
  for (let waited = 0; !printed().includes('\n'); waited += POLL_MS) {
    if (waited > START_LIMIT_MS || child.exitCode !== null) throw new Error('Xvfb did not start');
    await sleep(POLL_MS);
  }
  return { name: `:${printed().trim()}`, close: () => kill(child) };
}

async function waitUntilUp(driver: string): Promise<void> {
  for (let waited = 0; waited < START_LIMIT_MS; waited += POLL_MS) {
    const isUp = await fetch(`${driver}/status`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await sleep(POLL_MS);
  }
  throw new Error('WebKitWebDriver did not start');
}

/** Debian's WebKitGTK, the engine of Safari, over WebDriver. Playwright supports only its own build of it. */
async function openWebKit() {
  for (const program of Object.values(PROGRAMS))
    if (!fs.existsSync(program)) throw new Error(`${program} is missing. Install it with: apt-get install ${PACKAGES}`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-webkit-'));
  const display = await openDisplay();
  const port = await freePort();
  const driver = start(PROGRAMS.driver, [`--port=${port}`], {
    ...{ PATH: '/usr/bin:/bin', DISPLAY: display.name, LANG: 'C.UTF-8' },
    // Nothing of this user, and no session services.
    ...{ HOME: folder, XDG_RUNTIME_DIR: folder, GSETTINGS_BACKEND: 'memory', NO_AT_BRIDGE: '1' },
    // There is no graphics card.
    ...{ LIBGL_ALWAYS_SOFTWARE: '1', WEBKIT_DISABLE_DMABUF_RENDERER: '1' },
  });
  const printed = collectText(driver.stdout, driver.stderr);
  const close = () => {
    kill(driver);
    display.close();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitUntilUp(url);
    const browser = await openSession(url, { 'webkitgtk:browserOptions': { args: OPTIONS } });
    return {
      browser,
      /** Errors in the console so far, including violations of a page's security policy. */
      errors: () =>
        printed()
          .split('\n')
          .filter((line) => /\bCONSOLE .*\bERROR\b/.test(line)),
      async close() {
        await browser.end().catch(() => undefined);
        close();
      },
    };
  } catch (error) {
    close();
    throw new Error(`WebKitGTK did not start: ${printed()}`, { cause: error });
  }
}

const fixture = await forFile(openConsoleFixture());
const webkit = await forFile(openWebKit());
const { browser } = webkit;
afterEach(() => expect(webkit.errors()).toEqual([]));

test('the console signs in, and shows the overview, the intros and an intro', async () => {
  await browser.goto(await fixture.createSignInLink('owner'));
  await browser.click(named('button', 'Sign in'));
  await browser.until(named('h1', 'Overview'));
  await browser.until(containing('Needs attention'));
  await browser.goto(`${fixture.url}/console/intros`);
  await browser.until(named('h1', 'Intros'));
  await browser.click(containing('Dana Reyes'));
  await browser.until('//h1[contains(., "Dana Reyes")]');
});

test('the console opens its other pages', async () => {
  for (const [path, heading] of [
    ['/touchpoints', 'Touchpoints'],
    ['/touchpoints/new_appointment', 'New appointment'],
    ['/members', 'Members'],
    ['/organization/brand', 'Brand'],
    ['/developers', 'First steps'],
    ['/developers/webhooks', 'Webhooks'],
    ['/messages', 'Messages'],
    ['/home', 'My intros'],
    ['/account', 'Account'],
  ] as const) {
    await browser.goto(`${fixture.url}/console${path}`);
    await browser.until(named('h1', heading));
    await browser.untilTrue(`document.querySelector('.skeleton') === null`);
  }
});

test('the page plays its video to the end', async () => {
  const [, pageUrl = ''] = await fixture.findLinks();
  await browser.goto(pageUrl);
  await browser.click(
    '//button[starts-with(normalize-space(), "Play the video") or starts-with(@aria-label, "Play the video")]',
  );
  await browser.untilTrue(`document.querySelector('video').ended`);
  const watched = await eventually(
    async () => {
      const [row] = await fixture.database.sql<{ watched_percent: number }>`select watched_percent from intros
        where id = ${fixture.company.sent}`;
      return row?.watched_percent;
    },
    (percent) => percent === 100,
  );
  expect(watched).toBe(100);
});

test('the recorder opens the camera and records', async () => {
  const [recorderUrl = ''] = await fixture.findLinks();
  await browser.goto(recorderUrl);
  await browser.click(named('button', 'Start the camera'));
  await browser.click(named('button', 'Record'));
  await browser.click(named('button', 'Start now'));
  await browser.until(named('button', 'Stop'));
});
