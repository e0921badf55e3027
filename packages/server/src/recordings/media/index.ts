import { fileURLToPath } from 'node:url';

export { createEncoder, type Encoder } from './encoder.ts';
export { TakeRefused } from './refusals.ts';
export type { TakeFacts } from './take.ts';
export { drawVector, looksLikeVector } from './vector.ts';

/** A short portrait clip with sound, for those who have no camera. Drawn by scripts/make-clip.ts. */
export const BUILT_IN_CLIP = fileURLToPath(new URL('clip.mp4', import.meta.url));

/** A frame of it. */
export const BUILT_IN_POSTER = fileURLToPath(new URL('clip.jpg', import.meta.url));
