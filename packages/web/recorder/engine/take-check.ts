import type { Moment } from '@foreword/contract/plain';
import type { Finding, MeasuredTake } from './types.ts';

/** Limits for problems a member may not notice in time. They only warn: the take can still be sent. */
export const CHECK = {
  /** Below this there is no speech: the microphone is covered or off. */
  silentDb: -55,
  /** The server normalizes loudness, which also amplifies noise. */
  quietDb: -38,
  /** A tap on the table clips for a few milliseconds; a voice too close to the microphone clips throughout. */
  clippedShare: 0.002,
  /** Mean luma; about that of a face lit only by a screen. */
  darkBelow: 0.14,
  tooShortMs: 3_000,
  /** The end counts as speech if it is close to the voice level and well above the background. */
  nearVoiceDb: 9,
  aboveFloorDb: 12,
} as const;

export function checkTake({ durationMs, sound, brightness }: Omit<MeasuredTake, 'levels'>): Finding[] {
  const findings: Finding[] = [];
  if (durationMs < CHECK.tooShortMs) findings.push('too_short');
  if (brightness !== null && brightness < CHECK.darkBelow) findings.push('dark');
  if (sound) findings.push(...checkSound(sound));
  return findings;
}

function checkSound({ floorDb, voiceDb, endDb, clippedShare }: NonNullable<MeasuredTake['sound']>): Finding[] {
  if (voiceDb < CHECK.silentDb) return ['silent'];
  const findings: Finding[] = [];
  if (voiceDb < CHECK.quietDb) findings.push('quiet');
  if (clippedShare > CHECK.clippedShare) findings.push('clipping');
  if (endDb > voiceDb - CHECK.nearVoiceDb && endDb > floorDb + CHECK.aboveFloorDb) findings.push('cut_off');
  return findings;
}

export interface SoundFrame {
  atMs: number;
  /** Mean of the squared samples. */
  power: number;
  clipped: number;
  samples: number;
}

const FLOOR_DB = -100;
const END_MS = 300;

const decibels = (power: number): number => Math.max(FLOOR_DB, 10 * Math.log10(power));

/** Null when there was nothing to measure. */
export function summarizeSound(frames: readonly SoundFrame[]): MeasuredTake['sound'] {
  const last = frames.at(-1);
  if (!last) return null;
  const levels = frames.map(({ power }) => decibels(power)).sort((a, b) => a - b);
  const at = (share: number): number => levels[Math.floor(share * (levels.length - 1))] ?? FLOOR_DB;
  const end = frames.filter(({ atMs }) => atMs > last.atMs - END_MS);
  const sum = (of: readonly SoundFrame[], value: (frame: SoundFrame) => number): number =>
    of.reduce((total, frame) => total + value(frame), 0);
  return {
    floorDb: at(0.1),
    voiceDb: at(0.9),
    endDb: decibels(sum(end, ({ power }) => power) / end.length),
    clippedShare:
      sum(frames, ({ clipped }) => clipped) /
      Math.max(
        1,
        sum(frames, ({ samples }) => samples),
      ),
  };
}

/** The level at which the bar is empty; anything quieter is not speech. */
const BAR_FLOOR_DB = -60;
const STEP_MS = 100;

/** From 0 to 1, for a bar: decibels, not amplitude. */
export const barLevel = (power: number): number => Math.min(1, Math.max(0, 1 - decibels(power) / BAR_FLOOR_DB));

/** The loudness of each tenth of a second, from 0 to 100. Empty when there was nothing to measure. */
export function summarizeLevels(frames: readonly SoundFrame[], startMs: number, durationMs: number): number[] {
  if (frames.length === 0) return [];
  const levels = new Array<number>(Math.ceil(durationMs / STEP_MS)).fill(0);
  for (const { atMs, power } of frames) {
    const step = Math.floor((atMs - startMs) / STEP_MS);
    const before = levels[step];
    if (before !== undefined) levels[step] = Math.max(before, Math.round(100 * barLevel(power)));
  }
  return levels;
}

/** The levels of a take in decibels. */
export const momentsOf = (levels: readonly number[]): Moment[] =>
  levels.map((level, step) => ({ seconds: (step * STEP_MS) / 1_000, levelDb: (1 - level / 100) * BAR_FLOOR_DB }));
