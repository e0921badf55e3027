import { findSpeech, fitsScript } from '@foreword/contract/plain';
import { momentsOf } from './engine/take-check.ts';
import type { Take } from './engine/types.ts';
import { keptPart } from './trim.ts';

/** The words of the captions; empty: none. Until the member chooses, the script if the voice fits it. */
export function captionsOf(take: Take, script: string | null): string {
  if (take.captions !== null || script === null) return take.captions ?? '';
  const { startMs, endMs } = keptPart(take);
  const kept = momentsOf(take.levels).filter(({ seconds }) => seconds * 1000 >= startMs && seconds * 1000 < endMs);
  return fitsScript(script, findSpeech(kept)) ? script : '';
}
