import type { ClosedReason, Colleague, RecorderState } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import type { CameraProblem } from './engine/camera.ts';
import type { Take, UploadProgress } from './engine/types.ts';
import type { Equipment } from './equipment.ts';

/** The member's current step. */
export type Phase =
  | { at: 'start' }
  | { at: 'opening' }
  | { at: 'problem'; kind: CameraProblem['kind']; note: string | null }
  | { at: 'camera'; equipment: Equipment; note: string | null }
  | { at: 'countdown'; equipment: Equipment }
  | { at: 'recording'; equipment: Equipment; startedAtMs: number }
  | { at: 'saving' }
  | { at: 'review'; take: Take }
  | { at: 'sending' }
  | { at: 'processing' }
  | { at: 'refused'; message: string; note: string | null }
  /** `isLate`: the intro was sent before the take of this page could replace the earlier video. */
  | { at: 'done'; isLate?: boolean }
  | { at: 'declined' }
  /** Declines or hands over. `colleagues` is null until they are loaded. */
  | { at: 'unable'; step: UnableStep; note: string | null; busy: boolean; colleagues: readonly Colleague[] | null }
  /** `take`: what happened to the take on this device. `to`: who records the intro now, if it was reassigned. */
  | { at: 'closed'; why: ClosedBy; take: 'removed' | 'kept' | null; to: string | null };

export type ClosedBy = ClosedReason | 'unknown' | 'reassigned';

export type UnableStep = 'choose' | 'colleague' | 'reason';

export interface Model {
  phase: Phase;
  state: RecorderState;
  /** An unsent take of this link on this device. */
  leftover: Take | null;
  upload: UploadProgress | null;
  online: boolean;
  /** False: the browser cannot store takes, so the page must stay open until everything is sent. */
  durable: boolean;
  wordsPerMinute: number;
}

/** The first phase of a newly opened page. */
export function firstPhase({ intro, recording }: RecorderState): Phase {
  if (intro.status === 'sent') return { at: 'done' };
  if (recording !== null && recording.status !== 'uploading') return phaseOf(recording);
  // A retake that was not sent does not hide the earlier video.
  if (intro.status === 'ready') return { at: 'done' };
  return { at: intro.declined ? 'declined' : 'start' };
}

function phaseOf({ status, message }: NonNullable<RecorderState['recording']>): Phase {
  if (status === 'uploading') return { at: 'sending' };
  if (status === 'refused') return { at: 'refused', message: message ?? '', note: null };
  return status === 'ready' ? { at: 'done' } : { at: 'processing' };
}

/** The link may work again later, or another link for the same intro may be opened. */
export const keepsTakes = (why: ClosedBy): boolean => why === 'unknown' || why === 'link_expired';

/**
 * The phase after a state update from the server. Only a phase that waits for the server follows the recording: an update
 * about an earlier take (`settledId`) must not end a new recording. A sent intro ends every phase: it cannot be replaced.
 */
export function followState(phase: Phase, state: RecorderState, settledId: string | null): Phase {
  if (phase.at === 'closed') return phase;
  if (state.intro.status === 'sent') return phase.at === 'done' ? phase : { at: 'done' };
  const waits = phase.at === 'sending' || phase.at === 'processing';
  const { recording } = state;
  if (!waits || recording === null || recording.id === settledId) return phase;
  // The upload is still running, or this state was requested before it finished.
  if (recording.status === 'uploading') return phase;
  return phaseOf(recording);
}

/** The id of a take that is already settled; state updates about it must not affect a new one. */
export function settledRecording({ recording }: RecorderState): string | null {
  return recording?.status === 'ready' || recording?.status === 'refused' ? recording.id : null;
}

/** Version and language of the consent text shown, in the server's form: `1 en`. */
export const shownConsent = ({ consent }: RecorderState): string => `${consent.version} ${consent.language}`;

export const fullNameOf = ({ first_name, last_name }: RecorderState['intro']['recipient']): string =>
  isolated(last_name === null ? first_name : `${first_name} ${last_name}`);
