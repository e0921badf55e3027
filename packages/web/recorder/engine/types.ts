import type { ClosedReason, RecorderState } from '@foreword/contract';
import type { UploadProblem } from './problems.ts';

export type { ClosedReason, RecorderState };

/**
 * `unknown`: the service itself says that the link does not exist. `reassignedTo`: another member records the intro now. `offline`: no response, or an
 * invalid one; retry.
 */
export type StateAnswer =
  | RecorderState
  | { closed: ClosedReason }
  | { reassignedTo: string }
  | { unknown: true }
  | { offline: true };

export type Facing = 'user' | 'environment';

export interface Camera {
  /** The same object for the camera's lifetime, even after a flip: set it once as `srcObject`. */
  readonly stream: MediaStream;
  readonly facing: Facing;
  readonly canFlip: boolean;
  /** False when no microphone was found: the take will be silent. */
  readonly hasSound: boolean;
  /** Not while recording: browsers end a recording whose tracks change. Rejects with CameraProblem; keeps the old camera if possible. */
  flip(): Promise<void>;
  close(): void;
  /** A track ended, or stayed muted after the page was in the background: reopen the camera. Returns a function that stops listening. */
  onLost(listener: () => void): () => void;
}

/** The part of a take that the member keeps, on the take's own clock. */
export interface Trim {
  readonly startMs: number;
  /** May be later than the end of the take: then nothing is cut there. */
  readonly endMs: number;
}

/** Input of the take check. Null: not measurable, which is not a problem of the take. */
export interface Measurements {
  durationMs: number;
  sound: null | {
    /** Levels in dBFS: 90 % of the take's frames are louder than the floor, 10 % are louder than the voice. */
    floorDb: number;
    voiceDb: number;
    /** The last 300 ms. */
    endDb: number;
    /** 0..1 of all samples */
    clippedShare: number;
  };
  /** 0..1, mean luma over the take */
  brightness: number | null;
}

export interface MeasuredTake extends Measurements {
  /** The loudness of each tenth of a second, 0 to 100; empty: not measurable. */
  levels: readonly number[];
}

export type Finding = 'silent' | 'quiet' | 'clipping' | 'dark' | 'cut_off' | 'too_short';

export interface Meter {
  /** About 20 times a second; `level` 0..1 is meant for a bar (decibels, not amplitude). */
  onLevel(listener: (level: number, clipped: boolean) => void): () => void;
  /** About 4 times a second; 0..1. */
  onLight(listener: (brightness: number) => void): () => void;
  /** Some phones measure sound only after a gesture: call it on the first tap. Taps anywhere also work. */
  wake(): void;
  /** Starts measuring for the take check. */
  measure(): { finish(durationMs: number): MeasuredTake };
  close(): void;
}

export interface Take {
  readonly id: string;
  readonly blobParts: number;
  readonly bytes: number;
  /** The full type with codecs, as reported by the recorder. */
  readonly type: string;
  /** Measured, because recorded WebM has no duration. 0: unknown (a picked file that this browser cannot play). */
  readonly durationMs: number;
  /** For playback; revoked by `spool.forget`. */
  readonly url: string;
  readonly findings: readonly Finding[];
  /** The loudness of each tenth of a second, 0 to 100; empty: unknown. */
  readonly levels: readonly number[];
  /** Null: all of it is kept. */
  readonly trim: Trim | null;
  /** False if the tab was closed during the recording: everything up to then is included. */
  readonly complete: boolean;
}

export interface TakeDetails {
  durationMs: number;
  findings: readonly Finding[];
  levels: readonly number[];
}

export interface SpooledSize {
  bytes: number;
  complete: boolean;
  type: string;
  trim: Trim | null;
  /** The trim that was sent with the length of the take; null also before that. */
  sentTrim: Trim | null;
}

/** Stores takes in the browser while they are recorded, until the server has them, so that a closed tab loses nothing. */
export interface Spool {
  /** False if this browser cannot store takes (private mode, full disk): a take then lives as long as the page. May become false later. */
  readonly durable: boolean;
  /** Called at once if it already happened. */
  onNotDurable(listener: () => void): () => void;
  /** The take from an earlier visit to this link, if any, unless another tab is using it. */
  latest(): Promise<Take | null>;
  /** The part to send. Survives a closed tab like the take itself. */
  trim(takeId: string, trim: Trim | null): void;
  /** Call it when the server has the take, or when the member discards it. */
  forget(takeId: string): Promise<void>;
  close(): void;

  /** The rest is for the engine itself. */
  begin(take: { id: string; type: string; wholeOnly?: boolean }): void;
  append(takeId: string, bytes: Blob): void;
  complete(takeId: string, details: TakeDetails): Take;
  /** Null: forgotten, or never started. */
  size(takeId: string): SpooledSize | null;
  /** Up to `maxBytes` from `offset`. Rejects if they can no longer be read (a picked file that was moved). */
  read(takeId: string, offset: number, maxBytes: number): Promise<ArrayBuffer>;
  onGrowth(takeId: string, listener: () => void): () => void;
  uploadUrl(takeId: string): string | null;
  rememberUpload(takeId: string, url: string | null): void;
  /** Call it before the trim is sent. Resolves when it is written, or cannot be. */
  rememberSentTrim(takeId: string, trim: Trim | null): Promise<void>;
  /** Resolves when everything appended is written, or cannot be. */
  settled(): Promise<void>;
}

export interface RecordingOptions {
  /** From `chooseType()`. */
  type: string;
  /** The recording ends after this, even without `stop()`. */
  maxMs: number;
  /** Called if it ended on its own: at the limit, or because the camera was lost. `stop()` returns the take so far. */
  onEnd?: (reason: 'limit' | 'lost') => void;
}

export interface Recording {
  /** The take's id: `beginUpload` may start at once. */
  readonly takeId: string;
  readonly type: string;
  /** On the clock of `performance.now()`. */
  readonly startedAtMs: number;
  /** May be called more than once. Rejects with `RecordingFailed` if the browser produced no data. */
  stop(): Promise<Take>;
  /** Discards the take. The one before it, if any, is kept. */
  abort(): Promise<void>;
}

export interface UploadProgress {
  /** `closed`: the intro was cancelled or expired. `failed`: the server rejected this take; `problem` gives the reason. */
  state: 'uploading' | 'waiting_for_signal' | 'finishing' | 'done' | 'closed' | 'failed' | 'aborted';
  sentBytes: number;
  /** Null while recording. */
  totalBytes: number | null;
  problem?: UploadProblem;
  /** While waiting: the server has no space, rather than the phone no signal. */
  isServerFull?: boolean;
  closed?: ClosedReason;
}

export interface Upload {
  readonly progress: UploadProgress;
  /** Called at once with the current state, then at each change. */
  onProgress(listener: (progress: UploadProgress) => void): () => void;
  /**
   * The member tapped Send. Until then data is uploaded, but the take is not complete. Resolves when the server has every
   * byte; rejects with `UploadFailed` if it never will. Without signal it waits.
   */
  finish(): Promise<void>;
  /** For a retake: stops, and makes the server delete what it has. The take stays in the spool. */
  abort(): Promise<void>;
}
