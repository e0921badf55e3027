/** Folder: the recorder without its screens: camera, meter, recording, the spool that survives a closed tab, upload, state. */

import type { ClosedReason, RecorderState } from '@foreword/contract';

/** The intro is closed, or another member records it now. */
export type LinkEnd = { closed: ClosedReason } | { reassignedTo: string };

/** `unknown`: the service itself says that the link does not exist. `offline`: no response, or an invalid one; retry. */
export type StateAnswer = RecorderState | LinkEnd | { unknown: true } | { offline: true };

export type Facing = 'user' | 'environment';

/** The part of a take that the member keeps, on the take's own clock. */
export interface Trim {
  readonly startMs: number;
  /** May be later than the end of the take: then nothing is cut there. */
  readonly endMs: number;
}

/** The member's choices in the review. */
export interface Edits {
  /** Null: all of it is kept. */
  readonly trim: Trim | null;
  /** The words of the captions; empty: none. Null: the member has not chosen yet. */
  readonly captions: string | null;
}

/** The meter's findings about a take. Null: could not be measured, which says nothing about the take. */
export interface MeasuredTake {
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
  /** The loudness of each tenth of a second, 0 to 100; empty: not measurable. */
  levels: readonly number[];
}

export type Finding = 'silent' | 'quiet' | 'clipping' | 'dark' | 'cut_off' | 'too_short';

export interface Take extends Edits {
  readonly id: string;
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
  /** False if the tab was closed during the recording: everything up to then is included. */
  readonly complete: boolean;
  /** The member tapped Send, and the server may not have all of it yet. */
  readonly isSent: boolean;
}

export interface SpooledSize extends Edits {
  bytes: number;
  complete: boolean;
  type: string;
  /** The edits that were sent with the length of the take; null before that. */
  declared: Edits | null;
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

/** Why a picked file cannot be used. */
export type FileProblemKind = 'not_a_video' | 'too_large' | 'too_long' | 'unreadable';

/** Why a take will never be uploaded. */
export type UploadProblem = 'link_gone' | 'file_gone' | 'daily_limit' | 'already_sent' | 'refused';
