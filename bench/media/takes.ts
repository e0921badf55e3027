import { join } from 'node:path';
import { libraryEngine } from '../../packages/server/src/recordings/media/engine/node-av.ts';

export const TAKE_S = 15;
export const SIZE = '720x1280';
/** Time to encode a take, as a share of its length. */
export const MAX_ENCODED_SHARE = 0.6;

export interface Takes {
  /** H.264 and AAC, which the encoder can copy. */
  readonly copied: string;
  /** VP8 and Opus, which need encoding. */
  readonly encoded: string;
}

/** As a phone records in 4K, at a lower rate, so that a test recording may have its size. */
export async function makeLargeTake(folder: string, seconds: number): Promise<string> {
  const engine = await libraryEngine({ folder });
  await engine.run({
    input: {
      file: `testsrc2=s=3840x2160:r=30:d=${seconds},noise=alls=6:allf=t,format=yuv420p[out0]`,
      demuxer: 'lavfi',
    },
    video: {
      index: 0,
      filter: 'null',
      codec: 'libx264',
      options: { preset: 'ultrafast', b: '8M', maxrate: '9M', bufsize: '8M', g: '30' },
    },
    output: { file: 'large.mp4', muxer: 'mp4' },
  });
  return join(folder, 'large.mp4');
}

/** Noise over a moving picture, about as hard to encode as a face in a room. */
export async function makeTakes(folder: string): Promise<Takes> {
  const engine = await libraryEngine({ folder });
  const picture = `testsrc2=s=${SIZE}:r=30:d=${TAKE_S},noise=alls=6:allf=t,format=yuv420p[out0]`;
  const sound = `aevalsrc='0.1*sin(220*2*PI*t)*gt(mod(t,0.6),0.15)':s=48000:d=${TAKE_S}[out1]`;
  const input = { file: `${picture};${sound}`, demuxer: 'lavfi' };
  await engine.run({
    input,
    video: {
      index: 0,
      filter: 'null',
      codec: 'libx264',
      options: { preset: 'veryfast', b: '2M', maxrate: '2500k', bufsize: '2M', profile: 'main', g: '30' },
    },
    audio: { index: 0, filter: 'aformat=sample_fmts=fltp', codec: 'aac', options: {} },
    output: { file: 'take.mp4', muxer: 'mp4' },
  });
  await engine.run({
    input,
    video: {
      index: 0,
      filter: 'null',
      codec: 'libvpx',
      options: { deadline: 'realtime', 'cpu-used': '8', b: '2500k', g: '100' },
    },
    audio: { index: 0, filter: 'aformat=sample_fmts=flt', codec: 'libopus', options: {} },
    output: { file: 'take.webm', muxer: 'webm', options: { live: '1' } },
  });
  return { copied: join(folder, 'take.mp4'), encoded: join(folder, 'take.webm') };
}
