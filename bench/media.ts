import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '../packages/server/src/platform/log.ts';
import { libraryEngine } from '../packages/server/src/recordings/media/engine/node-av.ts';
import { createEncoder, type Encoder } from '../packages/server/src/recordings/media/index.ts';
import { makeFolder } from './children.ts';
import { aside, atMost, type Finding, median, ms, times } from './figures.ts';

const TAKE_S = 15;
const SIZE = '720x1280';
/** Of the 1.5 s from Stop to ready, what the upload, the queue and the commit leave. */
const WANTED_COPIED_MS = 1_000;
const WANTED_ENCODED_SHARE = 0.6;

const ENGINES = [
  ['ffmpeg', undefined],
  ['node-av', 'off'],
] as const;

/** One take at a time on a quiet machine: as a phone sends it, once in a form to be copied and once in one to be encoded. */
export async function measureMedia(options: { rounds: number }): Promise<Finding[]> {
  const folder = makeFolder();
  const takes = await makeTakes(folder);
  const findings: Finding[] = [];
  for (const [name, ffmpegPath] of ENGINES) {
    const encoder = createEncoder({ ffmpegPath, log: createLogger('silent') });
    const described = await encoder.describe();
    if (!described.startsWith(name)) {
      findings.push(aside(name, 'not on this machine'));
      continue;
    }
    const measure = async (file: string): Promise<{ processMs: number; previewMs: number }> => {
      const rounds = [];
      for (let round = 0; round < options.rounds; round++) {
        const into = join(folder, `${name}-${rounds.length}-${file.split('.').at(-1)}`);
        await mkdir(into);
        rounds.push(await measureOne(encoder, file, into));
      }
      return {
        processMs: median(rounds.map(({ processMs }) => processMs)),
        previewMs: median(rounds.map(({ previewMs }) => previewMs)),
      };
    };
    const copied = await measure(takes.copied);
    const encoded = await measure(takes.encoded);
    findings.push(
      aside(`${TAKE_S} s of ${SIZE}, median of ${options.rounds}`, described),
      atMost('  H.264 and AAC, copied', copied.processMs, WANTED_COPIED_MS, ms),
      atMost('  VP8 and Opus, encoded', encoded.processMs / (TAKE_S * 1000), WANTED_ENCODED_SHARE, times),
      aside('  preview, after ready', ms(copied.previewMs)),
    );
  }
  return findings;
}

async function measureOne(encoder: Encoder, file: string, into: string) {
  const signal = new AbortController().signal;
  const begun = performance.now();
  const script = 'Hi Dana, this is Ana from Acme. See you on Tuesday at ten.';
  await encoder.process({ file, into, script, signal, onProgress: () => undefined });
  const processed = performance.now();
  await encoder.preview({ file: join(into, 'video.mp4'), into, signal });
  return { processMs: processed - begun, previewMs: performance.now() - processed };
}

/** Noise over a moving picture: about as hard to encode as a face in a room. */
async function makeTakes(folder: string): Promise<{ copied: string; encoded: string }> {
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
