import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '../packages/server/src/platform/log.ts';
import { openWorkFolders } from '../packages/server/src/platform/work-folders.ts';
import { createEncoder, type Encoder } from '../packages/server/src/recordings/media/index.ts';
import { makeFolder } from './children.ts';
import { atMost, type Finding, info, median, ms, times } from './figures.ts';
import { measureFlood } from './media/flood.ts';
import { measureQueued } from './media/queued.ts';
import { measureStopToReady } from './media/stop-to-ready.ts';
import { MAX_ENCODED_SHARE, makeTakes, SIZE, TAKE_S } from './media/takes.ts';

/** The encoder's part of the 1.5 s from Stop to ready; the rest is for upload, queue and commit. */
const MAX_COPIED_MS = 1_000;

const ENGINES = [
  ['ffmpeg', undefined],
  ['node-av', 'off'],
] as const;

/**
 * Measures one take at a time, once copied and once encoded: by the encoder alone, then through the service. Then measures
 * a take while another organization floods the encoder, and the API while the encoder is busy.
 */
export async function measureMedia(isQuick: boolean): Promise<Finding[]> {
  const rounds = isQuick ? 1 : 3;
  const folder = makeFolder();
  const takes = await makeTakes(folder);
  const findings: Finding[] = [];
  for (const [name, ffmpegPath] of ENGINES) {
    const workFolders = openWorkFolders({ workDir: undefined, dataDir: folder });
    const encoder = createEncoder({ ffmpegPath, log: createLogger('silent'), workFolders, isolate: true });
    const described = await encoder.describe();
    if (!described.startsWith(name)) {
      findings.push({ name, measured: 'not on this machine', target: 'both engines', ok: false });
      continue;
    }
    const measure = async (file: string): Promise<{ processMs: number; previewMs: number }> => {
      const measured = [];
      for (let round = 0; round < rounds; round++) {
        const into = join(folder, `${name}-${round}-${file.split('.').at(-1)}`);
        await mkdir(into);
        await copyFile(file, join(into, 'original'));
        measured.push(await measureOne(encoder, into));
      }
      return {
        processMs: median(measured.map(({ processMs }) => processMs)),
        previewMs: median(measured.map(({ previewMs }) => previewMs)),
      };
    };
    const copied = await measure(takes.copied);
    const encoded = await measure(takes.encoded);
    findings.push(
      info(`${TAKE_S} s of ${SIZE}, median of ${rounds}`, described),
      atMost('  H.264 and AAC, copied, encoder alone', copied.processMs, MAX_COPIED_MS, ms),
      atMost('  VP8 and Opus, encoded, encoder alone', encoded.processMs / (TAKE_S * 1000), MAX_ENCODED_SHARE, times),
      info('  preview, after ready', ms(copied.previewMs)),
      ...(await measureStopToReady({
        takes,
        rounds,
        environment: ffmpegPath === undefined ? {} : { FFMPEG_PATH: ffmpegPath },
      })),
    );
  }
  findings.push(...(await measureFlood({ folder, takes, isQuick })));
  findings.push(...(await measureQueued(takes.encoded, isQuick)));
  return findings;
}

async function measureOne(encoder: Encoder, into: string) {
  const file = join(into, 'original');
  const signal = new AbortController().signal;
  const started = performance.now();
  const script = 'Hi Dana, this is Ana from Acme. See you on Tuesday at ten.';
  await encoder.process({ file, into, script, signal, onProgress: () => undefined });
  const processed = performance.now();
  await encoder.preview({ file: join(into, 'video.mp4'), into, signal });
  return { processMs: processed - started, previewMs: performance.now() - processed };
}
