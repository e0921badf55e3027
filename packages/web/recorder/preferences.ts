import { PACE } from '@foreword/contract/plain';
import { recallPace, rememberPace } from '../kit/pace.ts';
import { sendPreferences } from './engine/requests.ts';
import { clampPace } from './script.ts';

/** The member taps several times in a row; only the final value is sent. */
const SETTLED_MS = 800;

export const firstPace = (fromServer: number | null): number => clampPace(recallPace() ?? fromServer ?? PACE.usual);

/** Stored on this device at once, and on the server soon, for the member's other devices. Failed requests are ignored. */
export function createPaceKeeper(api: string): (wordsPerMinute: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (wordsPerMinute) => {
    rememberPace(wordsPerMinute);
    clearTimeout(timer);
    timer = setTimeout(() => void sendPreferences(api, { words_per_minute: wordsPerMinute }), SETTLED_MS);
  };
}
