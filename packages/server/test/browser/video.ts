import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import type { PageSetup } from '../pages/page-fixture.ts';

const PROGRAM = '/usr/bin/ffmpeg';
const SECONDS = 4;
const SIZE = { width: 360, height: 640 };

/** A small test video with sound, a poster and a card, which plays in every browser. */
export function makeVideo(): Pick<PageSetup, 'video' | 'files'> {
  if (!fs.existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Install it with: apt-get install ffmpeg`);
  const folder = temporaryFolder();
  const run = (...args: string[]) => execFileSync(PROGRAM, ['-v', 'error', '-y', ...args], { cwd: folder });
  const { width, height } = SIZE;
  const picture = `gradients=s=${width}x${height}:r=30:d=${SECONDS}:n=4:seed=3,format=yuv420p`;
  const sources = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=220:d=${SECONDS}`];
  run(...sources, '-c:v', 'libx264', '-profile:v', 'main', '-c:a', 'aac', '-movflags', '+faststart', 'video.mp4');
  run('-ss', '1', '-i', 'video.mp4', '-frames:v', '1', 'poster.jpg');
  run('-i', 'poster.jpg', '-vf', 'scale=1200:-1,crop=1200:630', 'card.jpg');
  run('-i', 'poster.jpg', '-vf', `crop=${width}:${width},scale=112:112`, 'photo.jpg');
  const files: Record<string, Buffer> = {};
  for (const name of fs.readdirSync(folder)) files[name] = fs.readFileSync(path.join(folder, name));
  return { video: { ...SIZE, durationMs: SECONDS * 1000, captions: true, preview: false }, files };
}
