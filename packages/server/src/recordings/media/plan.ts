import type { CopiedTrack, Track } from './engine/engine.ts';
import {
  MAX_COPIED_BITS_PER_SECOND,
  MAX_COPIED_FRAMES_PER_SECOND,
  MAX_LIGHT_FRAMES,
  MAX_LIGHT_PIXELS,
  OUTPUT,
} from './limits.ts';
import type { Loudness } from './sound.ts';

/** The part of a take that the member keeps. */
export interface Trim {
  readonly startMs: number;
  readonly endMs: number;
}

export interface KeptPart {
  readonly startS: number;
  readonly endS: number;
}

const MIN_KEPT_S = 1;
/** Cutting less is invisible, and the stream can then be copied. */
const LEAST_CUT_S = 0.05;

/**
 * The part within a take of this duration. Null keeps all of it, as when less than a second would remain: the recorder's
 * clock and the file may differ a little, and a whole take is better than none.
 */
export function findKeptPart(trim: Trim | null, durationS: number): KeptPart | null {
  if (trim === null) return null;
  const [startS, endS] = [trim.startMs / 1000, Math.min(trim.endMs / 1000, durationS)];
  const isCut = startS > LEAST_CUT_S || endS < durationS - LEAST_CUT_S;
  return isCut && endS - startS >= MIN_KEPT_S ? { startS, endS } : null;
}

/** Filters that drop what precedes the part; the input's length cuts the end. Both streams begin at zero again. */
const cutVideo = (kept: KeptPart | null): string =>
  kept === null ? '' : `trim=start=${kept.startS},setpts=PTS-${kept.startS}/TB,`;

const cutAudio = (kept: KeptPart | null): string =>
  kept === null ? '' : `,atrim=start=${kept.startS},asetpts=PTS-${kept.startS}/TB`;

export interface VideoDetails {
  readonly index: number;
  readonly codec: string;
  readonly codedWidth: number;
  readonly codedHeight: number;
  /** Display size: upright, with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly durationS: number;
  readonly rotation: number;
  readonly flipped: boolean;
  readonly framesPerSecond: number;
  readonly bitsPerSecond: number;
  readonly highDynamicRange: boolean;
}

export interface SoundDetails {
  readonly index: number;
  readonly codec: string;
  readonly channels: number;
  readonly rate: number;
}

export interface SourceDetails {
  readonly demuxer: string;
  readonly durationS: number;
  readonly video: VideoDetails;
  readonly sound: SoundDetails | null;
}

const SOUND_BITS_PER_SECOND = '128k';
/** Constant quality, capped at about 2 Mbit/s for busy pictures. */
const QUALITY = { preset: 'veryfast', crf: '22', maxrate: '2000k', bufsize: '4000k' } as const;
/** Two seconds: seeking stays precise, and the poster has frames to choose from. */
const KEY_FRAME_INTERVAL = 2 * OUTPUT.framesPerSecond;
/** Smaller differences are inaudible, and close to the measurement's precision. */
const INAUDIBLE_DB = 0.5;

/** A stream that is cut is encoded, because a copy could start only at a key frame. */
export function planVideo(details: VideoDetails, kept: KeptPart | null): Track | CopiedTrack {
  return kept === null && canCopy(details) ? { index: details.index, copy: true } : encodeVideo(details, kept);
}

/** Whether encoding costs more than that of 30 s of 1080p. */
export const isHeavy = ({ video }: Pick<SourceDetails, 'video'>): boolean =>
  !canCopy(video) &&
  (video.codedWidth * video.codedHeight > MAX_LIGHT_PIXELS ||
    video.durationS * video.framesPerSecond > MAX_LIGHT_FRAMES);

/** A stream is copied only when it already meets every guarantee about the output. */
export function canCopy(details: VideoDetails): boolean {
  const { codedWidth, codedHeight, width, height } = details;
  return (
    isPlainH264(details.codec) &&
    details.rotation === 0 &&
    !details.flipped &&
    !details.highDynamicRange &&
    width === codedWidth &&
    height === codedHeight &&
    width % 2 === 0 &&
    height % 2 === 0 &&
    Math.max(width, height) <= OUTPUT.longSide &&
    Math.min(width, height) <= OUTPUT.shortSide &&
    details.framesPerSecond <= MAX_COPIED_FRAMES_PER_SECOND &&
    details.bitsPerSecond <= MAX_COPIED_BITS_PER_SECOND
  );
}

/** High, Main, and Baseline that also satisfies Main (constraint_set1). All three are 8-bit 4:2:0. */
function isPlainH264(codec: string): boolean {
  const [, profile, constraints, level] = /^avc[13]\.([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(codec) ?? [];
  if (profile === undefined || constraints === undefined || level === undefined) return false;
  if (Number.parseInt(level, 16) > OUTPUT.level) return false;
  const number = Number.parseInt(profile, 16);
  return number === 100 || number === 77 || (number === 66 && (Number.parseInt(constraints, 16) & 0x40) !== 0);
}

/** Scales down to fit, never up. Both sides are even, as 4:2:0 requires. */
export function fit(width: number, height: number): { width: number; height: number } {
  const ratio = Math.min(1, OUTPUT.longSide / Math.max(width, height), OUTPUT.shortSide / Math.min(width, height));
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * ratio) / 2));
  return { width: even(width), height: even(height) };
}

