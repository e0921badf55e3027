/** What a take may be, and what working on it may cost. Each is far beyond an honest take of 15 s, 30 s at most. */
export const MAX_DURATION_S = 60;
/** Nothing is said in less; one frame is a picture. */
export const MIN_DURATION_S = 0.5;
export const MAX_SIDE = 4096;
export const MIN_SIDE = 64;
/** A phone's file has two or three; each more costs a table of its own. */
export const MAX_TRACKS = 8;
/** Slow motion of phones is 240 a second. */
export const MAX_FRAMES_PER_SECOND = 250;

/** What every phone plays: H.264 up to level 4.0. */
export const OUTPUT = { longSide: 1920, shortSide: 1080, framesPerSecond: 30, level: 40, soundRate: 48_000 } as const;
/** A copied stream comes as the phone made it; above this a weak connection of the recipient would wait. */
export const MAX_COPIED_BITS_PER_SECOND = 4_000_000;
/** Clocks of cameras are not exact: 30 frames a second are counted as 29.7 or 30.3. */
export const MAX_COPIED_FRAMES_PER_SECOND = 31;

/** 4K in 10 bit took 1.57 GB, half of which Node has set aside before it does anything; see ADR 0011. */
export const CHILD_MEMORY_BYTES = 3_200_000_000;

export interface WorkLimits {
  /** Wall time for one take: twenty times what the longest one needs on two cores, as everything else goes before it. */
  readonly processMs: number;
  readonly previewMs: number;
  /** Processor time: a loop without end is the file's fault, waiting for a busy machine is not. */
  readonly cpuS: number;
  /** The largest file that may be written: twenty times a minute of output. */
  readonly fileBytes: number;
  /** What one process may write to, buffers and libraries included: twice what the largest honest take was seen to need. */
  readonly memoryBytes: number;
  /** 19 is the lowest priority: requests go first, however many takes wait. */
  readonly niceness: number;
}

export const WORK_LIMITS: WorkLimits = {
  processMs: 600_000,
  previewMs: 120_000,
  cpuS: 600,
  fileBytes: 300_000_000,
  memoryBytes: CHILD_MEMORY_BYTES,
  niceness: 19,
};

/** For reading the tables of a file. An honest one needs a tenth of a second. */
export const GATE_CPU_MS = 10_000;
export const CHILD_HEAP_MB = 256;
