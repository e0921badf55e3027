import type { RecordingFailureCode } from '@foreword/contract';

// Limits for a take and the cost of processing it. All are far above an honest take, which lasts 15 to 30 s.

export const MAX_DURATION_S = 60;
/** Too short to say anything. */
export const MIN_DURATION_S = 0.5;
export const MAX_SIDE = 4096;
export const MIN_SIDE = 64;
/** A phone's file has two or three; each track costs memory for its tables. */
export const MAX_TRACKS = 8;
/** Phones record slow motion at 240. */
export const MAX_FRAMES_PER_SECOND = 250;

/** Every phone plays H.264 up to level 4.0. */
export const OUTPUT = { longSide: 1920, shortSide: 1080, framesPerSecond: 30, level: 40, soundRate: 48_000 } as const;
/** Above this the stream is re-encoded, because it would stall on a slow connection. */
export const MAX_COPIED_BITS_PER_SECOND = 4_000_000;
/** Camera clocks are inexact: a 30 fps recording measures 29.7 or 30.3. */
export const MAX_COPIED_FRAMES_PER_SECOND = 31;

/** 1080p; encoders store 1088 lines. */
export const MAX_LIGHT_PIXELS = 1920 * 1088;
/** 30 s at 30 frames a second, or 15 s at 60. Camera clocks are inexact, and recorders stop late. */
export const MAX_LIGHT_FRAMES = 31 * 31;

/**
 * CPU time for a take, all attempts together: four times its duration, and this. It is far above what an honest take needs:
 * 4K on a slow core takes twice its duration.
 */
const CPU_BASE_S = 20;
const CPU_PER_SECOND = 4;

/**
 * Until the duration is known, only the base is allowed. Each time that the worker died, the take gets the same again: it was
 * not at fault, and an acknowledged take must not be lost because machines fail.
 */
export const cpuLimitMs = (durationS: number | null, workerDeaths: number): number =>
  1000 * (CPU_BASE_S + CPU_PER_SECOND * (durationS ?? 0)) * (1 + workerDeaths);

/** 10-bit 4K needed 1.57 GB, half of which Node reserves at start (docs/performance.md). */
export const CHILD_MEMORY_BYTES = 3_200_000_000;

export interface WorkLimits {
  /** Wall time per take: 20 times what the longest one needs on two cores, because it runs at a low priority. */
  readonly processMs: number;
  readonly previewMs: number;
  /** CPU time of a single process; guards where the time of the group cannot be measured. */
  readonly cpuS: number;
  /** The largest file a process may write: 20 times a minute of output. */
  readonly fileBytes: number;
  /** Writable memory per process, including libraries: twice what the largest honest take needed. */
  readonly memoryBytes: number;
  /** On a busy core, 5 leaves a quarter to the take. At 10 a tenth was left, and a take waited four times as long. */
  readonly niceness: number;
}

export const WORK_LIMITS: WorkLimits = {
  processMs: 600_000,
  previewMs: 120_000,
  cpuS: CPU_BASE_S + CPU_PER_SECOND * MAX_DURATION_S,
  fileBytes: 300_000_000,
  memoryBytes: CHILD_MEMORY_BYTES,
  niceness: 5,
};

/** An ordinary take gets nine times as much of a busy core as a heavy one, and is ready within 10 s beside a flood of them. */
export const HEAVY_NICENESS = 15;

/** For inspecting a file. An honest one needs a tenth of a second. */
export const INSPECTION_CPU_MS = 10_000;
export const CHILD_HEAP_MB = 256;

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
