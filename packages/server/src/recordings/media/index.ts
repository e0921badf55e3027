/** Inspects and encodes takes and pictures in child processes. */

import { fileURLToPath } from 'node:url';

export { createEncoder, type Encoder } from './encoder.ts';
export { checkFfmpegPath } from './engine/choose.ts';
export { EncoderInterrupted } from './job-runner.ts';
export { TakeRefused } from './limits.ts';
export type { Trim } from './plan.ts';
export type { TakeDetails } from './take.ts';

/** A short portrait clip with sound, for simulated recordings. A script drew it once; the history of git has it as scripts/make-clip.ts. */
export const BUILT_IN_CLIP = fileURLToPath(new URL('clip.mp4', import.meta.url));

/** One frame of the clip. */
export const BUILT_IN_POSTER = fileURLToPath(new URL('clip.jpg', import.meta.url));
