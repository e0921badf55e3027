import type { CameraProblem, Take, UploadProgress } from './engine/index.ts';
import type { Equipment } from './equipment.ts';
import type { Closed, RecorderState } from './state.ts';

/** Where the member is. One at a time, and only these. */
export type Phase =
  | { at: 'room' }
  | { at: 'opening' }
  | { at: 'trouble'; kind: CameraProblem['kind']; note: string | null }
  | { at: 'camera'; equipment: Equipment; note: string | null }
  | { at: 'countdown'; equipment: Equipment }
  | { at: 'recording'; equipment: Equipment; startedAtMs: number }
  | { at: 'saving' }
  | { at: 'review'; take: Take }
  | { at: 'sending' }
  | { at: 'processing' }
  | { at: 'refused'; message: string; note: string | null }
  | { at: 'done' }
  /** `take`: what became of the one that this device had. */
  | { at: 'closed'; why: Closed | 'unknown'; take: 'removed' | 'kept' | null };

export interface Model {
  phase: Phase;
  state: RecorderState;
  /** A take of this link that this device still keeps. */
  leftover: Take | null;
  upload: UploadProgress | null;
  online: boolean;
  /** False: the browser keeps nothing, so that the page must stay open until all is sent. */
  durable: boolean;
  wordsPerMinute: number;
}

/** Where a page that was just opened begins. */
export function firstPhase({ intro, recording }: RecorderState): Phase {
  if (intro.status === 'sent') return { at: 'done' };
  if (recording === null || recording.status === 'uploading') return { at: 'room' };
  return phaseOf(recording);
}

function phaseOf({ status, message }: NonNullable<RecorderState['recording']>): Phase {
  if (status === 'uploading') return { at: 'sending' };
  if (status === 'refused') return { at: 'refused', message: message ?? '', note: null };
  return status === 'ready' ? { at: 'done' } : { at: 'processing' };
}

/**
 * Where news of the server lead. Only who waits for the server is moved by what becomes of a take: an answer about an
 * earlier one (`settledId`) must not end a new recording. What was sent already moves everybody: nothing can be replaced.
 */
export function followState(phase: Phase, state: RecorderState, settledId: string | null): Phase {
  if (phase.at === 'closed') return phase;
  if (state.intro.status === 'sent') return { at: 'done' };
  const waits = phase.at === 'sending' || phase.at === 'processing';
  const { recording } = state;
  if (!waits || recording === null || recording.id === settledId) return phase;
  // The bytes are still on their way, or the last answer was asked for before they arrived.
  if (recording.status === 'uploading') return phase;
  return phaseOf(recording);
}

/** The take that news of the server must not be taken for: one whose story is over. */
export function settledRecording({ recording }: RecorderState): string | null {
  return recording?.status === 'ready' || recording?.status === 'refused' ? recording.id : null;
}
