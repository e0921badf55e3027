import type { RecordingFailureCode } from '@foreword/contract';
import { MAX_DURATION_S } from './limits.ts';

export type RefusalCode = Exclude<RecordingFailureCode, 'processing_failed'>;

/** Shown to the member. */
const MESSAGES: Record<RefusalCode, string> = {
  not_a_video: 'This file is not a video we can play. Choose another one, or record with the camera.',
  too_long: `This video is longer than ${MAX_DURATION_S} seconds. Choose a shorter one, or record with the camera.`,
  too_large: 'This video is larger than 4K. Choose a smaller one, or record with the camera.',
  no_picture: 'This file has sound but no picture. Choose a video, or record with the camera.',
  too_complex:
    'This file is more complex than a video of this length should be. Choose the original video, or record with the camera.',
  too_demanding: 'This video takes too long to process. Choose one in 1080p or smaller, or record with the camera.',
  broken: 'This video is damaged or too short to play. Choose another one, or record it again.',
};

/** The file itself is invalid, so retrying is pointless. */
export class TakeRefused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(MESSAGES[code]);
    this.name = 'TakeRefused';
    this.code = code;
  }
}

export const isRefusalCode = (value: unknown): value is RefusalCode =>
  typeof value === 'string' && Object.hasOwn(MESSAGES, value);
