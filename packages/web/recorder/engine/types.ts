import type { Closed as ClosedReason, RecorderState } from '../state.ts';

export type { ClosedReason, RecorderState };

/** `unknown`: the service itself says that the link leads nowhere. `offline`: no answer, or one that makes no sense; ask again. */
export type StateAnswer = RecorderState | { closed: ClosedReason } | { unknown: true } | { offline: true };

export type Facing = 'user' | 'environment';

export interface Camera {
  /** The same object for the life of the camera, also after a flip: set it once as `srcObject`. */
  readonly stream: MediaStream;
  readonly facing: Facing;
  readonly canFlip: boolean;
  /** False when no microphone was found: the take will be silent. */
  readonly hasSound: boolean;
  /** Not while a recording runs: browsers end one whose tracks change. Rejects with CameraProblem; the old one stays if it can. */
  flip(): Promise<void>;
  close(): void;
  /** A track ended, or came back dead from the background: close this camera and open it again. Returns how to stop listening. */
  onLost(listener: () => void): () => void;
}

/** What the take check goes by. Null: could not be measured, which says nothing against the take. */
export interface Measurements {
  durationMs: number;
  sound: null | {
    /** Levels of short frames, in dBFS: nine tenths of the take are louder than the floor, one tenth is louder than the voice. */
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

export type Finding = 'silent' | 'quiet' | 'clipping' | 'dark' | 'cut_off' | 'too_short';

export interface Meter {
  /** About 20 times a second; `level` 0..1 is meant for a bar (decibels, not amplitude). */
  onLevel(listener: (level: number, clipped: boolean) => void): () => void;
  /** About 4 times a second; 0..1. */
  onLight(listener: (brightness: number) => void): () => void;
  /** Sound is measured only after a gesture on some phones: call it in the first tap. Taps anywhere are listened for as well. */
  wake(): void;
  /** Begins to gather what the take check needs. */
  measure(): { finish(durationMs: number): Measurements };
  close(): void;
}

export interface Take {
  readonly id: string;
  readonly blobParts: number;
  readonly bytes: number;
  /** The full type with codecs, as the recorder names it. */
  readonly type: string;
  /** Measured, because recorded WebM does not say its own length. 0: unknown (a picked file that this browser cannot play). */
  readonly durationMs: number;
  /** For playback; dies with `spool.forget`. */
  readonly url: string;
  readonly findings: readonly Finding[];
  /** False when the tab was closed during the recording: all that came before is there. */
  readonly complete: boolean;
}

/** Keeps takes until the server has them: in the browser's database as they come, so that a closed tab loses nothing. */
export interface Spool {
  /** False when this browser keeps nothing (private mode, disk full): a take then lives as long as the page. May turn false later. */
  readonly durable: boolean;
  /** Called at once if it is so already. */
  onNotDurable(listener: () => void): () => void;
  /** The take kept from an earlier visit to this link, if any; takes that another tab is busy with are left to it. */
  latest(): Promise<Take | null>;
  /** Call it when the state says that the server has the take, or when the member throws it away. */
  forget(takeId: string): Promise<void>;
  close(): void;

  /** For the engine itself. */
  begin(take: { id: string; type: string; wholeOnly?: boolean }): void;
  append(takeId: string, bytes: Blob): void;
  complete(takeId: string, facts: { durationMs: number; findings: readonly Finding[] }): Take;
  /** Null: forgotten, or never begun. */
  size(takeId: string): { bytes: number; complete: boolean; type: string } | null;
  /** At most `maxBytes` from there on. Rejects when they cannot be read any more (a picked file that was moved). */
  read(takeId: string, offset: number, maxBytes: number): Promise<ArrayBuffer>;
  onGrowth(takeId: string, listener: () => void): () => void;
  uploadUrl(takeId: string): string | null;
  rememberUpload(takeId: string, url: string | null): void;
  /** Resolves when all that was appended is written (or cannot be). */
  settled(): Promise<void>;
}

export interface RecordingOptions {
  /** From `chooseType()`. */
  type: string;
  /** The recording ends by itself then, even if nobody calls `stop()`. */
  maxMs: number;
  /** It ended by itself: at the limit, or because the camera went away. `stop()` gives what there is. */
  onEnd?: (reason: 'limit' | 'lost') => void;
}

export interface RecordingSession {
  /** Of the take that is being made: `beginUpload` may start at once. */
  readonly takeId: string;
  readonly type: string;
  /** On the clock of `performance.now()`. */
  readonly startedAtMs: number;
  /** May be called more than once. Rejects with `RecordingFailed` when the browser gave no picture at all. */
  stop(): Promise<Take>;
  /** Throws the take away. The one before it, if any, is kept. */
  abort(): Promise<void>;
}

export interface UploadProgress {
  /** `closed`: the intro was cancelled or expired. `failed`: the server will not have this take; `message` says why. */
  state: 'uploading' | 'waiting_for_signal' | 'finishing' | 'done' | 'closed' | 'failed' | 'aborted';
  sentBytes: number;
  /** Null while the recording runs. */
  totalBytes: number | null;
  message?: string;
  closed?: ClosedReason;
}

export interface Upload {
  readonly progress: UploadProgress;
  /** Called at once with the present state, then at each change. */
  onProgress(listener: (progress: UploadProgress) => void): () => void;
  /**
   * The member pressed Send. Until then bytes travel, but the take is not handed in. Resolves when the server has every byte;
   * rejects with `UploadFailed` when it never will. Never rejects for want of signal: it waits.
   */
  finish(): Promise<void>;
  /** Retake: stops, and tells the server to throw away what it has. The take stays in the spool. */
  abort(): Promise<void>;
}
