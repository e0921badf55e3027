import type { RecorderState } from '@foreword/contract';
import { PICK, REFUSED, UPLOAD_PROBLEMS } from '#recorder-texts';
import { FileProblem, UploadFailed } from './engine/index.ts';

const BYTES_PER_MEGABYTE = 1_000_000;

/** Why a picked file cannot be sent. */
export function explainFile(problem: unknown, { max_bytes }: RecorderState['limits']): string {
  const kind = problem instanceof FileProblem ? problem.kind : 'unreadable';
  return PICK.problem[kind](Math.floor(max_bytes / BYTES_PER_MEGABYTE));
}

/** Why a take could not be uploaded. */
export const explainUpload = (failure: unknown): string =>
  failure instanceof UploadFailed ? UPLOAD_PROBLEMS[failure.problem] : REFUSED.fallback;
