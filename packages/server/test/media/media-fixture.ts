import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import type { Choice } from '../../src/recordings/media/engine/choose.ts';
import type { FfmpegJob, Track } from '../../src/recordings/media/engine/engine.ts';
import { createEncoder, type Encoder, type TakeDetails, type Trim } from '../../src/recordings/media/index.ts';
import type { WorkLimits } from '../../src/recordings/media/limits.ts';
import { LEVELS_FILE, MEASURE_FILTER, readLevels } from '../../src/recordings/media/sound.ts';

const run = promisify(execFile);

declare module 'vitest' {
  interface ProvidedContext {
    /** The program on the PATH instead of the library from npm. */
    encoder?: 'ffmpeg';
  }
}

export const usesProgram = inject('encoder') === 'ffmpeg';
const choice: Choice = usesProgram ? { program: 'ffmpeg' } : { library: true };
export const ffmpegPath = usesProgram ? 'ffmpeg' : 'off';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A folder of its own with a copy of the take, as the service makes it. */
export async function workOn(take: string): Promise<{ file: string; into: string }> {
  const into = await makeFolder();
  const file = join(into, 'original');
  await copyFile(take, file);
  return { file, into };
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-media-'));
  folders.push(folder);
  return folder;
}

export function limitEncoder(limits: Partial<WorkLimits>): Encoder {
  // Normal priority, so that parallel tests do not wait for each other; one test covers the priority.
  return createEncoder({
    ffmpegPath,
    log: createLogger('silent'),
    workFolders: openWorkFolders({ dataDir: tmpdir() }),
    isolate: true,
    limits: { niceness: 0, ...limits },
  });
}

let shared: Encoder | undefined;
/** One encoder per test file, because choosing the engine takes time. */
export function openEncoder(): Encoder {
  shared ??= limitEncoder({});
  return shared;
}

export async function runJob(folder: string, job: FfmpegJob): Promise<void> {
  await run(process.execPath, [join(import.meta.dirname, 'job.child.ts'), JSON.stringify({ choice, folder, job })]);
}

export const H264: Pick<Track, 'codec' | 'options'> = {
  codec: 'libx264',
  options: { preset: 'ultrafast', profile: 'main', g: '15' },
};
export const VP8: Pick<Track, 'codec' | 'options'> = {
  codec: 'libvpx',
  options: { deadline: 'realtime', 'cpu-used': '8', b: '1M', g: '120' },
};
const AAC: Pick<Track, 'codec' | 'options'> = { codec: 'aac', options: {} };
export const OPUS: Pick<Track, 'codec' | 'options'> = { codec: 'libopus', options: {} };

interface Sample {
  readonly size?: string;
  readonly seconds?: number;
  readonly rate?: number;
  readonly name?: string;
  readonly video?: Pick<Track, 'codec' | 'options'> | null;
  readonly audio?: Pick<Track, 'codec' | 'options'> | null;
  readonly videoFilter?: string;
  readonly audioFilter?: string;
  readonly muxer?: FfmpegJob['output'];
}

/** Generates a take as a device might send it. */
export async function makeSample(folder: string, sample: Sample = {}): Promise<string> {
  const { size = '180x320', seconds = 2, rate = 30, name = 'take.mp4', video = H264, audio = AAC } = sample;
  const picture = `testsrc2=s=${size}:r=${rate}:d=${seconds}`;
  const sound = `aevalsrc='0.2*sin(440*2*PI*t)*gt(mod(t,0.5),0.1)':s=48000:d=${seconds}`;
  const graph = [...(video ? [picture] : []), ...(audio ? [sound] : [])].map((source, n) => `${source}[out${n}]`);
  const sampleFormat = audio?.codec === 'libopus' ? 'flt' : 'fltp';
  await runJob(folder, {
    input: { file: graph.join(';'), demuxer: 'lavfi' },
    ...(video ? { video: { index: 0, filter: `${sample.videoFilter ?? 'null'},format=yuv420p`, ...video } } : {}),
    ...(audio
      ? {
          audio: { index: 0, filter: `${sample.audioFilter ?? 'anull'},aformat=sample_fmts=${sampleFormat}`, ...audio },
        }
      : {}),
    output: sample.muxer ?? { file: name, muxer: muxerOf(name) },
  });
  return join(folder, sample.muxer?.file ?? name);
}

const muxerOf = (name: string): string =>
  ({ mp4: 'mp4', mov: 'mov', webm: 'webm', mkv: 'matroska' })[name.split('.').at(-1) ?? ''] ?? 'mp4';

export interface Processed {
  readonly details: TakeDetails;
  readonly into: string;
  readonly progress: number[];
}

export async function processTake(
  take: string,
  script: string | null = null,
  trim: Trim | null = null,
  captions: string | null = null,
): Promise<Processed> {
  const { file, into } = await workOn(take);
  const progress: number[] = [];
  const signal = new AbortController().signal;
  const onProgress = (percent: number): void => void progress.push(percent);
  const details = await openEncoder().process({ file, into, script, captions, trim, signal, onProgress });
  return { details, into, progress };
}

/** Expects a refusal with this code and a message that says what to do, and no files left behind. */
export async function expectRefusal(take: string, code: string): Promise<void> {
  const { file, into } = await workOn(take);
  const signal = new AbortController().signal;
  const refused = openEncoder().process({ file, into, script: 'Hello.', signal, onProgress: () => undefined });
  await expect(refused).rejects.toMatchObject({ name: 'TakeRefused', code });
  await expect(refused).rejects.toThrow(/^Th(?:is|e) .*\. (?:Choose|Record).*\.$/);
  expect(await readdir(into)).not.toContain('poster.jpg');
  expect(await readdir(into)).not.toContain('captions.vtt');
}

/** Measures the integrated loudness (EBU R128) and the level over time. */
export async function measureSound(file: string): Promise<ReturnType<typeof readLevels>> {
  const folder = await makeFolder();
  await runJob(folder, {
    input: { file, demuxer: 'mov' },
    audio: { index: 0, filter: MEASURE_FILTER, codec: 'pcm_s16le', options: {} },
    output: { file: '-', muxer: 'null' },
  });
  return readLevels(await readFile(join(folder, LEVELS_FILE), 'utf8'));
}
