import { decibels, type SoundFrame } from './take-check.ts';

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
