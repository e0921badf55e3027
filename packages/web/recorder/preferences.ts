import { PACE } from '@foreword/contract/plain';
import { sendPreferences } from './engine/requests.ts';
import { clampPace } from './script.ts';

/** The member taps several times in a row; only the final value is sent. */
const SETTLED_MS = 800;

/** Chosen in this visit: the next intro has it too, even without signal. */
let chosen: number | null = null;

export const firstPace = (fromServer: number | null): number => clampPace(chosen ?? fromServer ?? PACE.usual);

/** Stored on the server, soon. Failed requests are ignored. */
export function createPaceKeeper(api: string): (wordsPerMinute: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (wordsPerMinute) => {
    chosen = wordsPerMinute;
    clearTimeout(timer);
    timer = setTimeout(() => void sendPreferences(api, { words_per_minute: wordsPerMinute }), SETTLED_MS);
  };
}
