import {
  FilePathSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  QTFF,
  WEBM,
} from 'mediabunny';
import { MAX_PIXELS } from './engine/engine.ts';
import {
  INSPECTION_CPU_MS,
  MAX_DURATION_S,
  MAX_FRAMES_PER_SECOND,
  MAX_SIDE,
  MAX_TRACKS,
  MIN_DURATION_S,
  MIN_SIDE,
  TakeRefused,
} from './limits.ts';
import type { SoundDetails, SourceDetails, VideoDetails } from './plan.ts';
import { findStructureFault } from './structure/index.ts';

const DEMUXERS = new Map([
  [MP4, 'mov'],
  [QTFF, 'mov'],
  [WEBM, 'matroska'],
  [MATROSKA, 'matroska'],
]);

/** Checks that a file is an acceptable video. Reads it in JavaScript, before a native decoder sees it. */
export async function inspectFile(file: string): Promise<SourceDetails> {
  const began = process.cpuUsage();
  // Reading is asynchronous in many small steps, so this timer runs in between.
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(began);
    if ((user + system) / 1000 > INSPECTION_CPU_MS) input.dispose();
  }, 100);
  const input = new Input({ source: new FilePathSource(file), formats: [...DEMUXERS.keys()] });
  try {
    return await readDetails(file, input);
  } finally {
    clearInterval(watch);
    input.dispose();
  }
}

async function readDetails(file: string, input: Input): Promise<SourceDetails> {
  const format = await orRefuse('not_a_video', () => input.getFormat());
  const demuxer = DEMUXERS.get(format);
  if (demuxer === undefined) throw new TakeRefused('not_a_video');
  const fault = await findStructureFault(file, demuxer);
  if (fault !== null) throw new TakeRefused(fault);
  return orRefuse('broken', async () => {
    const tracks = await input.getTracks();
    if (tracks.length === 0 || tracks.length > MAX_TRACKS) throw new TakeRefused('broken');
    const video = await readVideo(input);
    const sound = await readSound(input);
    return { demuxer, durationS: video.durationS, video, sound };
  });
}

async function readVideo(input: Input): Promise<VideoDetails> {
  const all = await input.getVideoTracks();
  const track = await firstKnown(all);
  if (track === undefined) throw new TakeRefused(all.length > 0 ? 'not_a_video' : 'no_picture');
  const [codedWidth, codedHeight] = [await track.getCodedWidth(), await track.getCodedHeight()];
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  const longest = Math.max(codedWidth, codedHeight, width, height);
  if (longest > MAX_SIDE || codedWidth * codedHeight > MAX_PIXELS) throw new TakeRefused('too_large');
  if (Math.min(codedWidth, codedHeight, width, height) < MIN_SIDE) throw new TakeRefused('broken');
  const durationS = await track.computeDuration();
  if (durationS > MAX_DURATION_S) throw new TakeRefused('too_long');
  if (!(durationS >= MIN_DURATION_S)) throw new TakeRefused('broken');
  const { packetCount, averagePacketRate, averageBitrate } = await track.computePacketStats();
  if (packetCount < 2 || packetCount > MAX_FRAMES_PER_SECOND * MAX_DURATION_S) throw new TakeRefused('broken');
  const { transfer } = await track.getColorSpace();
  return {
    index: all.indexOf(track),
    codec: (await track.getCodecParameterString()) ?? '',
    codedWidth,
    codedHeight,
    width,
    height,
    durationS,
    rotation: await track.getRotation(),
    flipped: await track.getFlip(),
    framesPerSecond: averagePacketRate,
    bitsPerSecond: averageBitrate,
    highDynamicRange: transfer === 'hlg' || transfer === 'pq',
  };
}

async function readSound(input: Input): Promise<SoundDetails | null> {
  const all = await input.getAudioTracks();
  if (all.length === 0) return null;
  // Some phones add a spatial track, in a codec that few others read, to the plain one.
  const track = await firstKnown(all);
  if (track === undefined) throw new TakeRefused('not_a_video');
  const durationS = await track.computeDuration();
  if (durationS > MAX_DURATION_S) throw new TakeRefused('too_long');
  // A recorder that was stopped at once declares an audio track without any samples.
  if (!(durationS > 0)) return null;
  return {
    index: all.indexOf(track),
    codec: (await track.getCodecParameterString()) ?? '',
    channels: await track.getNumberOfChannels(),
    rate: await track.getSampleRate(),
  };
}

async function firstKnown<Track extends InputVideoTrack | InputAudioTrack>(
  tracks: readonly Track[],
): Promise<Track | undefined> {
  for (const track of tracks) if ((await track.getCodec()) !== null) return track;
  return undefined;
}

/** Any reading error is the file's fault, except a system error such as a failing disk. */
async function orRefuse<Result>(code: 'not_a_video' | 'broken', read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TakeRefused || isSystemError(error)) throw error;
    throw new TakeRefused(code);
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
