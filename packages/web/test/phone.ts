import fs from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { languageOf } from '../../server/src/recordings/shell.ts';
import { openChromium } from '../../server/test/browser/chromium.ts';
import { buildWeb, type WebBuild } from '../build.ts';
import { expectLanguage } from './catalogs.ts';
import { MEDIA_FOLDER, SOFT, type Voice, writeSound } from './engine/fake-media.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';

const FRAMES = 12;

/** Runs in the page: draws a member in front of a house, as a phone camera sees her. Drawn, so that the repository contains no real face. */
const DRAW = `(frame, frames, brightness, scale) => {
  const canvas = document.createElement('canvas');
  canvas.width = 720 * scale; canvas.height = 1280 * scale;
  const c = canvas.getContext('2d');
  c.scale(scale, scale);
  const turn = 2 * Math.PI * frame / frames;
  const fill = (paint, path) => { c.fillStyle = paint; c.beginPath(); path(); c.fill(); };
  const ellipse = (x, y, rx, ry, angle = 0) => c.ellipse(x, y, rx, ry, angle, 0, 2 * Math.PI);
  const shade = (x0, y0, x1, y1, ...colors) => {
    const g = c.createLinearGradient(x0, y0, x1, y1);
    colors.forEach((color, i) => g.addColorStop(i / (colors.length - 1), color));
    return g;
  };
  c.filter = 'blur(7px)';
  fill(shade(0, 0, 0, 700, '#a9c6d8', '#e4e3d6'), () => c.rect(-40, -40, 800, 1360));
  fill('#7d8f6f', () => { ellipse(90, 560, 210, 260); ellipse(690, 600, 190, 240); });
  fill('#8fa37f', () => { ellipse(20, 680, 180, 220); });
  fill('#d9cdb8', () => c.rect(180, 300, 560, 800));
  for (let y = 330; y < 1000; y += 34) fill('rgba(120,105,85,.16)', () => c.rect(180, y, 560, 5));
  fill('#6d5a4b', () => { c.moveTo(120, 310); c.lineTo(460, 110); c.lineTo(800, 310); });
  fill('#5f7c8a', () => c.rect(540, 430, 120, 200));
  fill('#f3efe6', () => { c.rect(530, 420, 140, 12); c.rect(530, 626, 140, 14); c.rect(530, 420, 12, 216); c.rect(594, 420, 10, 216); });
  c.filter = 'none';
  c.save();
  c.translate(360 + 5 * Math.sin(turn), 590 + 4 * Math.sin(2 * turn));
  c.rotate(0.015 * Math.sin(turn));
  // Hair behind the head.
  fill('#33231c', () => { ellipse(0, -40, 178, 222); c.roundRect(-172, -40, 344, 300, 110); });
  // Shoulders in a work jacket.
  fill(shade(-340, 300, 340, 700, '#33594b', '#27473c'), () => { c.moveTo(-400, 760); c.bezierCurveTo(-380, 420, -250, 345, -100, 300); c.lineTo(100, 300); c.bezierCurveTo(250, 345, 380, 420, 400, 760); });
  fill('#e9e4da', () => { c.moveTo(-92, 300); c.lineTo(0, 430); c.lineTo(92, 300); });
  fill('#24423a', () => { c.moveTo(-104, 292); c.lineTo(-150, 330); c.lineTo(-40, 470); c.lineTo(0, 430); });
  fill('#24423a', () => { c.moveTo(104, 292); c.lineTo(150, 330); c.lineTo(40, 470); c.lineTo(0, 430); });
  fill('#d8b24a', () => c.roundRect(130, 470, 96, 40, 8));
  // Neck and face.
  fill(shade(0, 150, 0, 320, '#a8694a', '#bb7b58'), () => { c.moveTo(-70, 130); c.lineTo(-78, 300); c.quadraticCurveTo(0, 372, 78, 300); c.lineTo(70, 130); });
  fill(shade(-130, 0, 140, 60, '#cf9069', '#c98a64', '#b37551'), () => { ellipse(0, 0, 132, 172); });
  fill('#bd7d5a', () => { ellipse(-132, 10, 18, 34); ellipse(132, 10, 18, 34); });
  fill('rgba(205,110,85,.26)', () => { ellipse(-72, 58, 34, 22); ellipse(72, 58, 34, 22); });
  // Hair over the forehead.
  fill('#3b2920', () => { c.moveTo(-146, 20); c.bezierCurveTo(-168, -190, 40, -250, 120, -150); c.bezierCurveTo(168, -110, 152, -20, 146, 20); c.bezierCurveTo(126, -50, 96, -96, 30, -112); c.bezierCurveTo(-40, -84, -118, -70, -146, 20); });
  // Eyes; they blink once a round.
  const lid = frame === 5 ? 0.12 : 1;
  for (const side of [-1, 1]) {
    fill('#f7f2ea', () => ellipse(side * 52, -14, 23, 12 * lid));
    fill('#4a3022', () => ellipse(side * 52, -14, 11, 11 * lid));
    fill('#15100d', () => ellipse(side * 52, -14, 5, 5 * lid));
    fill('#fff', () => ellipse(side * 52 + 4, -18, 3, 3 * lid));
    c.strokeStyle = '#2f211a'; c.lineCap = 'round';
    c.lineWidth = 5; c.beginPath(); c.ellipse(side * 52, -10, 26, 18, 0, 1.14 * Math.PI, 1.86 * Math.PI); c.stroke();
    c.lineWidth = 9; c.beginPath(); c.ellipse(side * 54, -24, 36, 28, side * 0.06, 1.2 * Math.PI, 1.76 * Math.PI); c.stroke();
  }
  c.strokeStyle = 'rgba(120,65,42,.55)'; c.lineWidth = 5;
  c.beginPath(); c.moveTo(6, -2); c.quadraticCurveTo(20, 38, 4, 48); c.quadraticCurveTo(-8, 52, -16, 46); c.stroke();
  // The mouth speaks.
  const open = 5 + 11 * Math.abs(Math.sin(2 * turn));
  fill('#8d3f36', () => { c.moveTo(-46, 88); c.quadraticCurveTo(0, 96, 46, 88); c.quadraticCurveTo(0, 100 + 2.2 * open, -46, 88); });
  fill('#f4ece2', () => { c.moveTo(-36, 91); c.quadraticCurveTo(0, 97, 36, 91); c.quadraticCurveTo(0, 97 + open * 0.8, -36, 91); });
  c.strokeStyle = '#a9564a'; c.lineWidth = 5; c.beginPath(); c.moveTo(-50, 86); c.quadraticCurveTo(0, 98, 50, 86); c.stroke();
  c.restore();
  c.fillStyle = 'rgba(0,0,0,' + (1 - brightness) + ')';
  c.fillRect(0, 0, 720, 1280);
  return canvas.toDataURL('image/jpeg', 0.9).split(',')[1];
}`;

/** Motion JPEG, as Chromium's fake camera reads it: one picture after the other. `brightness` 0 to 1; `scale` 1 is 720x1280. */
async function drawMemberVideo(browser: Browser, brightness: number, scale: number): Promise<Buffer> {
  const page = await browser.newPage();
  const pictures: Buffer[] = [];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const picture = await page.evaluate(`(${DRAW})(${frame}, ${FRAMES}, ${brightness}, ${scale})`);
    pictures.push(Buffer.from(String(picture), 'base64'));
  }
  await page.close();
  return Buffer.concat(pictures);
}

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

let build: Promise<WebBuild> | undefined;

export type Visit = Awaited<ReturnType<typeof visit>>;

/** A phone that just opened the link, with a server of its own. `prepare` sets up the server first. */
export async function visit(
  scene: Scene = {},
  options: BrowserContextOptions = {},
  prepare: (server: FakeServer) => void = () => {},
) {
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
