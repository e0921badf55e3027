import { copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../packages/server/src/platform/log.ts';
import { openWorkFolders } from '../packages/server/src/platform/work-folders.ts';
import { libraryEngine } from '../packages/server/src/recordings/media/engine/node-av.ts';
import { BUILT_IN_CLIP, BUILT_IN_POSTER, createEncoder } from '../packages/server/src/recordings/media/index.ts';
import { drawFrame, FRAMES, HEIGHT, RATE, WIDTH } from './clip/scene.ts';
import { speak } from './clip/voice.ts';

// Draws the clip that simulated recordings use, and encodes it with the same pipeline as every take.
// Run it with: node scripts/make-clip.ts

const folder = await mkdtemp(join(tmpdir(), 'foreword-clip-'));
try {
  const header = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F${RATE}:1 Ip A1:1 C444\n`);
  const mark = Buffer.from('FRAME\n');
  const frames = Array.from({ length: FRAMES }, (_, index) => [mark, drawFrame(index)]).flat();
  await writeFile(join(folder, 'drawn.y4m'), Buffer.concat([header, ...frames]));
  await writeFile(join(folder, 'voice.wav'), speak(FRAMES / RATE));

  const engine = await libraryEngine({ folder });
  await engine.run({
    input: { file: 'movie=drawn.y4m[out0];amovie=voice.wav[out1]', demuxer: 'lavfi' },
    video: {
      index: 0,
      filter: 'format=yuv420p',
      codec: 'libx264',
      options: { preset: 'slow', crf: '20', profile: 'high', level: '4.0', g: '30' },
    },
    audio: { index: 0, filter: 'aformat=sample_fmts=fltp', codec: 'aac', options: { b: '128k' } },
    output: { file: 'take.mp4', muxer: 'mp4' },
  });
  const workFolders = openWorkFolders({ workDir: undefined, dataDir: folder });
  const encoder = createEncoder({
    ffmpegPath: 'off',
    log: createLogger('silent'),
    workFolders,
    isolate: true,
    limits: { niceness: 0 },
  });
  const details = await encoder.process({
    file: join(folder, 'take.mp4'),
    into: folder,
    script: null,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  await copyFile(join(folder, 'video.mp4'), BUILT_IN_CLIP);
  await copyFile(join(folder, 'poster.jpg'), BUILT_IN_POSTER);
  const { size } = await stat(BUILT_IN_CLIP);
  process.stdout.write(`${JSON.stringify(details)}\n${BUILT_IN_CLIP}: ${size} bytes\n`);
} finally {
  await rm(folder, { recursive: true });
}
