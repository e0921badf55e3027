import type { CopiedTrack, Track } from './engine/engine.ts';
import { MAX_COPIED_BITS_PER_SECOND, MAX_COPIED_FRAMES_PER_SECOND, OUTPUT } from './limits.ts';
import type { Loudness } from './sound.ts';

export interface VideoFacts {
  readonly index: number;
  readonly codec: string;
  readonly codedWidth: number;
  readonly codedHeight: number;
  /** As it is shown: turned upright, with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly durationS: number;
  readonly rotation: number;
  readonly flipped: boolean;
  readonly framesPerSecond: number;
  readonly bitsPerSecond: number;
  readonly highDynamicRange: boolean;
}

export interface SoundFacts {
  readonly index: number;
  readonly codec: string;
  readonly channels: number;
  readonly rate: number;
}

export interface SourceFacts {
  readonly demuxer: string;
  readonly durationS: number;
  readonly video: VideoFacts;
  readonly sound: SoundFacts | null;
}

const SOUND_BITS_PER_SECOND = '128k';
/** The rate follows the picture, and a restless one is held at about 2 Mbit/s. */
const QUALITY = { preset: 'veryfast', crf: '22', maxrate: '2000k', bufsize: '4000k' } as const;
/** Two seconds: a seek of the player lands near, and the poster has frames to choose from. */
const KEY_FRAME_INTERVAL = 2 * OUTPUT.framesPerSecond;
/** As loudness is measured in steps of a tenth, a smaller change is none. */
const UNHEARD_DB = 0.5;

export function planVideo(facts: VideoFacts): Track | CopiedTrack {
  return canCopy(facts) ? { index: facts.index, copy: true } : encodeVideo(facts);
}

/** Copied as it is only when each promise about the output holds of it already. */
export function canCopy(facts: VideoFacts): boolean {
  const { codedWidth, codedHeight, width, height } = facts;
  return (
    isPlainH264(facts.codec) &&
    facts.rotation === 0 &&
    !facts.flipped &&
    !facts.highDynamicRange &&
    width === codedWidth &&
    height === codedHeight &&
    width % 2 === 0 &&
    height % 2 === 0 &&
    Math.max(width, height) <= OUTPUT.longSide &&
    Math.min(width, height) <= OUTPUT.shortSide &&
    facts.framesPerSecond <= MAX_COPIED_FRAMES_PER_SECOND &&
    facts.bitsPerSecond <= MAX_COPIED_BITS_PER_SECOND
  );
}

/**
 * High and Main, and the Baseline that says that it keeps to Main's rules as well (constraint_set1). All three are 8-bit 4:2:0.
 */
function isPlainH264(codec: string): boolean {
  const [, profile, constraints, level] = /^avc[13]\.([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(codec) ?? [];
  if (profile === undefined || constraints === undefined || level === undefined) return false;
  if (Number.parseInt(level, 16) > OUTPUT.level) return false;
  const number = Number.parseInt(profile, 16);
  return number === 100 || number === 77 || (number === 66 && (Number.parseInt(constraints, 16) & 0x40) !== 0);
}

/** Scaled down to fit, never up; both sides even, as 4:2:0 needs them. */
export function fit(width: number, height: number): { width: number; height: number } {
  const ratio = Math.min(1, OUTPUT.longSide / Math.max(width, height), OUTPUT.shortSide / Math.min(width, height));
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * ratio) / 2));
  return { width: even(width), height: even(height) };
}

const TURNS: Readonly<Record<number, string>> = {
  90: 'transpose=clock,',
  180: 'hflip,vflip,',
  270: 'transpose=cclock,',
};
/** Wide light of recent phones, brought to what every screen shows. Done after scaling: it is the most costly step. */
const TO_STANDARD_RANGE =
  'zscale=t=linear:npl=203,format=gbrpf32le,tonemap=hable:desat=0,zscale=p=bt709:t=bt709:m=bt709:r=limited,';

function encodeVideo(facts: VideoFacts): Track {
  const { width, height } = fit(facts.width, facts.height);
  const { framesPerSecond } = OUTPUT;
  const size = `${width}:${height}`;
  return {
    index: facts.index,
    turn: `${TURNS[facts.rotation] ?? ''}${facts.flipped ? 'hflip,' : ''}`,
    filter:
      // A browser's WebM claims a thousand frames a second; and a first frame that comes late is shown from the start.
      `fps=${framesPerSecond}:start_time=0,` +
      // A phone that was turned while it recorded changes the size on the way: the middle is kept, nothing is squeezed.
      `scale=${size}:force_original_aspect_ratio=increase:out_range=limited,crop=${size},setsar=1,` +
      `${facts.highDynamicRange ? TO_STANDARD_RANGE : ''}format=yuv420p`,
    codec: 'libx264',
    options: { ...QUALITY, profile: 'high', level: '4.0', g: String(KEY_FRAME_INTERVAL) },
  };
}

/** Two passes: measured first, then one even gain, so that nothing pumps; what would clip is held by a limiter. */
export function planSound(facts: SoundFacts, loudness: Loudness): Track | CopiedTrack {
  const { index } = facts;
  const isAsWanted = facts.codec === 'mp4a.40.2' && facts.rate === OUTPUT.soundRate && facts.channels <= 2;
  if (isAsWanted && Math.abs(loudness.gainDb) < UNHEARD_DB) return { index, copy: true };
  return {
    index,
    filter:
      `${steady(facts)},volume=${loudness.gainDb.toFixed(2)}dB,` +
      'alimiter=limit=0.84:attack=5:release=50:level=0,aformat=sample_fmts=fltp',
    codec: 'aac',
    options: { b: SOUND_BITS_PER_SECOND },
  };
}

/** The sound from the very start and without holes: what is missing becomes silence, so that lips and words stay together. */
export const steady = (facts: SoundFacts): string =>
  `aresample=${OUTPUT.soundRate}:async=1000:first_pts=0,` +
  `aformat=sample_rates=${OUTPUT.soundRate}:channel_layouts=${facts.channels === 1 ? 'mono' : 'stereo'}`;