const ROTATIONS: Readonly<Record<number, string>> = {
  90: 'transpose=clock,',
  180: 'hflip,vflip,',
  270: 'transpose=cclock,',
};
/** Converts HDR to standard range. Runs after scaling, because it is the most expensive step. */
const TO_STANDARD_RANGE =
  'zscale=t=linear:npl=203,format=gbrpf32le,tonemap=hable:desat=0,zscale=p=bt709:t=bt709:m=bt709:r=limited,';

function encodeVideo(details: VideoDetails, kept: KeptPart | null): Track {
  const { width, height } = fit(details.width, details.height);
  const { framesPerSecond } = OUTPUT;
  const size = `${width}:${height}`;
  return {
    index: details.index,
    orient: `${ROTATIONS[details.rotation] ?? ''}${details.flipped ? 'hflip,' : ''}`,
    filter:
      // A browser's WebM claims 1,000 frames per second. A late first frame is shown from the start.
      `${cutVideo(kept)}fps=${framesPerSecond}:start_time=0,` +
      // A phone rotated while recording changes the frame size: crop to the center instead of squeezing.
      `scale=${size}:force_original_aspect_ratio=increase:out_range=limited,crop=${size},setsar=1,` +
      `${details.highDynamicRange ? TO_STANDARD_RANGE : ''}format=yuv420p`,
    codec: 'libx264',
    options: { ...QUALITY, profile: 'high', level: '4.0', g: String(KEY_FRAME_INTERVAL) },
  };
}

/** Applies the measured gain evenly, so the volume does not pump; a limiter prevents clipping. */
export function planSound(details: SoundDetails, loudness: Loudness, kept: KeptPart | null): Track | CopiedTrack {
  const { index } = details;
  const isTargetFormat = details.codec === 'mp4a.40.2' && details.rate === OUTPUT.soundRate && details.channels <= 2;
  if (kept === null && isTargetFormat && Math.abs(loudness.gainDb) < INAUDIBLE_DB) return { index, copy: true };
  return {
    index,
    filter:
      `${continuousAudio(details, kept)},volume=${loudness.gainDb.toFixed(2)}dB,` +
      'alimiter=limit=0.84:attack=5:release=50:level=0,aformat=sample_fmts=fltp',
    codec: 'aac',
    options: { b: SOUND_BITS_PER_SECOND },
  };
}

/** Fills a late start and gaps with silence, so that the sound stays in sync with the picture. */
export const continuousAudio = (details: SoundDetails, kept: KeptPart | null): string =>
  `aresample=${OUTPUT.soundRate}:async=1000:first_pts=0,` +
  `aformat=sample_rates=${OUTPUT.soundRate}:channel_layouts=${details.channels === 1 ? 'mono' : 'stereo'}${cutAudio(kept)}`;
